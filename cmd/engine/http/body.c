/* SPDX-License-Identifier: Apache-2.0 */

/* A connection's bytes: heads, and bodies by length or in chunks (RFC 9112, 6 and 7.1). */

#include <stdlib.h>
#include <sys/socket.h>

#include "cmd/engine/http/http.h"
#include "runtime/base/clock.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/kernel/idle_poll.h"

#define IDLE_MS (15 * 60 * 1000) /* between two requests */
#define HEAD_MS (30 * 1000)      /* from a head's first byte to its last */
#define BODY_MS (120 * 1000)     /* between two pieces of a body */
#define CHUNK_LINE_MAX 64u
#define TRAILER_MAX 4096u
#define SKIP_MAX (1u << 20)

int http_conn_open(struct http_conn *c, int fd, struct err *e)
{
	*c = (struct http_conn){.fd = fd, .channel = -1, .body_ended = true};
	c->buf = malloc(HTTP_HEAD_MAX);
	c->memory = malloc(HTTP_HEAD_MAX + 1);
	if (c->buf && c->memory)
		return 0;
	http_conn_close(c);
	return err_oom(e);
}

void http_conn_close(struct http_conn *c)
{
	free(c->buf);
	free(c->memory);
	c->buf = c->memory = NULL;
}

void http_conn_leave(struct http_conn *c)
{
	fd_close(&c->fd);
	fd_close(&c->channel);
}

/* More bytes behind those that are there; 0 at the end. */
static ssize_t fill(struct http_conn *c, uint64_t deadline_ms, struct err *e)
{
	ssize_t n;

	if (c->at) {
		memmove(c->buf, c->buf + c->at, c->end - c->at);
		c->end -= c->at;
		c->at = 0;
	}
	if (c->end == HTTP_HEAD_MAX)
		return err_set(e, EMSGSIZE, "the head of the request is longer than 64 KiB");
	do {
		const uint64_t now_ms = clock_monotonic_ms();
		struct pollfd p = {.fd = c->fd, .events = POLLIN};
		int left_ms = now_ms < deadline_ms ? (int)(deadline_ms - now_ms) : 0;

		if (idle_poll(&p, 1, left_ms, NULL, 0) == 0)
			return err_set(e, ETIMEDOUT, "the client was silent for too long");
		n = recv(c->fd, c->buf + c->end, HTTP_HEAD_MAX - c->end, MSG_DONTWAIT);
	} while (n < 0 && (errno == EINTR || errno == EAGAIN));
	if (n < 0)
		return err_sys(e, "read from the client");
	c->end += (size_t)n;
	return n;
}

static void begin_request(struct http_conn *c)
{
	c->left_bytes = 0;
	c->in_chunk = c->continue_due = c->has_answered = false;
	c->body_ended = true;
}

static void skip_empty_lines(struct http_conn *c)
{
	while (c->at < c->end && (c->buf[c->at] == '\r' || c->buf[c->at] == '\n'))
		c->at++;
}

/* The length of the head that is next, once all of it is there; 0: the client has gone. */
static ssize_t await_head(struct http_conn *c, struct err *e)
{
	uint64_t deadline_ms = clock_monotonic_ms() + IDLE_MS;
	bool has_begun = false;

	for (;;) {
		size_t len;
		ssize_t n;

		skip_empty_lines(c);
		len = http_head_end(c->buf + c->at, c->end - c->at);
		if (len)
			return (ssize_t)len;
		if (!has_begun && c->at < c->end) {
			has_begun = true;
			deadline_ms = clock_monotonic_ms() + HEAD_MS;
		}
		n = fill(c, deadline_ms, e);
		if (!has_begun && (n == 0 || n == -ETIMEDOUT || n == -ECONNRESET))
			return 0;
		if (n <= 0)
			return n < 0 ? n : err_set(e, EBADMSG, "the client left within a head");
	}
}

int http_read_head(struct http_conn *c, struct err *e)
{
	ssize_t len;
	int r;

	begin_request(c);
	len = await_head(c, e);
	if (len <= 0)
		return (int)len;
	memcpy(c->memory, c->buf + c->at, (size_t)len);
	c->memory[len] = 0;
	c->at += (size_t)len;
	r = http_head_parse(c->memory, (size_t)len, &c->head, e);
	if (r < 0)
		return r;
	c->body_ended = !c->head.is_chunked && !c->head.length_bytes;
	c->left_bytes = c->head.length_bytes;
	c->continue_due = c->head.wants_continue && !c->body_ended;
	return 1;
}

/* --- bodies --------------------------------------------------------------------------------- */

static int more(struct http_conn *c, struct err *e)
{
	ssize_t n = fill(c, clock_monotonic_ms() + BODY_MS, e);

	if (n == 0)
		return err_set(e, EBADMSG, "the client left within a body");
	return n < 0 ? (int)n : 0;
}

/* A line of the chunked coding, without its end: at most CHUNK_LINE_MAX bytes. */
static int read_line(struct http_conn *c, char ret[CHUNK_LINE_MAX], size_t *ret_len, struct err *e)
{
	for (;;) {
		const char *line = c->buf + c->at;
		const char *newline = memchr(line, '\n', c->end - c->at);
		size_t len = newline ? (size_t)(newline - line) : c->end - c->at;

		if (len >= CHUNK_LINE_MAX)
			return err_set(e, EBADMSG, "a bad chunk");
		if (!newline) {
			int r = more(c, e);

			if (r < 0)
				return r;
			continue;
		}
		memcpy(ret, line, len);
		c->at += len + 1;
		if (len && ret[len - 1] == '\r')
			len--;
		ret[len] = 0;
		*ret_len = len;
		return 0;
	}
}

static int parse_chunk_size(const char *line, uint64_t *ret)
{
	const char *end = line + strspn(line, "0123456789abcdefABCDEF");

	/* At most 15 digits, so that the sum cannot overflow; an extension follows ';'. */
	if (end == line || end - line > 15)
		return -EBADMSG;
	end += strspn(end, " \t");
	if (*end && *end != ';')
		return -EBADMSG;
	*ret = strtoull(line, NULL, 16);
	return 0;
}

static int read_trailer(struct http_conn *c, struct err *e)
{
	char line[CHUNK_LINE_MAX];
	size_t total = 0, len;

	do {
		if (read_line(c, line, &len, e) < 0)
			return -e->code;
		total += len;
		if (total > TRAILER_MAX)
			return err_set(e, EBADMSG, "a bad chunk");
	} while (len);
	c->body_ended = true;
	return 0;
}

static int begin_chunk(struct http_conn *c, struct err *e)
{
	char line[CHUNK_LINE_MAX];
	size_t len;

	if (c->in_chunk) { /* the line's end behind the chunk before */
		if (read_line(c, line, &len, e) < 0)
			return -e->code;
		if (len)
			return err_set(e, EBADMSG, "a bad chunk");
	}
	if (read_line(c, line, &len, e) < 0)
		return -e->code;
	if (parse_chunk_size(line, &c->left_bytes) < 0)
		return err_set(e, EBADMSG, "a bad chunk");
	c->in_chunk = true;
	return c->left_bytes ? 0 : read_trailer(c, e);
}

/* A body that breaks off leaves nothing to go on with. */
static ssize_t broken(struct http_conn *c, ssize_t r)
{
	c->must_close = true;
	c->body_ended = true;
	return r;
}

ssize_t http_read_body(struct http_conn *c, void *buf, size_t len, struct err *e)
{
	static const char go_on[] = "HTTP/1.1 100 Continue\r\n\r\n";
	struct err own = ERR_INIT;
	size_t n;

	e = e ? e : &own;
	if (c->body_ended || !len)
		return 0;
	if (c->continue_due) {
		c->continue_due = false;
		if (io_write_all(c->fd, go_on, sizeof(go_on) - 1, e) < 0)
			return broken(c, -e->code);
	}
	if (c->head.is_chunked && !c->left_bytes) {
		if (begin_chunk(c, e) < 0)
			return broken(c, -e->code);
		if (c->body_ended)
			return 0;
	}
	if (c->at == c->end && more(c, e) < 0)
		return broken(c, -e->code);
	n = c->end - c->at;
	n = n < len ? n : len;
	n = n < c->left_bytes ? n : (size_t)c->left_bytes;
	memcpy(buf, c->buf + c->at, n);
	c->at += n;
	c->left_bytes -= n;
	if (!c->head.is_chunked && !c->left_bytes)
		c->body_ended = true;
	return (ssize_t)n;
}

/* We do not wait for the rest of it. */
static int too_long(struct http_conn *c, size_t max_bytes, struct err *e)
{
	c->must_close = true;
	return err_set(e, EFBIG, "the body is longer than %zu bytes", max_bytes);
}

int http_read_whole_body(struct http_conn *c, size_t max_bytes, struct strbuf *ret, struct err *e)
{
	char piece[16384];
	ssize_t n;

	if (c->head.has_length && c->head.length_bytes > max_bytes)
		return too_long(c, max_bytes, e);
	while ((n = http_read_body(c, piece, sizeof(piece), e)) > 0) {
		if (ret->len + (size_t)n > max_bytes)
			return too_long(c, max_bytes, e);
		strbuf_add(ret, piece, (size_t)n);
	}
	return n < 0 ? (int)n : strbuf_check(ret, e);
}

void http_skip_body(struct http_conn *c)
{
	char piece[16384];
	size_t total = 0;
	ssize_t n;

	/* A client that waits for "100 Continue" has not sent the body, and will not. */
	if (c->continue_due)
		c->must_close = true;
	while (!c->must_close && !c->body_ended) {
		n = http_read_body(c, piece, sizeof(piece), NULL);
		total += n > 0 ? (size_t)n : 0;
		if (n <= 0 || total > SKIP_MAX)
			break;
	}
	if (!c->body_ended)
		c->must_close = true;
}
