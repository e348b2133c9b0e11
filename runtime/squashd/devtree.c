/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/squashd/devtree.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/mount_api.h"

static const struct node {
	const char *name;
	unsigned major, minor; /* Documentation/admin-guide/devices.txt */
} nodes[] = {
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
static int bind_node(int dirfd, const struct node *n, struct err *e)
{
	_close_ int tree = -1, target = -1;
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
	target = openat(dirfd, n->name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (target < 0)
		return err_sys(e, "make %s", path);
	r = mount_restrict(tree, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC, false, e);
	if (r >= 0)
		r = mount_attach(tree, target, e);
	return r < 0 ? err_wrap(e, "%s", path) : 0;
}

int devtree_fill(int dirfd, struct err *e)
{
	int r;

	for (size_t i = 0; i < COUNT(nodes); i++) {
		r = bind_node(dirfd, &nodes[i], e);
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
