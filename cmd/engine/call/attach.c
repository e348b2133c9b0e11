/* SPDX-License-Identifier: Apache-2.0 */

/*
 * POST /containers/?/attach. The client's connection is a pipe to a container that runs, or to one
 * that is about to: the process that starts it takes the streams along, so that the first byte is
 * not lost.
 */

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cmd/docker/daemon/logs.h"
#include "cmd/docker/daemon/target.h"
#include "cmd/docker/frame/fault.h"
#include "cmd/docker/show/events.h"
#include "cmd/engine/call/call.h"
#include "cmd/engine/stream/stream.h"
#include "cmd/frame/cmd.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/exec/client.h"
#include "runtime/kernel/idle_poll.h"
#include "runtime/life/container_state.h"
#include "runtime/spec/flat.h"
#include "runtime/stream/detach_keys.h"

bool call_target_has_tty(const struct docker_target *t)
{
	const struct container_record *rec = &t->found.record;
	struct container_spec spec;
	bool tty;

	if (!t->stays || !rec->spec)
		return false;
	spec_init(&spec);
	tty = spec_flat_read(&spec, rec->spec, rec->spec_len, NULL) >= 0 &&
	      spec.proc.tty == TTY_YES;
	spec_free(&spec);
	return tty;
}

static bool runs(struct call *k, const struct docker_target *t)
{
	struct container_state s = {0};

	return container_state_read(&k->cmd->paths, t->found.name, &t->found.record, &s, NULL) >=
		       0 &&
	       (s.status == CONTAINER_RUNNING || s.status == CONTAINER_PAUSED);
}

/* To one that runs: its supervisor gets the streams from 0, 1 and 2 of this process. */
static int attach_running(struct call *k, struct docker_target *t, unsigned which,
			  const int theirs[3], struct exec_link *ret, struct docker_fault *f)
{
	int r = docker_target_instance(&k->cmd->paths, t, f);

	for (int fd = 0; r >= 0 && fd < 3; fd++) {
		if (theirs[fd] >= 0 && dup2(theirs[fd], fd) < 0)
			r = err_sys(&f->err, "lend a stream");
	}
	if (r >= 0)
		r = exec_open(&k->cmd->paths, &t->instance, ret, &f->err);
	if (r >= 0)
		r = exec_attach(ret, which, &f->err);
	/* The ends of the container that we hold would keep its streams open. */
	for (int fd = 0; fd < 3; fd++) {
		if (theirs[fd] >= 0)
			(void)close(fd);
	}
	return r;
}

/* 1: the process that starts it has taken the streams; 0: it runs, started by somebody else;
 * -errno: gone. */
static int wait_to_be_taken(struct call *k, struct gather *g, const struct docker_target *t,
			    const int lent[4])
{
	struct stream_watch watch;
	struct container_found now;
	int r = -EAGAIN;

	stream_watch_open(&watch, &k->cmd->paths, t->found.name);
	while (r == -EAGAIN) {
		struct pollfd p[] = {{.fd = k->conn->fd},
				     {.fd = g->fd, .events = POLLIN},
				     {.fd = watch.fd, .events = POLLIN}};

		if (runs(k, t)) {
			r = 0;
		} else if (container_find(&k->cmd->paths, t->found.record.container_id, &now,
					  NULL) < 0) {
			r = -ENOENT;
		} else {
			container_record_free(&now.record);
			(void)idle_poll(p, 3, stream_watch_ms(&watch), NULL, 0);
			stream_watch_take(&watch);
			if (p[0].revents)
				r = -EPIPE;
			else if (p[1].revents && gather_answer(g, lent, 4))
				r = 1;
		}
	}
	stream_watch_close(&watch);
	return r;
}

/* To one that will run. The client is told to go on before: else it would not start it. */
static int attach_before(struct call *k, struct docker_target *t, int theirs[3], unsigned which,
			 struct stream *s, struct exec_link *link, struct docker_fault *f)
{
	int lent[4] = {-1, theirs[0], theirs[1], theirs[2]}, ends[2], r;
	struct gather g = GATHER_INIT;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) < 0)
		return err_sys(&f->err, "socket");
	s->link = ends[0];
	lent[0] = ends[1];
	r = gather_open(&g, &k->cmd->paths, t->found.record.container_id, &f->err);
	if (r >= 0 && http_hijack(k->conn, "application/vnd.docker.raw-stream") < 0)
		r = -EPIPE;
	if (r >= 0)
		r = wait_to_be_taken(k, &g, t, lent);
	gather_close(&g);
	close(ends[1]);
	if (r == 0) {
		fd_close(&s->link);
		r = attach_running(k, t, which, theirs, link, f);
		s->link = r < 0 ? -1 : link->sock;
	}
	return r;
}

static unsigned read_streams(struct call *k)
{
	return (call_query_true(k, "stdin") ? 1u : 0) | (call_query_true(k, "stdout") ? 2u : 0) |
	       (call_query_true(k, "stderr") ? 4u : 0);
}

struct log_copy {
	int fd;
	bool is_raw;
};

static int copy_line(void *arg, uint64_t time_ns, int stream, const char *text, size_t len,
		     struct err *e)
{
	const struct log_copy *x = arg;
	unsigned char head[STREAM_FRAME_HEAD];

	(void)time_ns;
	stream_frame_head(head, stream, len);
	if (!x->is_raw && io_write_all(x->fd, head, sizeof(head), e) < 0)
		return -EPIPE;
	return io_write_all(x->fd, text, len, e);
}

/* logs=1: its output until now. */
static void send_logs(struct call *k, const struct docker_target *t, unsigned which, bool is_raw)
{
	struct log_copy x = {k->conn->fd, is_raw};
	const struct docker_logs how = {
		.tail = UINT64_MAX, .streams = which & 6u, .line = copy_line, .arg = &x};
	struct docker_fault f = DOCKER_FAULT_INIT;

	(void)docker_logs(&k->cmd->paths, t, k->item, &how, &f);
}

static int read_keys(struct call *k, struct detach_keys *ret, struct docker_fault *f)
{
	_free_ char *text = NULL;
	int r = call_query(k, "detachKeys", &text);

	if (r >= 0 && detach_keys_parse(text, ret) < 0)
		r = docker_refuse(f, "Invalid detach keys (%s) provided", text);
	return r;
}

static int attach(struct call *k, struct docker_target *t, unsigned which, struct docker_fault *f)
{
	struct stream s = {.client = k->conn->fd, .in = -1, .out = -1, .err = -1, .link = -1};
	struct exec_link link = EXEC_LINK_INIT;
	struct detach_keys keys;
	bool begun = runs(k, t), streams = call_query_true(k, "stream");
	int theirs[3], r;

	s.is_raw = call_target_has_tty(t);
	r = read_keys(k, &keys, f);
	if (r < 0)
		return r;
	s.keys = s.is_raw ? &keys : NULL;
	if (!t->found.record.open_stdin)
		which &= ~1u;
	r = stream_open(&s, s.is_raw ? which & ~4u : which, theirs, &f->err);
	if (r >= 0 && begun && streams)
		r = attach_running(k, t, which, theirs, &link, f);
	if (r >= 0 && begun)
		s.link = link.sock;
	if (r >= 0 && (begun || !streams) &&
	    http_hijack(k->conn, "application/vnd.docker.raw-stream") < 0)
		r = -EPIPE;
	if (r >= 0)
		docker_event_target(&k->cmd->paths, t, "attach", NULL, NULL);
	if (r >= 0 && call_query_true(k, "logs"))
		send_logs(k, t, which, s.is_raw);
	if (r >= 0 && !begun && streams)
		r = attach_before(k, t, theirs, which, &s, &link, f);
	for (int i = 0; i < 3; i++)
		fd_close(&theirs[i]);
	if (r >= 0 && streams)
		(void)stream_run(&s, k->conn->buf + k->conn->at, k->conn->end - k->conn->at);
	if (s.is_left)
		docker_event_target(&k->cmd->paths, t, "detach", NULL, NULL);
	stream_close(&s);
	if (s.link >= 0 && s.link != link.sock)
		fd_close(&s.link);
	exec_close(&link);
	if (k->conn->must_close)
		(void)shutdown(k->conn->fd, SHUT_WR);
	return r;
}

void call_container_attach(struct call *k)
{
	struct docker_fault f = DOCKER_FAULT_INIT;
	struct docker_target t;
	unsigned which = read_streams(k);
	int r;

	http_skip_body(k->conn);
	r = docker_target_open(&k->cmd->paths, k->item, &t, &f);
	if (r >= 0 && !t.stays)
		r = docker_refuse(&f, "%s was not started by docker: csbx logs shows its output",
				  k->item);
	if (r >= 0)
		r = attach(k, &t, which, &f);
	if (r < 0 && !k->conn->has_answered)
		call_reply_fault(k, &f);
	docker_target_close(&t);
}
