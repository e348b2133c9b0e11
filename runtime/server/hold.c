/* SPDX-License-Identifier: Apache-2.0 */
/* What a container that is attached tells its server: of itself, and what it leaves behind. */
#include "runtime/server/client.h"

#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"

#define TAKEN_MS 50 /* one that does not answer is busy, or stopped */

int squashd_take_spare(int sock, uint32_t linger_ms, struct err *e)
{
	const struct squashd_request q = {
		.magic = SQUASHD_PROTO_MAGIC, .type = SQUASHD_TAKEN, .linger_ms = linger_ms};

	return fd_send(sock, &q, sizeof(q), NULL, 0, e);
}

int squashd_spare_is_taken(int sock, struct err *e)
{
	struct pollfd p = {.fd = sock, .events = POLLIN};
	struct squashd_reply reply;
	ssize_t n =
		poll(&p, 1, TAKEN_MS) > 0 ? fd_recv(sock, &reply, sizeof(reply), NULL, 0, e) : 0;

	if (n == (ssize_t)sizeof(reply) && reply.magic == SQUASHD_PROTO_MAGIC && !reply.code)
		return 0;
	return err_set(e, EPIPE, "the image server goes, and its spares");
}

void squashd_keep_mounts(int sock, int mounts_fd)
{
	const struct squashd_request q = {.magic = SQUASHD_PROTO_MAGIC, .type = SQUASHD_KEEP};

	if (mounts_fd >= 0)
		(void)fd_send_patient(sock, &q, sizeof(q), &mounts_fd, 1, NULL);
}

void squashd_lend_apart(const struct squashd_link *l, const int fds[2])
{
	const struct squashd_request q = {
		.magic = SQUASHD_PROTO_MAGIC, .type = SQUASHD_APART, .apart_id = l->apart_id};

	(void)fd_send(l->sock, &q, sizeof(q), fds, 2, NULL);
}

void squashd_leave(int sock, int mounts_fd, const struct net_traces *net)
{
	struct squashd_request q = {.magic = SQUASHD_PROTO_MAGIC, .type = SQUASHD_LEFT};
	int all[SQUASHD_LEFT_MAX], fds[SQUASHD_LEFT_MAX];
	unsigned n = 0;

	all[SQUASHD_LEFT_MOUNTS] = mounts_fd;
	all[SQUASHD_LEFT_NET] = net ? net->ns_fd : -1;
	for (unsigned i = 0; i < NET_TRACES; i++)
		all[SQUASHD_LEFT_TRACES + i] = all[SQUASHD_LEFT_NET] >= 0 ? net->fds[i] : -1;
	for (unsigned i = 0; i < SQUASHD_LEFT_MAX; i++) {
		if (all[i] < 0)
			continue;
		q.left |= 1u << i;
		fds[n++] = all[i];
	}
	if (n)
		(void)fd_send(sock, &q, sizeof(q), fds, n, NULL);
}

int squashd_stand_in(int sock, const char *id, bool is_kept, const int *fds, unsigned n,
		     struct err *e)
{
	struct squashd_request q = {
		.magic = SQUASHD_PROTO_MAGIC, .type = SQUASHD_STAND_IN, .is_kept = is_kept};
	int r;

	snprintf(q.id, sizeof(q.id), "%s", id);
	r = fd_send_patient(sock, &q, sizeof(q), fds, n, e);
	return r < 0 ? err_from(ERR_IMAGE_SERVER, e, err_wrap(e, "image server")) : 0;
}
