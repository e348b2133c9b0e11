/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The user's mounts. Sources were cloned before (source.c); a target is found, and made when
 * missing, inside the root only.
 */
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "runtime/kernel/mount_abi.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/linux_calls.h"
#include "runtime/base/path.h"
#include "runtime/base/str.h"
#include "runtime/child/child.h"
#include "runtime/kernel/mount_api.h"
#include "runtime/spec/plan.h"

#ifndef STATX_MNT_ID
#define STATX_MNT_ID 0x1000U /* Linux 5.8 */
#endif

static int open_target(struct child *c, const struct op *op, bool directory, struct err *e)
{
	int fd, r;

	if (op->flags & OP_NOCREATE)
		fd = path_open_in_root(c->root_fd, op->dst, O_PATH, 0, e);
	else if (directory)
		fd = path_mkdirs_in_root(c->root_fd, op->dst, e);
	else
		fd = path_touch_in_root(c->root_fd, op->dst, e);
	if (fd >= 0)
		return fd;
	r = err_wrap(e, "target");
	if (fd == -ENOTDIR || fd == -EEXIST)
		err_append(e, "a file in the image is in the way of a directory");
	return r;
}

/* move_mount(2) says EINVAL to a mix, and to much else. */
static int check_kinds(const struct stat *st, bool directory, struct err *e)
{
	if (S_ISDIR(st->st_mode) && !directory)
		return err_set(e, EISDIR,
			       "a file cannot be mounted on a directory of the container");
	return 0;
}

static bool is_dev(const struct child *c, const struct stat *st)
{
	struct err ignored = {0};
	_close_ int fd = path_open_in_root(c->root_fd, "/dev", O_PATH, 0, &ignored);
	struct stat dev;

	return fd >= 0 && fstat(fd, &dev) == 0 && dev.st_dev == st->st_dev &&
	       dev.st_ino == st->st_ino;
}

/*
 * What check_mounts() refuses by its name, a link of the image may lead to. Mounts of csbx's own
 * have names in /proc and /sys, and are /dev.
 */
static int check_place(const struct child *c, const struct op *op, int target,
		       const struct stat *st, struct err *e)
{
	static const char text[] =
		"a link of the image leads to /proc, /sys, /dev or /, which are csbx's own";
	struct statfs fs;
	struct stat root;

	if (path_is_within(op->dst, "/proc") || path_is_within(op->dst, "/sys"))
		return 0;
	if (fstatfs(target, &fs) < 0 || fstat(c->root_fd, &root) < 0)
		return err_sys(e, "target");
	if (fs.f_type == PROC_SUPER_MAGIC || fs.f_type == SYSFS_MAGIC ||
	    fs.f_type == CGROUP2_SUPER_MAGIC || fs.f_type == CGROUP_SUPER_MAGIC)
		return err_set(e, EINVAL, "%s", text);
	if (st->st_dev == root.st_dev)
		return st->st_ino == root.st_ino ? err_set(e, EINVAL, "%s", text) : 0;
	return !str_eq(op->dst, "/dev") && is_dev(c, st) ? err_set(e, EINVAL, "%s", text) : 0;
}

static int attach_user_mount(struct child *c, const struct op *op, int fd, bool directory,
			     struct err *e)
{
	_close_ int target = open_target(c, op, directory, e);
	struct stat st;
	int r;

	if (target < 0)
		return err_wrap(e, "mount %s", op->dst);
	r = fstat(target, &st) < 0 ? err_sys(e, "target") : check_kinds(&st, directory, e);
	if (r >= 0)
		r = check_place(c, op, target, &st, e);
	if (r >= 0)
		r = mount_attach(fd, target, e);
	c->has_unhidden |= directory && op->kind != OP_TMPFS;
	return r < 0 ? err_wrap(e, "mount %s", op->dst) : 0;
}

static unsigned attributes(const struct op *op)
{
	return MOUNT_ATTR_NOSUID | (op->flags & OP_DEVICES ? 0 : MOUNT_ATTR_NODEV) |
	       (op->flags & OP_RDONLY ? MOUNT_ATTR_RDONLY : 0) |
	       (op->flags & OP_NOEXEC ? MOUNT_ATTR_NOEXEC : 0);
}

int mount_bind(struct child *c, const struct op *op, struct err *e)
{
	unsigned attrs = attributes(op);
	_close_ int fd = -1;
	struct stat st;

	if (op->skip)
		return 0;
	fd = source_take(c, op);
	if (fstat(fd, &st) < 0)
		return err_sys(e, "mount %s", op->dst);
	if (op->flags & OP_COPY_UP && S_ISDIR(st.st_mode) && mount_copy_up(c, op, fd, e) < 0)
		return err_wrap(e, "mount %s", op->dst);
	if (mount_restrict(fd, attrs, !(op->flags & OP_SINGLE), e) < 0)
		return err_wrap(e, "mount %s", op->dst);
	return attach_user_mount(c, op, fd, S_ISDIR(st.st_mode), e);
}

int mount_device(struct child *c, const struct op *op, struct err *e)
{
	unsigned attrs = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC |
			 (op->flags & OP_RDONLY ? MOUNT_ATTR_RDONLY : 0);
	_close_ int fd = -1;
	struct stat st;

	if (op->skip)
		return 0;
	fd = source_take(c, op);
	if (fstat(fd, &st) < 0)
		return err_sys(e, "device %s", op->dst);
	if (!S_ISCHR(st.st_mode) && !S_ISBLK(st.st_mode))
		return err_set(e, EINVAL, "device %s: %s is not a device", op->dst, op->src);
	if (mount_restrict(fd, attrs, false, e) < 0)
		return err_wrap(e, "device %s", op->dst);
	return attach_user_mount(c, op, fd, false, e);
}

/* A directory that is written to without changing it. */
int mount_copy(struct child *c, const struct op *op, struct err *e)
{
	_close_ int source = -1, fd = -1;
	struct stat st;

	if (op->skip)
		return 0;
	source = source_take(c, op);
	if (fstat(source, &st) < 0)
		return err_sys(e, "mount %s", op->dst);
	if (!S_ISDIR(st.st_mode))
		return err_set(e, ENOTDIR, "mount %s: %s is not a directory", op->dst, op->src);
	fd = rootfs_copy(c, op, source, e);
	if (fd < 0)
		return err_wrap(e, "mount %s: copy of %s", op->dst, op->src);
	if (op->flags & (OP_RDONLY | OP_NOEXEC) &&
	    mount_restrict(fd,
			   (op->flags & OP_RDONLY ? MOUNT_ATTR_RDONLY : 0) |
				   (op->flags & OP_NOEXEC ? MOUNT_ATTR_NOEXEC : 0),
			   false, e) < 0)
		return err_wrap(e, "mount %s", op->dst);
	return attach_user_mount(c, op, fd, true, e);
}

int mount_tmpfs(struct child *c, const struct op *op, struct err *e)
{
	_close_ int fd = mount_new_tmpfs(op->bytes, op->mode,
					 MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV |
						 (op->flags & OP_RDONLY ? MOUNT_ATTR_RDONLY : 0) |
						 (op->flags & OP_NOEXEC ? MOUNT_ATTR_NOEXEC : 0),
					 e);

	if (fd < 0 || child_watch(c, fd, e) < 0)
		return err_wrap(e, "mount %s", op->dst);
	return attach_user_mount(c, op, fd, true, e);
}

/*
 * A part of the root at another place of it, or at its own: a mount of its own, which stays
 * writable when the root becomes read-only. Writes to it go where the root's changes go.
 */
/*
 * Another mount than the root's comes with what lies over it: the masks of /proc, and what hides
 * csbx's own directories.
 */
static bool is_with_submounts(const struct child *c, const struct op *op, int source)
{
	struct statx root, st;

	if (!(op->flags & OP_SINGLE) ||
	    statx(c->root_fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &root) < 0 ||
	    statx(source, "", AT_EMPTY_PATH, STATX_MNT_ID, &st) < 0)
		return true;
	return !(root.stx_mask & st.stx_mask & STATX_MNT_ID) || root.stx_mnt_id != st.stx_mnt_id;
}

int mount_self(struct child *c, const struct op *op, struct err *e)
{
	_close_ int source = path_open_in_root(c->root_fd, op->src, O_PATH, 0, e), fd = -1;
	struct stat st;
	bool whole;

	if (source == -ENOENT)
		source = path_mkdirs_in_root(c->root_fd, op->src, e);
	if (source < 0 || fstat(source, &st) < 0)
		return err_wrap(e, "mount %s: %s of the image", op->dst, op->src);
	whole = is_with_submounts(c, op, source);
	fd = mount_clone(source, "", whole, e);
	if (fd < 0 || mount_restrict(fd, attributes(op) | MOUNT_ATTR_NODEV, whole, e) < 0)
		return err_wrap(e, "mount %s", op->dst);
	return attach_user_mount(c, op, fd, S_ISDIR(st.st_mode), e);
}
