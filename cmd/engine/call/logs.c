/* SPDX-License-Identifier: Apache-2.0 */

/* GET /containers/?/logs: lines as frames, or raw of a terminal, each a chunk of its own. */

#include <stdlib.h>

#include "cmd/docker/daemon/logs.h"
#include "cmd/docker/daemon/target.h"
#include "cmd/docker/frame/fault.h"
#include "cmd/docker/show/log_time.h"
#include "cmd/engine/call/call.h"
#include "cmd/engine/call/doze.h"
#include "cmd/engine/call/wake.h"
#include "cmd/engine/stream/stream.h"
#include "cmd/frame/cmd.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/num.h"

struct log_reply {
	struct call *call;
	const struct docker_logs *how;
	bool timestamps, details, is_raw;
};

static int send_line(void *arg, uint64_t time_ns, int stream, const char *text, size_t len,
		     struct err *e)
{
	const struct log_reply *x = arg;
	_strbuf_ struct strbuf line = STRBUF_INIT, out = STRBUF_INIT;
	unsigned char head[STREAM_FRAME_HEAD];

	if (x->timestamps)
		docker_log_time(time_ns, &line);
	if (x->details)
		strbuf_addch(&line, ' ');
	strbuf_add(&line, text, len);
	stream_frame_head(head, stream, line.len);
	if (!x->is_raw)
		strbuf_add(&out, head, sizeof(head));
	strbuf_add(&out, strbuf_str(&line), line.len);
	if (strbuf_check(&line, e) < 0 || strbuf_check(&out, e) < 0)
		return -ENOMEM;
	return http_reply_piece(x->call->conn, strbuf_str(&out), out.len);
}

static int read_time(struct call *k, const char *name, uint64_t *ret)
{
	_free_ char *text = NULL;
	struct err e = ERR_INIT;

	if (call_query(k, name, &text) < 0)
		return -EINVAL;
	if (!text || !*text || str_eq(text, "0"))
		return 0;
	if (docker_log_time_parse(text, ret) == 0)
		return 0;
	err_set(&e, EINVAL,
		"invalid value for \"%s\": failed to parse value as time or duration: "
		"\"%s\"",
		name, text);
	call_reply_err(k, &e);
	return -EINVAL;
}

static int read_query(struct call *k, struct docker_logs *how)
{
	_free_ char *tail = NULL;

	how->follow = call_query_true(k, "follow");
	how->streams =
		(call_query_true(k, "stdout") ? 2u : 0) | (call_query_true(k, "stderr") ? 4u : 0);
	if (!how->streams) {
		http_reply_error(k->conn, 400,
				 "Bad parameters: you must choose at least one stream");
		return -EINVAL;
	}
	if (read_time(k, "since", &how->since_ns) < 0 ||
	    read_time(k, "until", &how->until_ns) < 0 || call_query(k, "tail", &tail) < 0)
		return -EINVAL;
	how->tail = UINT64_MAX;
	if (tail && num_parse_u64(tail, UINT64_MAX - 1, &how->tail) < 0)
		how->tail = UINT64_MAX;
	return 0;
}

static void doze_off(void *arg, const struct docker_logs_place *place, const struct pollfd *p,
		     nfds_t n)
{
	const struct log_reply *x = arg;
	struct doze d;

	call_doze_begin(x->call, DOZE_LOGS, x->call->item, &d);
	d.logs = (struct doze_logs){*place,          x->how->since_ns, x->how->until_ns,
				    x->how->streams, x->timestamps,    x->details,
				    x->is_raw};
	call_doze_fd(&d, place->dir.fd);
	call_doze_fd(&d, place->dir.lock_fd);
	call_doze_fd(&d, place->reader.fd);
	call_doze_fd(&d, place->files);
	call_doze_fd(&d, place->supervisor);
	call_doze(x->call, &d, p, n);
}

/* Errors from now on can only be told by an answer without a proper end. */
static void send_lines(struct log_reply *x, const struct docker_target *t)
{
	struct docker_fault f = DOCKER_FAULT_INIT;
	struct call *k = x->call;

	if (docker_logs(&k->cmd->paths, t, k->item, x->how, &f) < 0)
		k->conn->must_close = true;
	else
		http_reply_end(k->conn);
}

void call_logs_wake(struct call *k, struct doze *d)
{
	const struct doze_logs *l = &d->logs;
	struct log_reply x = {k, NULL, l->timestamps, l->details, l->is_raw};
	const struct docker_logs how = {.follow = true,
					.since_ns = l->since_ns,
					.until_ns = l->until_ns,
					.tail = UINT64_MAX,
					.streams = l->streams,
					.line = send_line,
					.arg = &x,
					.client_fd = k->conn->fd,
					.rest = doze_off,
					.from = &l->place};

	x.how = &how;
	send_lines(&x, NULL);
}

void call_container_logs(struct call *k)
{
	struct log_reply x = {.call = k,
			      .timestamps = call_query_true(k, "timestamps"),
			      .details = call_query_true(k, "details")};
	struct docker_logs how = {
		.line = send_line, .arg = &x, .client_fd = k->conn->fd, .rest = doze_off};
	struct docker_fault f = DOCKER_FAULT_INIT;
	struct http_reply reply = {.status = 200};
	struct docker_target t;

	if (read_query(k, &how) < 0)
		return;
	if (docker_target_open(&k->cmd->paths, k->item, &t, &f) < 0) {
		call_reply_fault(k, &f);
		docker_target_close(&t);
		return;
	}
	x.how = &how;
	x.is_raw = call_target_has_tty(&t);
	reply.type = k->minor < 42 ? NULL
		     : x.is_raw    ? "application/vnd.docker.raw-stream"
				   : "application/vnd.docker.multiplexed-stream";
	if (http_reply_begin(k->conn, &reply) >= 0)
		send_lines(&x, &t);
	docker_target_close(&t);
}
