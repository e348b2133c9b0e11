/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_BASE_LINUX_CALLS_H
#define CSBX_BASE_LINUX_CALLS_H

/* System calls that glibc declares and musl does not: renameat2(2), close_range(2), statx(2). */

#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef __GLIBC__
#include <linux/stat.h>

#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE (1u << 0)
#define RENAME_EXCHANGE (1u << 1)
#endif

static inline int renameat2(int from_fd, const char *from, int to_fd, const char *to,
			    unsigned flags)
{
	return (int)syscall(SYS_renameat2, from_fd, from, to_fd, to, flags);
}

static inline int close_range(unsigned first, unsigned last, int flags)
{
	return (int)syscall(SYS_close_range, first, last, flags);
}

static inline int statx(int dirfd, const char *path, int flags, unsigned mask, struct statx *ret)
{
	return (int)syscall(SYS_statx, dirfd, path, flags, mask, ret);
}
#endif

#endif
