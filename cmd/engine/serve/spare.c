/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The process for the next connection, made while nothing is to be done: a fork costs a request that
 * has to wait for it more than all the rest of a small answer. The listener, which alone has the
 * socket, accepts the connection and sends it.
 */

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/engine/serve/serve.h"
#include "cmd/engine/serve/spare.h"
#include "runtime/base/fd.h"

#define STACK_BYTES (24u << 10) /* that an ordinary request uses */

/* The kernel then gives these pages now, and not one by one while a client waits. */
static __attribute__((noinline)) void touch_stack(void)
{
	volatile char pages[STACK_BYTES];

	for (size_t i = 0; i < sizeof(pages); i += 1024)
		pages[i] = 0;
}

int spare_take(int listener)
{
	char byte;
	int fd = -1;

	touch_stack();
	/* Nothing comes where the listener ends, or was killed. */
	(void)fd_recv(listener, &byte, 1, &fd, 1, NULL);
	close(listener);
	return fd;
}

void spare_make(struct cmd *c, struct engine_listener *l, spare_child *child)
{
	int ends[2];

	if (l->spare || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return;
	l->spare = fork();
	if (!l->spare) {
		close(ends[0]);
		child(c, l, ends[1]);
	}
	close(ends[1]);
	l->spare_fd = ends[0];
	if (l->spare < 0) {
		l->spare = 0;
		fd_close(&l->spare_fd);
	}
}

bool spare_give(struct engine_listener *l, int fd)
{
	const bool given = l->spare && fd_try_send(l->spare_fd, "", 1, &fd, 1, NULL) >= 0;

	/* One that was killed stays on record until its end is told. */
	if (given)
		l->spare = 0;
	fd_close(&l->spare_fd);
	return given;
}

void spare_end(struct engine_listener *l)
{
	fd_close(&l->spare_fd);
	if (l->spare)
		(void)waitpid(l->spare, NULL, 0);
	l->spare = 0;
}
