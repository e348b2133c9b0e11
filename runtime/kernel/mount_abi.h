/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_MOUNT_ABI_H
#define CSBX_RUNTIME_MOUNT_ABI_H

/*
 * The mount system calls of Linux 5.2 to 5.12: fsopen(2), fsconfig, fsmount, open_tree, move_mount,
 * mount_setattr. glibc has them since 2.36; a C library without them (musl) gets them here.
 */

#include <sys/mount.h>

#ifndef FSOPEN_CLOEXEC
#include <errno.h>
#include <linux/mount.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline int fsopen(const char *fstype, unsigned flags)
{
	return (int)syscall(SYS_fsopen, fstype, flags);
}

static inline int fsconfig(int fd, unsigned cmd, const char *key, const void *value, int aux)
{
	return (int)syscall(SYS_fsconfig, fd, cmd, key, value, aux);
}

static inline int fsmount(int fd, unsigned flags, unsigned attrs)
{
	return (int)syscall(SYS_fsmount, fd, flags, attrs);
}

static inline int open_tree(int dirfd, const char *path, unsigned flags)
{
	return (int)syscall(SYS_open_tree, dirfd, path, flags);
}

static inline int move_mount(int from_fd, const char *from, int to_fd, const char *to,
			     unsigned flags)
{
	return (int)syscall(SYS_move_mount, from_fd, from, to_fd, to, flags);
}

static inline int mount_setattr(int dirfd, const char *path, unsigned flags,
				struct mount_attr *attr, size_t bytes)
{
	return (int)syscall(SYS_mount_setattr, dirfd, path, flags, attr, bytes);
}
#endif

#endif
