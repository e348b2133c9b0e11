/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/judge/test/own.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/path.h"
#include "runtime/base/str.h"
#include "runtime/userns/userns.h"

struct look {
	int root;
	struct id_map map;
	struct strv todo; /* directories, relative to the root */
};

static bool is_mapped(const struct id_extent *x, uint32_t n, uint32_t id)
{
	for (uint32_t i = 0; i < n; i++) {
		if (id >= x[i].outside && id - x[i].outside < x[i].count)
			return true;
	}
	return false;
}

static bool is_own(const struct look *l, const struct stat *st)
{
	return is_mapped(l->map.uid, l->map.n_uid, st->st_uid) &&
	       is_mapped(l->map.gid, l->map.n_gid, st->st_gid);
}

/* 1: all in it are; its directories are added to those that are left. */
static int look_into(struct look *l, const char *path, struct err *e)
{
	_close_ int fd =
		path_open_in_root(l->root, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0, NULL);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	struct stat st;
	int r = 1;

	if (!d)
		return 1;
	fd = -1;
	while (r > 0 && (entry = readdir(d))) {
		if (str_is_dots(entry->d_name) ||
		    fstatat(dirfd(d), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		r = is_own(l, &st);
		if (r && S_ISDIR(st.st_mode))
			strv_take(&l->todo, str_printf("%s/%s", path, entry->d_name));
	}
	closedir(d);
	return l->todo.failed ? err_oom(e) : r;
}

int test_tree_is_own(const char *dir, enum userns_mode mode, struct err *e)
{
	_close_ int root = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct look l = {.root = root};
	struct stat st;
	int r;

	if (root < 0 || fstat(root, &st) < 0)
		return err_sys(e, "--repo %s", dir);
	r = userns_map_for(0, 0, mode, &l.map, e);
	if (r < 0)
		return r;
	r = is_own(&l, &st);
	if (r > 0)
		r = look_into(&l, ".", e);
	while (r > 0 && l.todo.n) {
		_free_ char *path = l.todo.items[--l.todo.n];

		l.todo.items[l.todo.n] = NULL;
		r = look_into(&l, path, e);
	}
	strv_free(&l.todo);
	return r;
}
