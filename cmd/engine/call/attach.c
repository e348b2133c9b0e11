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
#include "cmd/engine/call/doze.h"
#include "cmd/engine/call/wake.h"
#include "cmd/engine/stream/stream.h"
#include "cmd/frame/cmd.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/exec/client.h"
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

/* An attachment, from its request to its end. */
struct attached {
	struct call *call;
	struct docker_target *target;
	struct doze_before before; /* its stream, and what it waits for before the start */
	struct exec_link link;
};

/* Once awake it is the call's item: the container may have gone. */
static const char *id_of(const struct attached *a)
{
	const char *id = a->target->found.record.container_id;

	return id ? id : a->call->item;
}

static void doze_off(void *arg, const struct pollfd *p, nfds_t n)
{
	struct attached *a = arg;
	struct doze d;

	call_doze_begin(a->call, DOZE_ATTACH, id_of(a), &d);
	call_doze_stream(&d, &d.stream, &a->before.stream.stream);
	call_doze(a->call, &d, p, n);
}

static void doze_off_before(void *arg, const struct pollfd *p, nfds_t n)
{
	struct attached *a = arg;
	const struct doze_before *b = &a->before;
	struct doze d;

	call_doze_begin(a->call, DOZE_ATTACH_BEFORE, id_of(a), &d);
	d.before = *b;
	call_doze_stream(&d, &d.before.stream, &b->stream.stream);
	for (int i = 0; i < 4; i++)
		call_doze_fd(&d, b->lent[i]);
	call_doze_fd(&d, b->gather.fd);
	call_doze_fd(&d, b->gather.dirfd);
	call_doze_fd(&d, b->watch.fd);
	call_doze_fd(&d, b->watch.dirfd);
	call_doze(a->call, &d, p, n);
}

/* 1: the process that starts it has taken the streams; 0: it runs, started by somebody else;
 * -errno: gone. */
static int wait_to_be_taken(struct attached *a)
{
	struct call *k = a->call;
	const struct docker_target *t = a->target;
	const struct idle_rest rest = {doze_off_before, a};
	struct gather *g = &a->before.gather;
	struct stream_watch *watch = &a->before.watch;
	struct container_found now;
	int r = -EAGAIN;

	while (r == -EAGAIN) {
		struct pollfd p[] = {{.fd = k->conn->fd},
				     {.fd = g->fd, .events = POLLIN},
				     {.fd = watch->fd, .events = POLLIN}};

		if (runs(k, t)) {
			r = 0;
		} else if (container_find(&k->cmd->paths, t->found.record.container_id, &now,
					  NULL) < 0) {
			r = -ENOENT;
		} else {
			container_record_free(&now.record);
			(void)(watch->fd < 0 ? idle_poll(p, 3, stream_watch_ms(watch), NULL, 0)
					     : idle_poll_rest(p, 3, NULL, 0, &rest));
			stream_watch_take(watch);
			if (p[0].revents)
				r = -EPIPE;
			else if (p[1].revents && gather_answer(g, a->before.lent, 4))
				r = 1;
		}
	}
	stream_watch_close(watch);
	return r;
}

/* The streams that were lent are closed: an end that we hold would keep them open. */
static int be_taken(struct attached *a, struct docker_fault *f)
{
	struct doze_before *b = &a->before;
	struct stream *s = &b->stream.stream;
	int r = wait_to_be_taken(a);

	gather_close(&b->gather);
	fd_close(&b->lent[0]);
	if (r == 0) {
		fd_close(&s->link);
		r = attach_running(a->call, a->target, b->which, b->lent + 1, &a->link, f);
		s->link = r < 0 ? -1 : a->link.sock;
	}
	for (int i = 1; i < 4; i++)
		fd_close(&b->lent[i]);
	return r;
}

/* To one that will run. The client is told to go on before: else it would not start it. */
static int attach_before(struct attached *a, struct docker_fault *f)
{
	struct doze_before *b = &a->before;
	struct call *k = a->call;
	int ends[2], r;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) < 0)
		return err_sys(&f->err, "socket");
	b->stream.stream.link = ends[0];
	b->lent[0] = ends[1];
	r = gather_open(&b->gather, &k->cmd->paths, a->target->found.record.container_id, &f->err);
	if (r >= 0 && http_hijack(k->conn, "application/vnd.docker.raw-stream") < 0)
		r = -EPIPE;
	if (r < 0) {
		gather_close(&b->gather);
		return r;
	}
	stream_watch_open(&b->watch, &k->cmd->paths, a->target->found.name);
	return be_taken(a, f);
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

/* The streams until their end; r: whether there are any. */
static void pass_on(struct attached *a, bool streams, const char *already, size_t already_len)
{
	struct call *k = a->call;
	struct stream *s = &a->before.stream.stream;

	s->rest = (struct idle_rest){doze_off, a};
	k->conn->at = k->conn->end;
	if (streams)
		(void)stream_run(s, already, already_len);
	if (s->is_left)
		docker_event_target(&k->cmd->paths, a->target, "detach", NULL, NULL);
	stream_close(s);
	if (s->link >= 0 && s->link != a->link.sock)
		fd_close(&s->link);
	exec_close(&a->link);
	if (k->conn->must_close)
		(void)shutdown(k->conn->fd, SHUT_WR);
}

/* The head, its events and its logs; true in *begun: the container runs. */
static int open_streams(struct attached *a, bool streams, bool begun, struct docker_fault *f)
{
	struct call *k = a->call;
	struct doze_before *b = &a->before;
	struct stream *s = &b->stream.stream;
	int r = stream_open(s, s->is_raw ? b->which & ~4u : b->which, b->lent + 1, &f->err);

	if (r >= 0 && begun && streams)
		r = attach_running(k, a->target, b->which, b->lent + 1, &a->link, f);
	if (r >= 0 && begun)
		s->link = a->link.sock;
	if (r >= 0 && (begun || !streams) &&
	    http_hijack(k->conn, "application/vnd.docker.raw-stream") < 0)
		r = -EPIPE;
	if (r >= 0)
		docker_event_target(&k->cmd->paths, a->target, "attach", NULL, NULL);
	if (r >= 0 && call_query_true(k, "logs"))
		send_logs(k, a->target, b->which, s->is_raw);
	if (r >= 0 && !begun && streams)
		r = attach_before(a, f);
	for (int i = 1; i < 4; i++)
		fd_close(&b->lent[i]);
	return r;
}

static int attach(struct call *k, struct docker_target *t, unsigned which, struct docker_fault *f)
{
	struct attached a = {.call = k,
			     .target = t,
			     .before = {.stream = {.stream = {.client = k->conn->fd,
							      .in = -1,
							      .out = -1,
							      .err = -1,
							      .link = -1}},
					.gather = GATHER_INIT,
					.watch = STREAM_WATCH_INIT,
					.lent = {-1, -1, -1, -1}},
			     .link = EXEC_LINK_INIT};
	struct doze_stream *s = &a.before.stream;
	bool begun = runs(k, t), streams = call_query_true(k, "stream");
	int r;

	s->stream.is_raw = call_target_has_tty(t);
	r = read_keys(k, &s->keys, f);
	if (r < 0)
		return r;
	s->stream.keys = s->stream.is_raw ? &s->keys : NULL;
	a.before.which = t->found.record.open_stdin ? which : which & ~1u;
	r = open_streams(&a, streams, begun, f);
	pass_on(&a, r >= 0 && streams, k->conn->buf + k->conn->at, k->conn->end - k->conn->at);
	return r;
}

/* The container may have been removed meanwhile, and its streams still have something to say. */
void call_attach_wake(struct call *k, struct doze *d)
{
	struct docker_fault f = DOCKER_FAULT_INIT;
	struct docker_target t = {.found = {.name = ""}};
	struct attached a = {.call = k, .target = &t, .link = EXEC_LINK_INIT};
	int r = docker_target_open(&k->cmd->paths, k->item, &t, &f);

	if (d->kind == DOZE_ATTACH)
		a.before.stream = d->stream;
	else
		a.before = d->before;
	call_wake_stream(&a.before.stream, (struct idle_rest){doze_off, &a});
	if (d->kind == DOZE_ATTACH)
		r = 0;
	else if (r >= 0)
		r = be_taken(&a, &f);
	else
		gather_close(&a.before.gather);
	pass_on(&a, r >= 0, NULL, 0);
	docker_target_close(&t);
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
