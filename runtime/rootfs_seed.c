/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Seeded files go straight into the fresh upper layer, or one of their own between it and the
 * image: cheaper than a copy-up through the mounted
 * root, and the image cannot lead them anywhere. The layer has only what we made, so a walk
 * through it meets no link; the image is only looked at, one name at a time, without following.
 * A directory of the image keeps its mode; where the image has something else than a directory
 * on the way, the image wins and the seed is left out.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/str.h"
#include "runtime/child.h"
#include "runtime/plan.h"

#define NAME_BYTES 256u
#define OPAQUE "user.overlay.opaque" /* hides the directory of the same name in the image */

/* Where a walk is: the same directory in the upper layer and, unless there is none, the image. */
struct place {
	int upper, lower;
};

static bool is_opaque(int dir)
{
	return fgetxattr(dir, OPAQUE, NULL, 0) > 0;
}

/* Enters name, which is made where it is missing. 1: done, 0: the image has no directory there. */
static int enter(const struct child *c, struct place *at, const char *name, bool is_users,
		 struct err *e)
{
	struct stat st = {.st_mode = S_IFDIR | 0755};
	bool in_image = at->lower >= 0 && fstatat(at->lower, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
	_close_ int upper = -1, lower = -1;
	int r;

	if (!S_ISDIR(st.st_mode))
		return 0;
	if (mkdirat(at->upper, name, st.st_mode & 07777) < 0 && errno != EEXIST)
		return err_sys(e, "make directory");
	upper = openat(at->upper, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (upper < 0)
		return err_sys(e, "open directory");
	if (!is_opaque(upper)) {
		if (in_image)
			lower = openat(at->lower, name,
				       O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		r = in_image || !is_users ? rootfs_give_to_root(c, upper, e) : 0;
		if (r < 0)
			return r;
	}
	fd_close(&at->upper);
	fd_close(&at->lower);
	at->upper = take_fd(&upper);
	at->lower = take_fd(&lower);
	return 1;
}

static int make_directory(const struct place *at, const char *name, const struct op *op,
			  struct err *e)
{
	_close_ int fd = -1;
	struct stat st;

	if (op->flags & OP_IF_ABSENT && at->lower >= 0 &&
	    fstatat(at->lower, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
		return 0;
	if (mkdirat(at->upper, name, 0700) < 0)
		return err_sys(e, "make directory");
	fd = openat(at->upper, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fsetxattr(fd, OPAQUE, "y", 1, 0) < 0 ||
	    fchmod(fd, op->mode ? op->mode : 0755) < 0)
		return err_sys(e, "make directory");
	return 0;
}

static int make_file(const struct child *c, const struct place *at, const char *name,
		     const struct op *op, struct err *e)
{
	_close_ int fd = openat(at->upper, name,
				O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);
	int r;

	if (fd < 0)
		return err_sys(e, "open");
	r = io_write_all(fd, op->data, op->data_len, e);
	if (r < 0)
		return r;
	if (op->mode && fchmod(fd, op->mode) < 0)
		return err_sys(e, "chmod");
	return op->flags & OP_USERS ? 0 : rootfs_give_to_root(c, fd, e);
}

static int seed(const struct child *c, struct place *at, const struct op *op, struct err *e)
{
	const char *rest = op->dst;
	char name[NAME_BYTES];

	for (;;) {
		size_t len = strcspn(rest, "/");
		int r;

		if (!len || len >= sizeof(name))
			return err_set(e, EINVAL, "not a name below /");
		memcpy(name, rest, len);
		name[len] = 0;
		if (str_is_dots(name))
			return err_set(e, EINVAL, "not a name below /");
		if (!rest[len])
			break;
		r = enter(c, at, name, op->flags & OP_USERS, e);
		if (r <= 0)
			return r;
		rest += len + 1;
	}
	return op->data ? make_file(c, at, name, op, e) : make_directory(at, name, op, e);
}

int rootfs_seed(struct child *c, const struct op *op, struct err *e)
{
	const char *layer = op->flags & OP_BELOW ? "seeds" : "up/upper";
	struct place at = {
		.upper = open(layer, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC),
		.lower = open("lower", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC),
	};
	int r = at.upper < 0 || at.lower < 0 ? err_sys(e, "open layers") : seed(c, &at, op, e);

	fd_close(&at.upper);
	fd_close(&at.lower);
	return r < 0 ? err_wrap(e, "seed %s", op->dst) : 0;
}
