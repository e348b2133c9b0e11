/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/helpers/squashd/devtree.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/kernel/mount_api.h"

static const struct node {
	const char *name;
	unsigned major, minor; /* Documentation/admin-guide/devices.txt */
} nodes[DEVTREE_NODES] = {
	{"null", 1, 3},   {"zero", 1, 5},    {"full", 1, 7},
	{"random", 1, 8}, {"urandom", 1, 9}, {"tty", 5, 0},
};

static const struct link {
	const char *name, *target;
} links[] = {
	{"fd", "/proc/self/fd"},       {"stdin", "/proc/self/fd/0"}, {"stdout", "/proc/self/fd/1"},
	{"stderr", "/proc/self/fd/2"}, {"core", "/proc/kcore"},      {"ptmx", "pts/ptmx"},
};

static const char *const dirs[] = {"pts", "shm", "mqueue"};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* The clone is checked, not the path: whatever lies at /dev/null, only the real node is bound. */
static int clone_node(const struct node *n, struct err *e)
{
	_close_ int tree = -1;
	struct stat st;
	char path[32];
	int r;

	snprintf(path, sizeof(path), "/dev/%s", n->name);
	tree = mount_clone(AT_FDCWD, path, false, e);
	if (tree < 0)
		return tree;
	if (fstat(tree, &st) < 0)
		return err_sys(e, "%s", path);
	if (!S_ISCHR(st.st_mode) || st.st_rdev != makedev(n->major, n->minor))
		return err_set(e, ENODEV, "%s: not the device it should be", path);
	r = mount_restrict(tree, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC, false,
			   e);
	return r < 0 ? err_wrap(e, "%s", path) : take_fd(&tree);
}

int devtree_open(struct devtree *ret, struct err *e)
{
	for (size_t i = 0; i < COUNT(nodes); i++) {
		ret->nodes[i] = clone_node(&nodes[i], e);
		if (ret->nodes[i] < 0)
			return ret->nodes[i];
	}
	return 0;
}

void devtree_close(struct devtree *d)
{
	for (size_t i = 0; i < COUNT(nodes); i++)
		fd_close(&d->nodes[i]);
}

static int attach_node(int dirfd, const char *name, int tree, struct err *e)
{
	_close_ int target =
		openat(dirfd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	int r;

	if (target < 0)
		return err_sys(e, "make /dev/%s", name);
	r = mount_attach(tree, target, e);
	return r < 0 ? err_wrap(e, "/dev/%s", name) : 0;
}

int devtree_fill(int dirfd, const struct devtree *d, struct err *e)
{
	int r;

	for (size_t i = 0; i < COUNT(nodes); i++) {
		r = attach_node(dirfd, nodes[i].name, d->nodes[i], e);
		if (r < 0)
			return r;
	}
	for (size_t i = 0; i < COUNT(links); i++) {
		if (symlinkat(links[i].target, dirfd, links[i].name) < 0)
			return err_sys(e, "make /dev/%s", links[i].name);
	}
	for (size_t i = 0; i < COUNT(dirs); i++) {
		if (mkdirat(dirfd, dirs[i], 0755) < 0)
			return err_sys(e, "make /dev/%s", dirs[i]);
	}
	return mount_restrict(dirfd, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC,
			      false, e);
}
