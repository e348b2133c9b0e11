/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cmd/engine/stream/stream.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/kernel/idle_poll.h"
#include "runtime/stream/detach_keys.h"

#define PIECE 32768u
#define BUFFER_BYTES (STREAM_FRAME_HEAD + PIECE)

struct buffer {
	unsigned char *bytes;
	size_t at, end;
};

struct pump_state {
	struct stream *s;
	struct buffer to_client, to_process;
	bool client_gone;
};

void stream_frame_head(unsigned char ret[STREAM_FRAME_HEAD], int stream, size_t len)
{
	const unsigned char head[STREAM_FRAME_HEAD] = {
		[0] = (unsigned char)stream,      [4] = (unsigned char)(len >> 24),
		[5] = (unsigned char)(len >> 16), [6] = (unsigned char)(len >> 8),
		[7] = (unsigned char)len,
	};

	memcpy(ret, head, sizeof(head));
}

static int open_one(int *ours, int *theirs, bool is_input, struct err *e)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_sys(e, "pipe");
	*ours = ends[is_input ? 1 : 0];
	*theirs = ends[is_input ? 0 : 1];
	(void)fcntl(*ours, F_SETFL, O_NONBLOCK);
	return 0;
}

int stream_open(struct stream *s, unsigned which, int theirs[3], struct err *e)
{
	int *const ours[] = {&s->in, &s->out, &s->err};
	int r = 0;

	for (int i = 0; i < 3; i++) {
		*ours[i] = theirs[i] = -1;
		if (r >= 0 && (which & (1u << i)))
			r = open_one(ours[i], &theirs[i], i == 0, e);
	}
	s->had_output = s->out >= 0 || s->err >= 0;
	for (int i = 0; r < 0 && i < 3; i++)
		fd_close(&theirs[i]);
	if (r < 0)
		stream_close(s);
	return r;
}

void stream_close(struct stream *s)
{
	fd_close(&s->in);
	fd_close(&s->out);
	fd_close(&s->err);
}

/* --- from the process to the client --------------------------------------------------------- */

static void write_client(struct pump_state *p)
{
	struct buffer *b = &p->to_client;
	ssize_t n =
		send(p->s->client, b->bytes + b->at, b->end - b->at, MSG_NOSIGNAL | MSG_DONTWAIT);

	if (n < 0 && errno != EAGAIN && errno != EINTR)
		p->client_gone = true;
	else if (n > 0)
		b->at += (size_t)n;
	if (b->at == b->end)
		b->at = b->end = 0;
}

static void read_output(struct pump_state *p, int *fd, int stream)
{
	struct buffer *b = &p->to_client;
	size_t head = p->s->is_raw ? 0 : STREAM_FRAME_HEAD;
	ssize_t n;

	if (b->end)
		return;
	n = read(*fd, b->bytes + head, PIECE);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		fd_close(fd);
		return;
	}
	if (head)
		stream_frame_head(b->bytes, stream, (size_t)n);
	b->end = head + (size_t)n;
	write_client(p);
}

/* --- from the client to the process --------------------------------------------------------- */

static void write_process(struct pump_state *p)
{
	struct buffer *b = &p->to_process;
	ssize_t n = write(p->s->in, b->bytes + b->at, b->end - b->at);

	if (n > 0)
		b->at += (size_t)n;
	/* It reads no more: we throw away the bytes that come. */
	if (n < 0 && errno != EAGAIN && errno != EINTR) {
		fd_close(&p->s->in);
		b->at = b->end;
	}
	if (b->at == b->end)
		b->at = b->end = 0;
}

static void read_client(struct pump_state *p)
{
	struct buffer *b = &p->to_process;
	ssize_t n = recv(p->s->client, b->bytes, PIECE - DETACH_KEYS_MAX, MSG_DONTWAIT);
	size_t len = n > 0 ? (size_t)n : 0;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n < 0) {
		p->client_gone = true;
		return;
	}
	p->s->client_ended = n == 0;
	if (n == 0 && !p->s->keeps_in)
		fd_close(&p->s->in);
	if (n > 0 && p->s->keys)
		p->s->is_left = detach_keys_take(p->s->keys, (char *)b->bytes, &len);
	if (len && p->s->in >= 0) {
		b->end = len;
		write_process(p);
	}
}

/* --- the loop ------------------------------------------------------------------------------- */

static void read_link(struct pump_state *p)
{
	char none[256];
	ssize_t n = recv(p->s->link, none, sizeof(none), MSG_DONTWAIT);

	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
		p->s->link_ended = true;
}

static bool is_done(const struct pump_state *p)
{
	if (p->to_client.end)
		return false;
	if (p->s->out >= 0 || p->s->err >= 0)
		return false;
	/* A stream of input alone lasts until the container reads it no more. */
	return p->s->had_output || p->s->link < 0 || (p->s->link_ended && p->s->in < 0);
}

enum { ON_CLIENT, ON_IN, ON_OUT, ON_ERR, ON_LINK, ON_MAX };

static void set_polls(const struct pump_state *p, struct pollfd polls[ON_MAX])
{
	const bool pending = p->to_client.end, given = p->to_process.end;
	const bool reads = !p->s->client_ended && !given;

	polls[ON_CLIENT] =
		(struct pollfd){.fd = p->s->client,
				.events = (short)((reads ? POLLIN : 0) | (pending ? POLLOUT : 0))};
	polls[ON_IN] = (struct pollfd){.fd = given || !p->s->had_output ? p->s->in : -1,
				       .events = given ? POLLOUT : 0};
	polls[ON_OUT] = (struct pollfd){.fd = pending ? -1 : p->s->out, .events = POLLIN};
	polls[ON_ERR] = (struct pollfd){.fd = pending ? -1 : p->s->err, .events = POLLIN};
	polls[ON_LINK] =
		(struct pollfd){.fd = p->s->link_ended ? -1 : p->s->link, .events = POLLIN};
}

static void handle(struct pump_state *p, const struct pollfd polls[ON_MAX])
{
	/* Both directions are shut: unlike a client that only ended its input. */
	if (polls[ON_CLIENT].revents & (POLLHUP | POLLERR))
		p->client_gone = true;
	else if (polls[ON_CLIENT].revents & POLLOUT)
		write_client(p);
	if (!p->client_gone && (polls[ON_CLIENT].revents & POLLIN))
		read_client(p);
	if (polls[ON_IN].revents && p->to_process.end)
		write_process(p);
	else if (polls[ON_IN].revents)
		fd_close(&p->s->in);
	if (polls[ON_OUT].revents)
		read_output(p, &p->s->out, 1);
	if (polls[ON_ERR].revents)
		read_output(p, &p->s->err, 2);
	if (polls[ON_LINK].revents)
		read_link(p);
}

/* An idle stream holds no memory for pieces: between two of them nothing is in the buffers. */
static int wait_for_one(struct pump_state *p, unsigned char *bytes, size_t len,
			struct pollfd polls[ON_MAX])
{
	const bool empty = !p->to_client.end && !p->to_process.end;

	set_polls(p, polls);
	return empty ? idle_poll_rest(polls, ON_MAX, bytes, len, &p->s->rest)
		     : idle_poll(polls, ON_MAX, -1, NULL, 0);
}

int stream_run(struct stream *s, const void *already, size_t already_len)
{
	unsigned char bytes[2 * BUFFER_BYTES];
	struct pump_state p = {
		.s = s,
		.to_client = {.bytes = bytes},
		.to_process = {.bytes = bytes + BUFFER_BYTES},
	};

	/* Bytes that came in one piece with the request. */
	if (already_len && s->in >= 0 && already_len <= PIECE) {
		memcpy(p.to_process.bytes, already, already_len);
		p.to_process.end = already_len;
	}
	while (!p.client_gone && !s->is_left && !is_done(&p)) {
		struct pollfd polls[ON_MAX];

		if (wait_for_one(&p, bytes, sizeof(bytes), polls) < 0 && errno != EINTR)
			break;
		handle(&p, polls);
		if (s->client_ended && !p.to_process.end && !s->keeps_in)
			fd_close(&s->in);
	}
	stream_close(s);
	return p.client_gone || s->is_left;
}
