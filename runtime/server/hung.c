/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/server/hung.h"

#include <poll.h>
#include <sys/socket.h>

#include "runtime/server/proto.h"

void server_ping(int sock)
{
	struct squashd_request q = {.magic = SQUASHD_PROTO_MAGIC, .type = SQUASHD_STATUS};

	if (sock >= 0)
		(void)send(sock, &q, sizeof(q), MSG_DONTWAIT | MSG_NOSIGNAL);
}

bool server_has_answered(int sock)
{
	struct squashd_reply reply;

	return recv(sock, &reply, sizeof(reply), MSG_DONTWAIT) == (ssize_t)sizeof(reply);
}

bool server_is_gone(int sock)
{
	struct pollfd p = {.fd = sock};

	return poll(&p, 1, 0) > 0 && p.revents & POLLHUP;
}
