/* SPDX-License-Identifier: Apache-2.0 */

/*
 * RUN --mount=type=cache: a volume of the user's own. Its name is made of all that makes it another
 * one, so what it was filled with is what the step asks for.
 */

#include "cmd/build/run_mounts.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/build/build.h"
#include "cmd/frame/cmd.h"
#include "image/model/digest.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/kernel/file_lock.h"
#include "runtime/record/volume.h"
#include "runtime/userns/tree_remove.h"

#define PRIVATE_MAX 64u /* copies of a private cache */

static bool is_made(const struct run_mount_item *x)
{
	const struct run_mount *w = &x->words;

	return x->from || w->mode_is_set || w->uid || w->gid;
}

/* Without what a new one is made of it is the id's own cache. */
static int name_cache(struct run_mount_item *x, struct err *e)
{
	const struct run_mount *w = &x->words;
	_strbuf_ struct strbuf text = STRBUF_INIT;
	struct digest d;
	int r;

	if (is_made(x)) {
		strbuf_addch(&text, 0); /* no id has one */
		key_add(&text, x->from ? x->from->key : "");
		key_add(&text, w->source ? w->source : "");
		strbuf_addf(&text, "%o %u %u:", w->mode_is_set ? w->mode : 0755, w->uid, w->gid);
	}
	strbuf_addstr(&text, w->id ? w->id : x->target);
	r = strbuf_check(&text, e) < 0 ? -ENOMEM : digest_of(text.data, text.len, &d, e);
	if (r >= 0)
		snprintf(x->cache, sizeof(x->cache), "csbx-build-%.16s", d.hex);
	return r;
}

static int lock(struct build *b, const char *kind, const char *name, bool waits, struct err *e)
{
	_close_ int fd = -1;
	char file[80];
	int r;

	snprintf(file, sizeof(file), "%s%s", kind, name);
	fd = openat(b->cache.dirfd, file, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_sys(e, "%s/%s", b->cache.path, file);
	r = waits ? file_lock_wait(fd, true) : file_lock_try(fd, true);
	if (r < 0)
		return err_code(e, r, "%s/%s", b->cache.path, file);
	return take_fd(&fd);
}

/* The first of its copies that no other step uses. */
static int open_private(struct build *b, struct run_mount_item *x, struct err *e)
{
	char name[RUN_VOLUME_BYTES];
	int r = -EAGAIN;

	for (unsigned n = 0; n < PRIVATE_MAX && r == -EAGAIN; n++) {
		snprintf(name, sizeof(name), n ? "%.40s-%u" : "%.40s", x->cache, n);
		r = lock(b, ".lock-", name, false, e);
	}
	if (r < 0)
		return r;
	memcpy(x->cache, name, sizeof(name));
	x->lock = r;
	return 0;
}

static int by_cache(const void *a, const void *b)
{
	return strcmp((*(struct run_mount_item *const *)a)->cache,
		      (*(struct run_mount_item *const *)b)->cache);
}

/* In the order of their names: two steps that want the same two never wait for each other. */
int run_caches_open(struct build *b, struct run_mounts *m, struct err *e)
{
	struct run_mount_item *locked[RUN_MOUNTS_MAX];
	unsigned n = 0;
	int r = 0;

	for (unsigned i = 0; r >= 0 && i < m->n; i++) {
		struct run_mount_item *x = &m->items[i];

		if (x->words.kind != RUN_MOUNT_CACHE)
			continue;
		r = name_cache(x, e);
		if (r >= 0 && x->words.sharing == RUN_PRIVATE)
			r = open_private(b, x, e);
		else if (x->words.sharing == RUN_LOCKED)
			locked[n++] = x;
	}
	qsort(locked, n, sizeof(locked[0]), by_cache);
	for (unsigned i = 0; r >= 0 && i < n; i++) {
		if (i && str_eq(locked[i]->cache, locked[i - 1]->cache))
			continue;
		r = locked[i]->lock = lock(b, ".lock-", locked[i]->cache, true, e);
	}
	return r < 0 ? r : 0;
}

/* --- a new one ------------------------------------------------------------------------------- */

struct owning {
	struct build_view view;
	int fd;
	uint32_t uid, gid;
	unsigned mode;
};

static int own_child(void *arg, int parent, struct err *e)
{
	const struct owning *o = arg;
	int root = build_view_enter(&o->view, e);

	(void)parent;
	if (root < 0)
		return root;
	if (!id_map_is_one(&o->view.map) && fchown(o->fd, o->uid, o->gid) < 0)
		return err_sys(e, "give it to %u:%u", o->uid, o->gid);
	return fchmod(o->fd, o->mode) < 0 ? err_sys(e, "set its mode") : 0;
}

int run_owner_set(struct build *b, int fd, uint32_t uid, uint32_t gid, unsigned mode, struct err *e)
{
	static const struct build_root nothing;
	struct build_child child = BUILD_CHILD_INIT;
	struct owning o = {.fd = fd, .uid = uid, .gid = gid, .mode = mode};
	int r = build_view_open(b->cmd, &b->cache, &nothing, NULL, &o.view, e);

	if (r >= 0)
		r = build_child_start(&child, own_child, &o, e);
	if (r >= 0)
		r = build_child_wait(&child, e);
	build_view_close(&o.view);
	return r;
}

static int set_owner(struct build *b, const struct run_mount_item *x, int dir, struct err *e)
{
	const struct run_mount *w = &x->words;
	int r = run_owner_set(b, dir, w->uid, w->gid, w->mode_is_set ? w->mode & 07777 : 0755, e);

	return r < 0 ? err_wrap(e, "--mount=%s", x->asked) : 0;
}

/* Fills an empty cache; first removes what a killed fill has left. */
static int fill(struct build *b, struct run_mount_item *x, const char *mark, struct err *e)
{
	const struct paths *p = &b->cmd->paths;
	_free_ char *path = NULL;
	_close_ int dir = -1, made = -1;
	int r = volume_remove(p, x->cache, e);

	if (r < 0 && r != -ENOENT)
		return r;
	made = openat(b->cache.dirfd, mark, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (made < 0)
		return err_sys(e, "%s/%s", b->cache.path, mark);
	r = volume_open(p, x->cache, NULL, &path, e);
	if (r < 0)
		return r;
	dir = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir < 0)
		return err_sys(e, "%s", path);
	r = x->from ? mount_tree_copy(b, x, dir, "/", e) : 0;
	if (r >= 0)
		r = set_owner(b, x, dir, e);
	if (r >= 0 && unlinkat(b->cache.dirfd, mark, 0) < 0)
		r = err_sys(e, "%s/%s", b->cache.path, mark);
	return r;
}

int run_cache_fill(struct build *b, struct run_mount_item *x, struct err *e)
{
	const char *hex = x->cache + strlen("csbx-build-");
	char mark[80], some[3] = {hex[0], hex[1], 0};
	_close_ int alone = -1;
	_free_ char *path = NULL;
	uint64_t created;
	int r;

	if (!is_made(x))
		return 0;
	r = alone = lock(b, ".fill-", some, true, e);
	if (r < 0)
		return r;
	snprintf(mark, sizeof(mark), ".filling-%s", x->cache);
	r = volume_look(&b->cmd->paths, x->cache, &created, &path, NULL);
	if (r >= 0 && faccessat(b->cache.dirfd, mark, F_OK, AT_SYMLINK_NOFOLLOW) < 0)
		return 0;
	return fill(b, x, mark, e);
}
