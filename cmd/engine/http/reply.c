/* SPDX-License-Identifier: Apache-2.0 */

/* Answers. A client that has gone ends its connection, and is no error of anything. */

#include <linux/sockios.h>
#include <poll.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <time.h>

#include "cmd/docker/frame/docker.h"
#include "cmd/engine/http/http.h"
#include "runtime/base/clock.h"
#include "runtime/base/err.h"
#include "runtime/base/io.h"
#include "runtime/base/json/out.h"

#define TAKEN_MS 30000
#define PAUSE_MAX_NS 4000000

const char *http_status_text(int status)
{
	static const struct {
		int status;
		const char *text;
	} texts[] = {
		{101, "UPGRADED"},
		{200, "OK"},
		{201, "Created"},
		{204, "No Content"},
		{304, "Not Modified"},
		{400, "Bad Request"},
		{401, "Unauthorized"},
		{403, "Forbidden"},
		{404, "Not Found"},
		{408, "Request Timeout"},
		{409, "Conflict"},
		{413, "Content Too Large"},
		{431, "Request Header Fields Too Large"},
		{500, "Internal Server Error"},
		{501, "Not Implemented"},
		{503, "Service Unavailable"},
		{505, "HTTP Version Not Supported"},
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (texts[i].status == status)
			return texts[i].text;
	}
	return "Unknown";
}

static int send_all(struct http_conn *c, const struct strbuf *b)
{
	int r = strbuf_check(b, NULL);

	if (r >= 0)
		r = io_write_all(c->fd, strbuf_str(b), b->len, NULL);
	if (r < 0)
		c->must_close = true;
	return r;
}

static void add_date(struct strbuf *out)
{
	time_t now = time(NULL);
	struct tm t;
	char text[64];

	gmtime_r(&now, &t);
	if (strftime(text, sizeof(text), "%a, %d %b %Y %H:%M:%S GMT", &t))
		strbuf_addf(out, "Date: %s\r\n", text);
}

/* The lines with which every answer begins. */
static void add_common(struct http_conn *c, int status, struct strbuf *out)
{
	c->has_answered = true;
	strbuf_addf(out, "HTTP/1.1 %d %s\r\n", status, http_status_text(status));
	strbuf_addstr(out, "Api-Version: " DOCKER_API_VERSION "\r\nDocker-Experimental: false\r\n"
			   "Ostype: linux\r\nServer: csbx/" CSBX_VERSION " (linux)\r\n");
}

static void add_head(struct http_conn *c, const struct http_reply *r, struct strbuf *out)
{
	add_common(c, r->status, out);
	add_date(out);
	if (r->type)
		strbuf_addf(out, "Content-Type: %s\r\n", r->type);
	strbuf_addstr(out, r->lines ? r->lines : "");
	if (c->must_close || !c->head.keeps_alive)
		strbuf_addstr(out, "Connection: close\r\n");
	else if (c->head.is_old)
		strbuf_addstr(out, "Connection: keep-alive\r\n");
}

void http_reply(struct http_conn *c, const struct http_reply *r, const void *body, size_t len)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;

	add_head(c, r, &out);
	if (r->status != 204 && r->status != 304)
		strbuf_addf(&out, "Content-Length: %zu\r\n", len);
	strbuf_addstr(&out, "\r\n");
	if (c->head.method != HTTP_HEAD && len)
		strbuf_add(&out, body, len);
	(void)send_all(c, &out);
}

void http_reply_error(struct http_conn *c, int status, const char *message)
{
	const struct http_reply r = {status, HTTP_TYPE_JSON, NULL};
	struct json_out j = JSON_OUT_INIT;

	json_begin_object(&j);
	json_kstr(&j, "message", message);
	json_end_object(&j);
	if (json_finish(&j, NULL) >= 0) {
		strbuf_addch(&j.buf, '\n');
		http_reply(c, &r, j.buf.data, j.buf.len);
	} else {
		c->must_close = true;
	}
	json_out_free(&j);
}

void http_reply_empty(struct http_conn *c, int status)
{
	const struct http_reply r = {.status = status};

	http_reply(c, &r, NULL, 0);
}

int http_reply_begin(struct http_conn *c, const struct http_reply *r)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;

	/* The end of the connection is the end of the body for a client that knows no chunks. */
	if (c->head.is_old)
		c->must_close = true;
	add_head(c, r, &out);
	strbuf_addstr(&out, c->head.is_old ? "\r\n" : "Transfer-Encoding: chunked\r\n\r\n");
	return send_all(c, &out);
}

int http_reply_piece(struct http_conn *c, const void *data, size_t len)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;

	if (!len || c->head.method == HTTP_HEAD)
		return 0;
	if (!c->head.is_old)
		strbuf_addf(&out, "%zx\r\n", len);
	strbuf_add(&out, data, len);
	if (!c->head.is_old)
		strbuf_addstr(&out, "\r\n");
	return send_all(c, &out);
}

void http_reply_end(struct http_conn *c)
{
	static const char end[] = "0\r\n\r\n";

	if (!c->must_close && !c->head.is_old && c->head.method != HTTP_HEAD &&
	    io_write_all(c->fd, end, sizeof(end) - 1, NULL) < 0)
		c->must_close = true;
}

/*
 * Until the client has read all that was sent, or has gone. A busy client takes its time and cannot
 * get lost bytes again, so the bound is only for one that never reads.
 */
static void wait_until_taken(int fd)
{
	const uint64_t deadline_ms = clock_monotonic_ms() + TAKEN_MS;
	struct timespec pause = {.tv_nsec = 250000};
	struct pollfd p = {.fd = fd};
	int queued = 0;

	while (ioctl(fd, SIOCOUTQ, &queued) == 0 && queued) {
		if (clock_monotonic_ms() > deadline_ms || poll(&p, 1, 0) > 0)
			return;
		nanosleep(&pause, NULL);
		if (pause.tv_nsec < PAUSE_MAX_NS)
			pause.tv_nsec *= 2;
	}
}

int http_hijack(struct http_conn *c, const char *type)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;

	add_common(c, c->head.wants_upgrade ? 101 : 200, &out);
	strbuf_addf(&out, "Content-Type: %s\r\n", type);
	strbuf_addstr(&out, c->head.wants_upgrade ? "Connection: Upgrade\r\nUpgrade: tcp\r\n\r\n"
						  : "\r\n");
	if (send_all(c, &out) < 0)
		return -EPIPE;
	c->must_close = true;
	wait_until_taken(c->fd);
	return 0;
}
