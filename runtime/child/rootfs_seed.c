/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Seeded files go straight into the upper layer, or one of their own between it and the image:
 * cheaper than a copy-up through the mounted root, and the image cannot lead them anywhere. A fresh
 * layer has only what we made. One that was used before (OP_REFRESH) has what programs of the
 * container made; and what is below is only looked at: both one name at a time, without following.
 * A directory keeps its mode; if a file that is no directory is on the way, it wins and the seed is
 * left out.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/str.h"
#include "runtime/child/child.h"
#include "runtime/layer/lower.h"
#include "runtime/spec/plan.h"

#define OPAQUE "user.overlay.opaque" /* hides the directory of the same name in the image */

static void leave(struct seed_place *at)
{
	fd_close(&at->upper);
	for (unsigned i = 0; i < at->n; i++)
		fd_close(&at->lower[i]);
	at->n = 0;
}

static void place_init(struct seed_place *p, unsigned n)
{
	p->upper = -1;
	p->n = n;
	for (unsigned i = 0; i < n; i++)
		p->lower[i] = -1;
}

static bool is_opaque(int dir)
{
	return fgetxattr(dir, OPAQUE, NULL, 0) > 0;
}

static bool is_whiteout(const struct stat *st)
{
	return S_ISCHR(st->st_mode) && !st->st_rdev;
}

/* Finds a name in the layers below; false: none has it. */
static bool look_below(const struct seed_place *at, const char *name, struct stat *ret)
{
	for (unsigned i = at->n; i--;) {
		if (at->lower[i] >= 0 && fstatat(at->lower[i], name, ret, AT_SYMLINK_NOFOLLOW) == 0)
			return !is_whiteout(ret);
	}
	return false;
}

/*
 * The directories of a name below; the first one that hides the others is the last. The lowest,
 * which hides nothing, is asked for nothing but the name: that is a message to the image server.
 */
static void enter_lower(const struct seed_place *at, const char *name, struct seed_place *to)
{
	for (unsigned i = at->n; i--;) {
		if (at->lower[i] < 0)
			continue;
		to->lower[i] =
			openat(at->lower[i], name,
			       (i ? O_RDONLY : O_PATH) | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (to->lower[i] < 0 && errno == ENOENT)
			continue;
		if (to->lower[i] < 0 || (i && is_opaque(to->lower[i])))
			return;
	}
}

/*
 * *to: name in at, which is made where it is missing. 1: done, 0: there is something else. leave()
 * it in any case.
 */
static int enter(const struct child *c, const struct seed_place *at, const char *name,
		 bool is_users, struct seed_place *to, struct err *e)
{
	struct stat st = {.st_mode = S_IFDIR | 0755};
	bool is_below = look_below(at, name, &st), is_made;
	int r = 0;

	place_init(to, at->n);
	if (is_below && !S_ISDIR(st.st_mode))
		return 0;
	is_made = mkdirat(at->upper, name, is_below ? st.st_mode & 07777 : 0755) == 0;
	if (!is_made && errno != EEXIST)
		return err_sys(e, "make directory");
	to->upper = openat(at->upper, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (to->upper < 0)
		return errno == ENOTDIR || errno == ELOOP ? 0 : err_sys(e, "open directory");
	if (!is_opaque(to->upper)) {
		enter_lower(at, name, to);
		if (is_made && (is_below || !is_users))
			r = rootfs_give_to_root(c, to->upper, e);
	}
	return r < 0 ? r : 1;
}

static int make_directory(const struct seed_place *at, const char *name, const struct op *op,
			  struct err *e)
{
	_close_ int fd = -1;
	struct stat st;

	if (op->flags & OP_IF_ABSENT &&
	    (look_below(at, name, &st) || fstatat(at->upper, name, &st, AT_SYMLINK_NOFOLLOW) == 0))
		return 0;
	if (mkdirat(at->upper, name, 0700) < 0)
		return err_sys(e, "make directory");
	fd = openat(at->upper, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fsetxattr(fd, OPAQUE, "y", 1, 0) < 0 ||
	    fchmod(fd, op->mode ? op->mode : 0755) < 0)
		return err_sys(e, "make directory");
	return 0;
}

static int make_file(const struct child *c, const struct seed_place *at, const char *name,
		     const struct op *op, struct err *e)
{
	_close_ int fd = -1;
	int r;

	/* A program of the container may have left a fifo there, or a directory. */
	if (op->flags & OP_REFRESH && unlinkat(at->upper, name, 0) < 0 && errno != ENOENT)
		return errno == EISDIR ? 0 : err_sys(e, "replace");
	fd = openat(at->upper, name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0)
		return err_sys(e, "open");
	r = io_write_all(fd, op->data, op->data_len, e);
	if (r < 0)
		return r;
	if (op->mode && fchmod(fd, op->mode) < 0)
		return err_sys(e, "chmod");
	return op->flags & OP_USERS ? 0 : rootfs_give_to_root(c, fd, e);
}

static int open_layer(const char *name, int flags)
{
	return open(name, flags | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* The roots of all layers. */
static int open_top(struct child *c, const struct op *op, struct err *e)
{
	struct seed_place *top = &c->seeds.top;

	place_init(top, c->n_lowers);
	c->seeds.is_below = op->flags & OP_BELOW;
	top->upper = open_layer(op->flags & OP_BELOW ? "seeds" : "up/upper", O_RDONLY);
	if (top->upper < 0)
		return err_sys(e, "open layers");
	for (unsigned i = 0; i < top->n; i++) {
		char name[LOWER_NAME_BYTES];

		lower_name(i, name);
		top->lower[i] = open_layer(name, i ? O_RDONLY : O_PATH);
		if (top->lower[i] < 0)
			return err_sys(e, "open layers");
	}
	return 0;
}

/* The first directory of a name: as a rule that of the seed before, which is still open. */
static int enter_first(struct child *c, const char *name, bool is_users, struct err *e)
{
	struct seed_walk *w = &c->seeds;
	int r;

	if (str_eq(w->name, name))
		return 1;
	leave(&w->first);
	*w->name = 0;
	r = enter(c, &w->top, name, is_users, &w->first, e);
	if (r > 0)
		snprintf(w->name, sizeof(w->name), "%s", name);
	return r;
}

/* *here: the directory below the first one that the walk is in. */
static int seed(struct child *c, struct seed_place *here, const struct op *op, struct err *e)
{
	const struct seed_place *at = &c->seeds.top;
	const char *rest = op->dst;
	char name[SEED_NAME_BYTES];

	for (;;) {
		size_t len = strcspn(rest, "/");
		struct seed_place to;
		int r;

		if (!len || len >= sizeof(name))
			return err_set(e, EINVAL, "not a name below /");
		memcpy(name, rest, len);
		name[len] = 0;
		if (str_is_dots(name))
			return err_set(e, EINVAL, "not a name below /");
		if (!rest[len])
			break;
		if (at == &c->seeds.top) {
			r = enter_first(c, name, op->flags & OP_USERS, e);
			at = &c->seeds.first;
		} else {
			r = enter(c, at, name, op->flags & OP_USERS, &to, e);
			leave(here);
			*here = to;
			at = here;
		}
		if (r <= 0)
			return r;
		rest += len + 1;
	}
	return op->data ? make_file(c, at, name, op, e) : make_directory(at, name, op, e);
}

int rootfs_seed(struct child *c, const struct op *op, struct err *e)
{
	struct seed_place here;
	int r;

	place_init(&here, 0);
	/* Some go into the one upper layer, others into the other. */
	if (c->seeds.is_below != !!(op->flags & OP_BELOW))
		rootfs_seeds_end(c);
	r = c->seeds.top.upper < 0 ? open_top(c, op, e) : 0;
	if (r >= 0)
		r = seed(c, &here, op, e);
	leave(&here);
	return r < 0 ? err_wrap(e, "seed %s", op->dst) : 0;
}

void rootfs_seeds_end(struct child *c)
{
	leave(&c->seeds.first);
	leave(&c->seeds.top);
	*c->seeds.name = 0;
}
