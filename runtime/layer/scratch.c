/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/path.h"
#include "runtime/base/str.h"
#include "runtime/kernel/file_lock.h"
#include "runtime/layer/layer.h"
#include "runtime/settings/paths.h"
#include "runtime/kernel/temp_dir.h"
#include "runtime/userns/tree_remove.h"

/*
 * $TMPDIR is usually open to all users, so ours is a private directory in it; beside kept layers
 * the name must be none that a container can have.
 */
char *scratch_root_path(const struct paths *p)
{
	if (!strcmp(p->scratch, p->layers))
		return str_printf("%s/.scratch", p->scratch);
	return paths_scratch(p->scratch);
}

/* 0, or 1 where gc took the directory for debris before the lock was ours: to be tried again. */
static int make(struct layer *l, struct err *e)
{
	struct stat st;
	int r;

	if (mkdirat(l->parent, l->name, 0700) < 0)
		return err_sys(e, "make directory %s", l->path);
	l->dir = openat(l->parent, l->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (l->dir < 0)
		return errno == ENOENT ? 1 : err_sys(e, "open directory %s", l->path);
	l->lock = openat(l->dir, "lock", O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (l->lock < 0)
		return errno == ENOENT ? 1 : err_sys(e, "make %s/lock", l->path);
	r = file_lock_wait(l->lock, true);
	if (r < 0)
		return err_code(e, r, "lock %s/lock", l->path);
	if (fstat(l->lock, &st) < 0)
		return err_sys(e, "stat %s/lock", l->path);
	return st.st_nlink ? 0 : 1;
}

static int create(const struct paths *p, const char *id, struct layer *l, struct err *e)
{
	_free_ char *root = scratch_root_path(p);
	int r;

	if (!root)
		return err_oom(e);
	l->parent = path_open_private_dir(root, e);
	if (l->parent < 0)
		return paths_explain(l->parent, "CSBX_SCRATCH_PATH", e);
	r = layer_check_fs(l->parent, root, e);
	if (r >= 0)
		r = layer_set_names(l, root, id, e);
	if (r < 0)
		return r;
	do {
		fd_close(&l->lock);
		fd_close(&l->dir);
		r = make(l, e);
	} while (r > 0);
	return r < 0 ? r : layer_open_dirs(l, e);
}

int scratch_create(const struct paths *p, const char *id, struct layer *ret, struct err *e)
{
	int r;

	*ret = (struct layer)LAYER_INIT;
	r = create(p, id, ret, e);
	if (r >= 0)
		return 0;
	if (ret->dir >= 0)
		scratch_discard(ret, -1);
	layer_close(ret);
	return err_wrap(e, "scratch layer");
}

void scratch_discard(struct layer *l, int userns_fd)
{
	char tmp[TEMP_NAME_BYTES];
	_close_ int temp = temp_begin(l->parent, NULL);

	/*
	 * A layer that cannot be renamed or deleted now is left to gc: no process holds its lock
	 * any more.
	 */
	if (temp >= 0 && !temp_move_away(l->parent, l->name, tmp, NULL))
		tree_remove_detached(l->parent, tmp, userns_fd, temp);
	layer_close(l);
}
