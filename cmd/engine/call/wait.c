/* SPDX-License-Identifier: Apache-2.0 */

/*
 * POST /containers/?/wait. The head is sent at once: docker's command line starts a container only
 * when it has that. csbx does not poll at intervals: before the start it watches the container's
 * files, and while the container runs its supervisor's pidfd and the client's end.
 */

#include <poll.h>
#include <stdio.h>

#include "cmd/docker/daemon/target.h"
#include "cmd/docker/frame/fault.h"
#include "cmd/engine/call/call.h"
#include "cmd/engine/call/doze.h"
#include "cmd/engine/call/wake.h"
#include "cmd/engine/stream/stream.h"
#include "cmd/frame/cmd.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/life/container_end.h"
#include "runtime/life/container_wait.h"
#include "runtime/record/instance.h"

enum condition { NOT_RUNNING, NEXT_EXIT, REMOVED };

enum phase { FOR_START, FOR_END, FOR_REMOVAL };

struct waiting {
	struct call *call;
	struct docker_target target;
	struct container_wait wait;
	enum condition condition;
	enum phase phase;
	int supervisor; /* in FOR_END: a pidfd */
	struct gather gather;
	struct stream_watch watch;
	bool is_gone; /* the client */
};
#define WAITING_INIT                                                                  \
	{                                                                             \
		.wait = CONTAINER_WAIT_INIT, .supervisor = -1, .gather = GATHER_INIT, \
		.watch = STREAM_WATCH_INIT                                            \
	}

static int read_condition(struct call *k, enum condition *ret)
{
	_free_ char *text = NULL;

	if (call_query(k, "condition", &text) < 0)
		return -EINVAL;
	*ret = NOT_RUNNING;
	if (!text || !*text || str_eq(text, "not-running"))
		return 0;
	if (str_eq(text, "next-exit"))
		*ret = NEXT_EXIT;
	else if (str_eq(text, "removed"))
		*ret = REMOVED;
	else {
		struct err e = ERR_INIT;

		err_set(&e, EINVAL, "invalid condition: \"%s\"", text);
		call_reply_err(k, &e);
		return -EINVAL;
	}
	return 0;
}

static int begin_wait(struct waiting *w)
{
	return container_wait_begin(&w->call->cmd->paths, w->target.found.name,
				    &w->target.found.record, &w->wait, NULL);
}

static bool exists(const struct waiting *w)
{
	struct container_found now;

	if (container_find(&w->call->cmd->paths, w->target.found.record.container_id, &now, NULL) <
	    0)
		return false;
	container_record_free(&now.record);
	return true;
}

static void doze_off(void *arg, const struct pollfd *p, nfds_t n)
{
	const struct waiting *w = arg;
	struct doze d;

	call_doze_begin(w->call, DOZE_WAIT, w->target.found.record.container_id, &d);
	d.wait = (struct doze_wait){.condition = (int)w->condition,
				    .phase = (int)w->phase,
				    .lock_fd = w->wait.lock_fd,
				    .supervisor = w->supervisor,
				    .gather = w->gather,
				    .watch = w->watch,
				    .status = (int)w->wait.state.status,
				    .exit_code = w->wait.state.exit_code,
				    .started_ns = w->wait.state.started_ns};
	snprintf(d.wait.name, sizeof(d.wait.name), "%s", w->target.found.name);
	call_doze_fd(&d, w->wait.lock_fd);
	call_doze_fd(&d, w->supervisor);
	call_doze_fd(&d, w->gather.fd);
	call_doze_fd(&d, w->gather.dirfd);
	call_doze_fd(&d, w->watch.fd);
	call_doze_fd(&d, w->watch.dirfd);
	call_doze(w->call, &d, p, n);
}

/* Until one of two can be read, or the client has gone: then true. */
static bool client_left(struct waiting *w, int one, int two, int timeout_ms)
{
	struct pollfd p[] = {{.fd = w->call->conn->fd},
			     {.fd = one, .events = POLLIN},
			     {.fd = two, .events = POLLIN}};
	const struct idle_rest rest = {doze_off, w};

	(void)(timeout_ms < 0 ? idle_poll_rest(p, 3, NULL, 0, &rest)
			      : idle_poll(p, 3, timeout_ms, NULL, 0));
	w->is_gone = p[0].revents != 0;
	return w->is_gone;
}

/* While its lock is held; the pid on record is its supervisor's as long as that is so. */
static void wait_for_end(struct waiting *w)
{
	unsigned n_looks = 0;

	while (container_wait_goes_on(&w->wait)) {
		if (w->supervisor < 0)
			w->supervisor = instance_open_supervisor(
				&w->call->cmd->paths, w->target.found.record.container_id);
		if (w->supervisor >= 0 && !container_wait_goes_on(&w->wait))
			break;
		if (client_left(w, w->supervisor, -1,
				w->supervisor < 0 ? instance_look_ms(n_looks++) : -1))
			return;
		/* Its end is told a moment before its process has gone. */
		if (w->supervisor >= 0 && container_wait_goes_on(&w->wait))
			fd_close(&w->supervisor);
	}
	(void)container_wait_end(&w->wait, NULL);
}

/* One that does not run: until somebody starts it, or it is removed. False: it never ran. */
static bool wait_for_start(struct waiting *w)
{
	bool started = false;

	for (;;) {
		container_wait_close(&w->wait);
		started = begin_wait(w) >= 0 && w->wait.lock_fd >= 0;
		(void)gather_answer(&w->gather, NULL, 0);
		if (started || !exists(w) ||
		    client_left(w, w->gather.fd, w->watch.fd, stream_watch_ms(&w->watch)))
			break;
		stream_watch_take(&w->watch);
	}
	gather_close(&w->gather);
	stream_watch_close(&w->watch);
	return started;
}

/* Its supervisor would have, where that was not killed. */
static void remove_what_is_left(const struct waiting *w)
{
	const struct container_record *r = &w->target.found.record;

	if (w->wait.was_killed && r->auto_remove)
		(void)container_remove_left(&w->call->cmd->paths, w->target.found.name, r, NULL);
}

static void wait_for_removal(struct waiting *w)
{
	while (exists(w) && !client_left(w, w->watch.fd, -1, stream_watch_ms(&w->watch)))
		stream_watch_take(&w->watch);
	stream_watch_close(&w->watch);
}

static void answer(struct waiting *w)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;

	strbuf_addf(&out, "{\"Error\":null,\"StatusCode\":%d}\n", w->wait.state.exit_code);
	(void)http_reply_piece(w->call->conn, strbuf_str(&out), out.len);
	http_reply_end(w->call->conn);
}

static void open_watch(struct waiting *w)
{
	stream_watch_open(&w->watch, &w->call->cmd->paths, w->target.found.name);
}

/* From the phase that it is in to its answer. */
static void go_on(struct waiting *w)
{
	if (w->phase == FOR_START && wait_for_start(w) && !w->is_gone)
		w->phase = FOR_END;
	if (w->phase == FOR_END)
		wait_for_end(w);
	fd_close(&w->supervisor);
	if (w->condition == REMOVED && !w->is_gone) {
		if (w->phase != FOR_REMOVAL) {
			open_watch(w);
			remove_what_is_left(w);
		}
		w->phase = FOR_REMOVAL;
		wait_for_removal(w);
	}
	if (w->is_gone)
		w->call->conn->must_close = true;
	else
		answer(w);
}

static void wait_it(struct waiting *w)
{
	const struct http_reply reply = {200, HTTP_TYPE_JSON, NULL};
	struct err e = ERR_INIT;
	bool runs = w->wait.lock_fd >= 0, waits;

	/* "removed" of one that is to be started: docker run --rm asks so. */
	waits = !runs && (w->condition == NEXT_EXIT ||
			  (w->condition == REMOVED && w->wait.state.status == CONTAINER_CREATED));
	/* Before the head: a client that has it may start the container. */
	if (waits && gather_open(&w->gather, &w->call->cmd->paths,
				 w->target.found.record.container_id, &e) < 0) {
		call_reply_err(w->call, &e);
		return;
	}
	if (http_reply_begin(w->call->conn, &reply) < 0) {
		gather_close(&w->gather);
		return;
	}
	w->phase = waits ? FOR_START : FOR_END;
	if (waits)
		open_watch(w);
	go_on(w);
}

/* It may have been removed meanwhile: its name and its id are what is asked for then. */
void call_wait_wake(struct call *k, struct doze *d)
{
	struct waiting w = WAITING_INIT;
	struct docker_fault f = DOCKER_FAULT_INIT;

	w.call = k;
	w.condition = (enum condition)d->wait.condition;
	w.phase = (enum phase)d->wait.phase;
	w.supervisor = d->wait.supervisor;
	w.gather = d->wait.gather;
	w.watch = d->wait.watch;
	w.wait.lock_fd = d->wait.lock_fd;
	w.wait.state.status = (enum container_status)d->wait.status;
	w.wait.state.exit_code = d->wait.exit_code;
	w.wait.state.started_ns = d->wait.started_ns;
	if (docker_target_open(&k->cmd->paths, k->item, &w.target, &f) < 0) {
		w.target.found.record.container_id = k->item;
		snprintf(w.target.found.name, sizeof(w.target.found.name), "%s", d->wait.name);
	}
	go_on(&w);
	container_wait_close(&w.wait);
	docker_target_close(&w.target);
}

void call_container_wait(struct call *k)
{
	struct waiting w = WAITING_INIT;
	struct docker_fault f = DOCKER_FAULT_INIT;
	int r;

	w.call = k;
	if (read_condition(k, &w.condition) < 0)
		return;
	/* The body, if any, is nothing we want, and a client that goes is told by the poll. */
	http_skip_body(k->conn);
	r = docker_target_open(&k->cmd->paths, k->item, &w.target, &f);
	if (r >= 0 && !w.target.stays)
		r = docker_refuse(&f, "%s was not started by docker: csbx wait waits for it",
				  k->item);
	if (r >= 0)
		r = container_wait_begin(&k->cmd->paths, w.target.found.name,
					 &w.target.found.record, &w.wait, &f.err);
	if (r < 0)
		call_reply_fault(k, &f);
	else
		wait_it(&w);
	container_wait_close(&w.wait);
	docker_target_close(&w.target);
}
