/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/child/apart.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/kernel/mount_abi.h"
#include "runtime/kernel/mount_api.h"

#define ROOT_BYTES 65536u

static int attach_clone(int root, const char *host, const char *name)
{
	_close_ int clone = mount_clone(AT_FDCWD, host, true, NULL), place = -1;

	if (clone < 0 || mkdirat(root, name, 0555) < 0)
		return -1;
	place = openat(root, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return place < 0 ? -1 : mount_attach(clone, place, NULL);
}

int apart_make(void)
{
	_close_ int root = -1;

	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return -1;
	root = mount_new_tmpfs(ROOT_BYTES, 0755, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, NULL);
	if (root < 0 || attach_clone(root, "/proc", "proc") < 0 ||
	    attach_clone(root, "/sys", "sys") < 0)
		return -1;
	if (move_mount(root, "", AT_FDCWD, "/", MOVE_MOUNT_F_EMPTY_PATH) < 0 || fchdir(root) < 0)
		return -1;
	if (syscall(SYS_pivot_root, ".", ".") < 0 || umount2(".", MNT_DETACH) < 0)
		return -1;
	if (mount_restrict(root, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOEXEC, false, NULL) < 0)
		return -1;
	return open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);
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

int apart_enter_root(int root_fd, const char *clean_proc, struct err *e)
{
	int r = cover("/sys", e);

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
