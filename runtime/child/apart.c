/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/child/apart.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/kernel/loopback.h"
#include "runtime/kernel/mount_abi.h"
#include "runtime/kernel/mount_api.h"
#include "runtime/spec/plan.h"

#define ROOT_BYTES 65536u

static int attach_clone(int root, const char *host, const char *name)
{
	_close_ int clone = mount_clone(AT_FDCWD, host, true, NULL), place = -1;

	if (clone < 0 || mkdirat(root, name, 0555) < 0)
		return -1;
	place = openat(root, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return place < 0 ? -1 : mount_attach(clone, place, NULL);
}

/* As proc.c does it for one container: a directory behind an empty one, read-only. */
static int mask_directory(int root, int sys, const char *name)
{
	_close_ int target = openat(sys, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC),
		    clone = -1;

	if (target < 0)
		return errno == ENOENT || errno == ENOTDIR ? 0 : -1;
	clone = mount_clone(root, "empty", false, NULL);
	if (clone < 0 || mount_restrict(clone,
					MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC |
						MOUNT_ATTR_RDONLY,
					false, NULL) < 0)
		return -1;
	return mount_attach(clone, target, NULL);
}

/* The new network namespace ends with its last descriptor, and lo would be gone from /sys. */
static int attach_sys(int root, int *ret_net_fd)
{
	_close_ int lo = unshare(CLONE_NEWNET) < 0 ? -1 : loopback_up(), sys = -1, place = -1;

	if (lo < 0 || mkdirat(root, "sys", 0555) < 0 || mkdirat(root, "empty", 0755) < 0)
		return -1;
	/* The map of A need not have a root. */
	if (fchownat(root, "empty", 0, 0, 0) < 0 && errno != EINVAL)
		return -1;
	sys = mount_new(
		"sysfs", NULL, 0,
		MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC | MOUNT_ATTR_RDONLY, NULL);
	place = openat(root, "sys", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (sys < 0 || place < 0 || mount_attach(sys, place, NULL) < 0)
		return -1;
	for (const char *const *name = plan_sys_masks; *name; name++) {
		if (mask_directory(root, sys, *name) < 0)
			return -1;
	}
	*ret_net_fd = ioctl(lo, SIOCGSKNS);
	return *ret_net_fd < 0 ? -1 : 0;
}

int apart_make(int *ret_net_fd)
{
	_close_ int root = -1, net = -1, mounts = -1;

	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return -1;
	root = mount_new_tmpfs(ROOT_BYTES, 0755, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, NULL);
	if (root < 0 || attach_clone(root, "/proc", "proc") < 0)
		return -1;
	if (move_mount(root, "", AT_FDCWD, "/", MOVE_MOUNT_F_EMPTY_PATH) < 0 ||
	    attach_sys(root, &net) < 0 || fchdir(root) < 0)
		return -1;
	if (syscall(SYS_pivot_root, ".", ".") < 0 || umount2(".", MNT_DETACH) < 0)
		return -1;
	if (mount_restrict(root, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOEXEC, false, NULL) < 0)
		return -1;
	mounts = open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);
	if (mounts >= 0)
		*ret_net_fd = take_fd(&net);
	return take_fd(&mounts);
}

/* By the small namespace's own root, which is empty but for two directories, and read-only. */
static int cover(const char *path, struct err *e)
{
	_close_ int place = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), clone = -1;

	if (place < 0)
		return err_sys(e, "open %s", path);
	clone = mount_clone(AT_FDCWD, "/", false, e);
	return clone < 0 ? clone : mount_attach(clone, place, e);
}

int apart_open_sys(struct err *e)
{
	int fd = open("/sys", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	return fd < 0 ? err_sys(e, "open /sys") : fd;
}

int apart_enter_root(int root_fd, const char *clean_proc, bool has_sys, struct err *e)
{
	int r = has_sys ? cover("/sys", e) : 0;

	if (r >= 0)
		r = cover(clean_proc, e);
	if (r < 0)
		return err_wrap(e, "cover what is below the root");
	if (move_mount(root_fd, "", AT_FDCWD, "/", MOVE_MOUNT_F_EMPTY_PATH) < 0)
		return err_sys(e, "attach root");
	if (fchdir(root_fd) < 0 || chroot(".") < 0)
		return err_sys(e, "enter root");
	return 0;
}
