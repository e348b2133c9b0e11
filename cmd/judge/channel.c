/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/judge/channel.h"

#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>

#include "cmd/judge/seal.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"

#define PACKETS_AT_ONCE 256 /* then the rest of the supervisor's loop has its turn */

int channel_open(struct channel *c, channel_record_fn *record, void *ctx, struct err *e)
{
	unsigned char random[CHANNEL_SECRET_DIGITS / 2];
	int pair[2], on = 1;

	*c = (struct channel)CHANNEL_INIT;
	c->record = record;
	c->ctx = ctx;
	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		return err_sys(e, "random secret");
	for (size_t i = 0; i < sizeof(random); i++) {
		c->secret[2 * i] = "0123456789abcdef"[random[i] >> 4];
		c->secret[2 * i + 1] = "0123456789abcdef"[random[i] & 15];
	}
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return err_sys(e, "channel to the container");
	c->fd = pair[0];
	c->guest_fd = pair[1];
	if (setsockopt(c->fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) < 0)
		return err_sys(e, "channel to the container");
	return 0;
}

bool channel_packet(struct channel *c, const char *packet, size_t len, bool is_whole, pid_t sender)
{
	char seal[SEAL_DIGITS];

	c->n_bytes += len;
	if (is_whole && len >= SEAL_DIGITS)
		seal_make(c->secret, c->n_records, packet + SEAL_DIGITS, len - SEAL_DIGITS, seal);
	if (c->n_bytes > CHANNEL_BYTES_MAX)
		c->is_deaf = true;
	if (!is_whole || len < SEAL_DIGITS || memcmp(packet, seal, SEAL_DIGITS) != 0 ||
	    (c->sender && sender != c->sender)) {
		if (++c->n_refused > CHANNEL_REFUSED_MAX)
			c->is_deaf = true;
		return false;
	}
	c->sender = sender;
	c->n_records++;
	if (c->record(c->ctx, packet + SEAL_DIGITS, len - SEAL_DIGITS) < 0)
		c->n_malformed++;
	return true;
}

static pid_t sender_of(struct msghdr *msg)
{
	for (struct cmsghdr *m = CMSG_FIRSTHDR(msg); m; m = CMSG_NXTHDR(msg, m)) {
		struct ucred cred;

		if (m->cmsg_level != SOL_SOCKET || m->cmsg_type != SCM_CREDENTIALS)
			continue;
		memcpy(&cred, CMSG_DATA(m), sizeof(cred));
		return cred.pid;
	}
	return -1;
}

/*
 * One packet: 1, 0 when there is none, -1 when none will come. Descriptors that somebody sends
 * along find no room and are closed by the kernel. An empty packet looks like the end of file,
 * which cannot come while we hold guest_fd.
 */
static int receive(struct channel *c, char *packet)
{
	union {
		char room[CMSG_SPACE(sizeof(struct ucred))];
		struct cmsghdr align;
	} control;
	struct iovec iov = {packet, CHANNEL_PACKET_MAX};
	struct msghdr msg = {.msg_iov = &iov,
			     .msg_iovlen = 1,
			     .msg_control = &control,
			     .msg_controllen = sizeof(control)};
	ssize_t n = recvmsg(c->fd, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -1;
	channel_packet(c, packet, (size_t)n, !(msg.msg_flags & MSG_TRUNC), sender_of(&msg));
	if (!c->is_deaf)
		return 1;
	/* A program that goes on writing gets EPIPE instead of waiting for ever. */
	shutdown(c->fd, SHUT_RDWR);
	return -1;
}

int channel_handle(void *channel)
{
	struct channel *c = channel;
	_free_ char *packet = c->is_deaf ? NULL : malloc(CHANNEL_PACKET_MAX);
	int r = packet ? 1 : -1;

	for (int i = 0; i < PACKETS_AT_ONCE && r > 0; i++)
		r = receive(c, packet);
	return r < 0 ? r : 0;
}

void channel_drain(struct channel *c)
{
	_free_ char *packet = malloc(CHANNEL_PACKET_MAX);

	while (packet && !c->is_deaf && receive(c, packet) > 0)
		;
}

void channel_close(struct channel *c)
{
	fd_close(&c->fd);
	fd_close(&c->guest_fd);
}
