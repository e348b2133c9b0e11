/* SPDX-License-Identifier: Apache-2.0 */
/*
 * /proc and /sys, fresh ones of the container's own namespaces, with what the payload must not
 * see or set masked or read-only. Because csbx-init copies this mount namespace into the payload's
 * less privileged user namespace, the kernel locks every one of these mounts there
 * (mount_namespaces(7)): no capability inside takes them away.
 *
 * A clean clone of /proc is made before the masks go on; init needs it to write id maps and to
 * switch nested user namespaces off. It hangs in the base until the pivot takes the base away: a
 * clone that was never attached would cost a wait for RCU when its descriptor is closed.
 *
 * A container that is made apart takes its /sys from there, masks and all (apart.h).
 *
 * The masks of directories are clones of a directory of the /dev template, empty and read-only, as
 * long as nothing is mounted there: hence masks come before what goes onto /dev.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/kernel/mount_abi.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/linux_calls.h"
#include "runtime/child/apart.h"
#include "runtime/child/child.h"
#include "runtime/kernel/mount_api.h"
#include "runtime/spec/plan.h"
#include "runtime/spec/spec.h"

#ifndef STATX_ATTR_MOUNT_ROOT
#define STATX_ATTR_MOUNT_ROOT 0x2000 /* Linux 5.8 */
#endif

#define KERNEL_FS (MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC)

/* In a network namespace of its own the container may use every port, as under docker. */
static int open_low_ports(int proc_fd, struct err *e)
{
	_close_ int fd =
		openat(proc_fd, "sys/net/ipv4/ip_unprivileged_port_start", O_WRONLY | O_CLOEXEC);

	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0 || write(fd, "0", 1) != 1)
		return err_sys(e, "ip_unprivileged_port_start");
	return 0;
}

int proc_mount(struct child *c, const struct op *op, struct err *e)
{
	int r;

	(void)op;
	c->proc_fd = mount_new("proc", NULL, 0, KERNEL_FS, e);
	if (c->proc_fd == -EPERM)
		err_append(e, "the caller's own /proc is masked, as in an outer container");
	if (c->proc_fd < 0)
		return c->proc_fd;
	r = rootfs_attach_own(c, c->proc_fd, "proc", e);
	if (r < 0)
		return r;
	c->clean_proc_fd = mount_clone(c->proc_fd, "", false, e);
	if (c->clean_proc_fd < 0)
		return c->clean_proc_fd;
	r = rootfs_attach_in_base(c->clean_proc_fd, "proc", e);
	if (r < 0)
		return r;
	if (c->spec->ns.net != NET_NONE || c->net_was_had)
		return 0;
	return open_low_ports(c->clean_proc_fd, e);
}

/* Hides parent/name: a directory behind an empty one, a file behind the verified /dev/null. */
static int mask(struct child *c, int parent, const char *name, struct err *e)
{
	_close_ int target = openat(parent, name, O_PATH | O_NOFOLLOW | O_CLOEXEC), cover = -1;
	struct stat st;
	int r;

	if (target < 0 && (errno == ENOENT || errno == ENOTDIR))
		return 0;
	if (target < 0 || fstat(target, &st) < 0)
		return err_sys(e, "mask %s", name);
	cover = mount_clone(c->dev_fd, S_ISDIR(st.st_mode) ? "shm" : "null", false, e);
	if (cover < 0)
		return err_wrap(e, "mask %s", name);
	r = mount_attach(cover, target, e);
	return r < 0 ? err_wrap(e, "mask %s", name) : 0;
}

/*
 * Most are files. What covers one is made before it is known to be there, and covers the next if it
 * is not: the last ones of the list always are (plan.c).
 */
int proc_mask(struct child *c, const struct op *op, struct err *e)
{
	int r;

	if (!c->file_cover_fd)
		c->file_cover_fd = mount_clone(c->dev_fd, "null", false, e);
	if (c->file_cover_fd < 0)
		return c->file_cover_fd;
	r = mount_attach_at(c->file_cover_fd, c->proc_fd, op->dst, NULL);
	if (r == -ENOENT || r == -ENOTDIR)
		return 0;
	if (r < 0) /* a directory: EINVAL */
		return mask(c, c->proc_fd, op->dst, e);
	fd_close(&c->file_cover_fd);
	c->file_cover_fd = 0;
	return 0;
}

int proc_readonly(struct child *c, const struct op *op, struct err *e)
{
	_close_ int fd = open_tree(c->proc_fd, op->dst,
				   OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_SYMLINK_NOFOLLOW);
	int r;

	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0)
		return err_sys(e, "read-only /proc/%s", op->dst);
	r = mount_restrict(fd, KERNEL_FS | MOUNT_ATTR_RDONLY, false, e);
	if (r >= 0)
		r = mount_attach_at(fd, c->proc_fd, op->dst, e);
	return r < 0 ? err_wrap(e, "read-only /proc/%s", op->dst) : 0;
}

/* Without masks it is one of the container's own. */
int sysfs_mount(struct child *c, const struct op *op, struct err *e)
{
	(void)op;
	c->has_aparts_sys = c->is_apart && plan_has(c->plan, OP_SYS_MASK);
	c->sys_fd = c->has_aparts_sys
			    ? apart_open_sys(e)
			    : mount_new("sysfs", NULL, 0, KERNEL_FS | MOUNT_ATTR_RDONLY, e);
	return c->sys_fd < 0 ? c->sys_fd : rootfs_attach_own(c, c->sys_fd, "sys", e);
}

/*
 * A fresh sysfs needs a network namespace of one's own (EPERM otherwise): the caller's, read-only.
 */
int sysfs_mount_host(struct child *c, const struct op *op, struct err *e)
{
	int r;

	(void)op;
	c->sys_fd = mount_clone(AT_FDCWD, "/sys", true, e);
	if (c->sys_fd < 0)
		return c->sys_fd;
	r = mount_restrict(c->sys_fd, KERNEL_FS | MOUNT_ATTR_RDONLY, true, e);
	if (r >= 0)
		r = rootfs_attach_own(c, c->sys_fd, "sys", e);
	return r < 0 ? r : mask(c, c->sys_fd, "fs/cgroup", e);
}

/* What the kernel shows since apart.h's was made has no mask there. */
static bool is_masked_already(const struct child *c, const char *name)
{
	struct statx st;

	if (!c->has_aparts_sys)
		return false;
	return statx(c->sys_fd, name, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT, STATX_TYPE, &st) ==
		       0 &&
	       st.stx_attributes & STATX_ATTR_MOUNT_ROOT;
}

int sysfs_mask(struct child *c, const struct op *op, struct err *e)
{
	return is_masked_already(c, op->dst) ? 0 : mask(c, c->sys_fd, op->dst, e);
}
