/* SPDX-License-Identifier: Apache-2.0 */
/*
 * /dev: the image server's template, one read-only tmpfs shared by its containers and attached as
 * one tree; or, where a device or mount is asked for below /dev, a tmpfs of the container's own
 * with clones of the template's verified nodes. pts, shm and mqueue are the container's in both.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/kernel/mount_abi.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/child/child.h"
#include "runtime/kernel/mount_api.h"
#include "runtime/spec/plan.h"
#include "runtime/spec/spec.h"

/* Only csbx has made directories there. */
static int attach_in_dev(const struct child *c, int fd, const char *name, struct err *e)
{
	int r = mount_attach_at(fd, c->dev_top_fd, name, e);

	return r < 0 ? err_wrap(e, "/dev") : 0;
}

int dev_template(struct child *c, const struct op *op, struct err *e)
{
	(void)op;
	c->dev_top_fd = c->dev_fd;
	return rootfs_attach_own(c, c->dev_fd, "dev", e);
}

static int add_node(int dev, int template, const char *name, struct err *e)
{
	_close_ int node = mount_clone(template, name, false, e), target = -1;

	if (node < 0)
		return err_wrap(e, "/dev/%s", name);
	target = openat(dev, name, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (target < 0)
		return err_sys(e, "/dev/%s", name);
	return mount_attach(node, target, e);
}

static int fill_own(int dev, int template, struct err *e)
{
	static const char *const nodes[] = {"null", "zero", "full", "random", "urandom", "tty"};
	static const char *const dirs[] = {"pts", "shm", "mqueue"};
	static const char *const links[][2] = {
		{"fd", "/proc/self/fd"},       {"stdin", "/proc/self/fd/0"},
		{"stdout", "/proc/self/fd/1"}, {"stderr", "/proc/self/fd/2"},
		{"ptmx", "pts/ptmx"},
	};
	int r = 0;

	for (size_t i = 0; r >= 0 && i < sizeof(nodes) / sizeof(nodes[0]); i++)
		r = add_node(dev, template, nodes[i], e);
	for (size_t i = 0; r >= 0 && i < sizeof(dirs) / sizeof(dirs[0]); i++)
		r = mkdirat(dev, dirs[i], 0755) < 0 ? err_sys(e, "/dev/%s", dirs[i]) : 0;
	for (size_t i = 0; r >= 0 && i < sizeof(links) / sizeof(links[0]); i++)
		r = symlinkat(links[i][1], dev, links[i][0]) < 0
			    ? err_sys(e, "/dev/%s", links[i][0])
			    : 0;
	return r;
}

int dev_own(struct child *c, const struct op *op, struct err *e)
{
	/* Nodes are mounts of their own: no file that is made in it is a device. */
	_close_ int dev =
		mount_new_tmpfs(UINT64_C(64) << 10, 0755,
				MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC, e);
	int r;

	(void)op;
	if (dev < 0)
		return dev;
	/*
	 * The kernel clones no mount from a tree that is in no mount namespace of ours
	 * (open_tree(2), EINVAL). So the template is attached first, and the container's own /dev
	 * covers it.
	 */
	r = rootfs_attach_own(c, c->dev_fd, "dev", e);
	if (r >= 0)
		r = rootfs_attach_own(c, dev, "dev", e);
	if (r < 0)
		return r;
	c->dev_top_fd = take_fd(&dev);
	return fill_own(c->dev_top_fd, c->dev_fd, e);
}

int dev_pts(struct child *c, const struct op *op, struct err *e)
{
	/*
	 * A full terminal is some 40 KiB of the kernel's, which no limit without a control group
	 * sees.
	 */
	static const struct mount_param params[] = {
		{"newinstance", NULL}, {"ptmxmode", "0666"}, {"mode", "0620"}, {"max", "1024"}};
	_close_ int fd = mount_new("devpts", params, 4, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC, e);

	(void)op;
	return fd < 0 ? fd : attach_in_dev(c, fd, "pts", e);
}

int dev_shm(struct child *c, const struct op *op, struct err *e)
{
	_close_ int fd = mount_new_tmpfs(
		op->bytes, 01777, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC, e);
	int r = fd < 0 ? fd : child_watch(c, fd, e);

	return r < 0 ? r : attach_in_dev(c, fd, "shm", e);
}

int dev_shm_host(struct child *c, const struct op *op, struct err *e)
{
	_close_ int fd = mount_clone(AT_FDCWD, "/dev/shm", false, e);
	int r;

	(void)op;
	if (fd < 0)
		return fd;
	r = mount_restrict(fd, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, false, e);
	return r < 0 ? r : attach_in_dev(c, fd, "shm", e);
}

int dev_mqueue(struct child *c, const struct op *op, struct err *e)
{
	_close_ int fd = mount_new("mqueue", NULL, 0,
				   MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC, e);

	(void)op;
	/* CONFIG_POSIX_MQUEUE is a choice of the kernel's builder, not a protection. */
	if (fd == -ENODEV)
		return 0;
	return fd < 0 ? fd : attach_in_dev(c, fd, "mqueue", e);
}
