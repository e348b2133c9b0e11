/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/container/pause_hold.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/fd.h"
#include "runtime/life/container_end.h"

/* The socket alone does not tell: a copying process that has it too may outlive its parent. */
static void wait_for_end(int sock, int parent)
{
	struct pollfd fds[] = {{.fd = sock, .events = POLLIN}, {.fd = parent, .events = POLLIN}};

	while (poll(fds, 2, -1) < 0 && errno == EINTR)
		;
}

static _Noreturn void hold(int sock, int parent, const struct paths *p,
			   const struct container_record *container)
{
	bool paused = container_pause(p, container, true, NULL) >= 0;

	if (fd_send(sock, "", 1, NULL, 0, NULL) >= 0)
		wait_for_end(sock, parent);
	if (paused)
		(void)container_pause(p, container, false, NULL);
	_exit(0);
}

void pause_hold_begin(struct pause_hold *h, const struct paths *p,
		      const struct container_record *container)
{
	_close_ int parent = (int)syscall(SYS_pidfd_open, getpid(), 0);
	int pair[2];
	sigset_t all, old;
	char c;

	if (parent < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	h->pid = fork();
	if (!h->pid) {
		close(pair[0]);
		hold(pair[1], parent, p, container);
	}
	sigprocmask(SIG_SETMASK, &old, NULL);
	close(pair[1]);
	h->sock = pair[0];
	if (h->pid < 0)
		fd_close(&h->sock);
	else
		(void)fd_recv(h->sock, &c, 1, NULL, 0, NULL);
}

void pause_hold_end(struct pause_hold *h)
{
	if (h->sock < 0)
		return;
	fd_close(&h->sock);
	while (waitpid(h->pid, NULL, 0) < 0 && errno == EINTR)
		;
}
