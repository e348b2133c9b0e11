/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/kernel/process_ns.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/tap.h"

static bool is_the_one(int fd, const char *path)
{
	struct stat a, b;
	bool is = fd >= 0 && fstat(fd, &a) == 0 && stat(path, &b) == 0 && a.st_dev == b.st_dev &&
		  a.st_ino == b.st_ino && fcntl(fd, F_GETFD) == FD_CLOEXEC;

	if (fd >= 0)
		close(fd);
	return is;
}

int main(void)
{
	int pidfd;
	pid_t pid;

	ok(is_the_one(process_ns_own(PROCESS_NS_USER), "/proc/self/ns/user"), "own user namespace");
	ok(is_the_one(process_ns_own(PROCESS_NS_MNT), "/proc/self/ns/mnt"), "own mount namespace");
	pid = fork();
	if (!pid) {
		pause();
		_exit(0);
	}
	pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	ok(is_the_one(process_ns(pidfd, pid, PROCESS_NS_MNT), "/proc/self/ns/mnt"), "a child's");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	ok(process_ns(pidfd, pid, PROCESS_NS_MNT) == -ESRCH, "a process that has gone has none");
	return done_testing();
}
