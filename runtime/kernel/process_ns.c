/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/kernel/process_ns.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/fd.h"

static const struct {
	const char *name;
	unsigned long request; /* PIDFD_GET_MNT_NAMESPACE, PIDFD_GET_USER_NAMESPACE */
} kinds[] = {
	[PROCESS_NS_MNT] = {"mnt", _IO(0xFF, 3)},
	[PROCESS_NS_USER] = {"user", _IO(0xFF, 9)},
};

/* The number may be another process's by now: one whose pidfd is still alive has it. */
static int by_proc(int pidfd, pid_t pid, enum process_ns which)
{
	char path[40];
	_close_ int fd = -1;

	snprintf(path, sizeof(path), "/proc/%d/ns/%s", (int)pid, kinds[which].name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	return syscall(SYS_pidfd_send_signal, pidfd, 0, NULL, 0) < 0 ? -ESRCH : take_fd(&fd);
}

int process_ns(int pidfd, pid_t pid, enum process_ns which)
{
	int fd = ioctl(pidfd, kinds[which].request, 0);

	/* ESRCH: of a leader that has ended before other threads, which /proc tells still. */
	if (fd >= 0 || (errno != ENOTTY && errno != EINVAL && errno != ESRCH))
		return fd < 0 ? -errno : fd;
	return by_proc(pidfd, pid, which);
}

int process_ns_own(enum process_ns which)
{
	_close_ int self = (int)syscall(SYS_pidfd_open, getpid(), 0);

	return self < 0 ? -errno : process_ns(self, getpid(), which);
}
