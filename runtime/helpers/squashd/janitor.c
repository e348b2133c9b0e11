/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/helpers/squashd/janitor.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"

/* A server that dies without a word leaves its name to the next start, as any dead server does. */
static void run_janitor(int sock, int dirfd, const char *name)
{
	char c;

	if (read(sock, &c, 1) == 1) {
		(void)unlinkat(dirfd, name, 0);
		if (write(sock, &c, 1) != 1)
			_exit(1);
	}
	_exit(0);
}

/* No descriptor of the server's may stay open here: the FUSE mount would outlive it. */
static void keep_two(int *sock, int *dirfd)
{
	if (dup2(*sock, 0) < 0 || dup2(*dirfd, 1) < 0)
		_exit(1);
	*sock = 0;
	*dirfd = 1;
	fd_close_from(2);
}

int janitor_start(int dirfd, const char *name, struct err *e)
{
	int pair[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return err_sys(e, "socketpair");
	pid = fork();
	if (!pid) {
		keep_two(&pair[1], &dirfd);
		run_janitor(pair[1], dirfd, name);
	}
	close(pair[1]);
	if (pid < 0) {
		close(pair[0]);
		return err_sys(e, "fork");
	}
	return pair[0];
}

void janitor_unlink(int fd)
{
	char c = 1;

	if (write(fd, &c, 1) == 1 && read(fd, &c, 1) < 0)
		return;
}
