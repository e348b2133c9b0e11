/* SPDX-License-Identifier: Apache-2.0 */
/* A server that could not be set up tells those who wait for it why. */
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/helpers/squashd/server.h"

static void answer_waiting(const struct squashd_reply *reply)
{
	int fd, passed[SQUASHD_STAND_MAX];
	struct squashd_request q;

	while ((fd = accept4(LISTEN_FD, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0) {
		struct pollfd p = {.fd = fd, .events = POLLIN};

		if (poll(&p, 1, FIRST_CLIENT_MS) > 0 &&
		    fd_recv(fd, &q, sizeof(q), passed, SQUASHD_STAND_MAX, NULL) > 0) {
			(void)fd_send(fd, reply, sizeof(*reply), NULL, 0, NULL);
			for (int i = 0; i < SQUASHD_STAND_MAX; i++)
				fd_close(&passed[i]);
		}
		close(fd);
	}
}

/*
 * No process reads our stderr: the reason goes to the clients that wait, at least to the one that
 * started us. Those that come after the last look start another server and hear it from that one.
 */
void clients_refuse_all(struct server *s, const struct err *e)
{
	struct squashd_reply reply = {.magic = SQUASHD_PROTO_MAGIC};
	struct pollfd p = {.fd = LISTEN_FD, .events = POLLIN};

	reply.code = e->code;
	snprintf(reply.msg, sizeof(reply.msg), "%.*s", (int)sizeof(reply.msg) - 1, e->msg);
	(void)poll(&p, 1, FIRST_CLIENT_MS);
	answer_waiting(&reply);
	server_unlink_socket(s);
	answer_waiting(&reply);
}
