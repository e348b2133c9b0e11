/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/daemon/logs.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "cmd/docker/daemon/target.h"
#include "cmd/docker/frame/fault.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/kernel/idle_poll.h"
#include "runtime/kernel/inotify.h"
#include "runtime/life/container_state.h"
#include "runtime/record/instance.h"
#include "runtime/record/run_dir.h"
#include "runtime/stream/run_log.h"

#define TAIL_MAX (1u << 20)

/* A line as it was put together, with the time of its first piece. */
struct line {
	uint64_t time_ns;
	int stream;
	struct strbuf text;
};

struct log_view {
	const struct docker_logs *how;
	struct line open[2]; /* of each stream: what has no end yet */
	struct line *last;   /* with --tail: a ring of the last lines */
	size_t n, at, slots;
};

static int show(const struct log_view *v, const struct line *l, struct err *e)
{
	const struct docker_logs *how = v->how;

	if (l->time_ns < how->since_ns || (how->until_ns && l->time_ns > how->until_ns))
		return 0;
	return how->line(how->arg, l->time_ns, l->stream, strbuf_str(&l->text), l->text.len, e);
}

/* A line is complete: shown, or put into the ring in the place of the oldest. */
static int complete(struct log_view *v, struct line *l, struct err *e)
{
	struct line *slot;
	int r = 0;

	if (!v->slots) {
		r = show(v, l, e);
		strbuf_reset(&l->text);
		return r;
	}
	slot = &v->last[v->at];
	strbuf_free(&slot->text);
	*slot = *l;
	l->text = (struct strbuf)STRBUF_INIT;
	v->at = (v->at + 1) % v->slots;
	v->n += v->n < v->slots;
	return 0;
}

static int take(struct log_view *v, const struct run_log_frame *f, struct err *e)
{
	struct line *l = &v->open[f->stream == 2];
	unsigned streams = v->how->streams;
	const char *s = f->data.data;
	size_t left = f->data.len;
	int r = 0;

	if (streams && !(streams & (1u << (f->stream == 2 ? 2 : 1))))
		return 0;
	while (left && r >= 0) {
		const char *end = memchr(s, '\n', left);
		size_t n = end ? (size_t)(end - s) + 1 : left;

		if (!l->text.len)
			l->time_ns = f->time_ns;
		l->stream = f->stream == 2 ? 2 : 1;
		strbuf_add(&l->text, s, n);
		if (end)
			r = complete(v, l, e);
		s += n;
		left -= n;
	}
	return r;
}

static int take_all(struct log_view *v, struct run_log_reader *reader, struct run_log_frame *f,
		    struct err *e)
{
	int got;

	while ((got = run_log_next(reader, f, e)) > 0) {
		got = take(v, f, e);
		if (got < 0)
			break;
	}
	return got;
}

/* Lines that have no end: all there is of them. */
static int flush(struct log_view *v, struct err *e)
{
	int r = 0;

	for (int i = 0; i < 2 && r >= 0; i++) {
		if (v->open[i].text.len)
			r = complete(v, &v->open[i], e);
	}
	return r;
}

static int show_ring(struct log_view *v, struct err *e)
{
	int r = 0;

	for (size_t i = 0; i < v->n && r >= 0; i++)
		r = show(v, &v->last[(v->at + v->slots - v->n + i) % v->slots], e);
	v->n = 0;
	for (size_t i = 0; i < v->slots; i++)
		strbuf_free(&v->last[i].text);
	v->slots = 0;
	return r;
}

/*
 * Tells of what is written as it comes: a client may remove the container as soon as it knows of
 * its end, and a log that was not opened before is gone then. The end itself is no event of a
 * file: the supervisor's process tells it.
 */
struct log_watch {
	const struct paths *paths;
	struct docker_logs_place at;
	int client;
	unsigned n_looks;
};

/* Without a watch it is looked at now and then. */
static void watch_files(struct docker_logs_place *at)
{
	char path[32];

	at->files = inotify_take();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", at->dir.fd);
	if (at->files >= 0)
		at->watch = inotify_add_watch(at->files, path, IN_CREATE | IN_MODIFY | IN_MOVED_TO);
	if (at->watch < 0)
		inotify_give_back(&at->files, NULL, 0);
}

/* Before the run is found live: as long as it is, the process on record is its supervisor. */
static bool watch_is_live(struct log_watch *w)
{
	if (w->at.supervisor < 0)
		w->at.supervisor = instance_open_supervisor(w->paths, w->at.id);
	return run_dir_is_live(&w->at.dir);
}

struct log_rest {
	const struct docker_logs *how;
	const struct docker_logs_place *at;
};

static void rest(void *arg, const struct pollfd *p, nfds_t n)
{
	const struct log_rest *x = arg;

	x->how->rest(x->how->arg, x->at, p, n);
}

/* -EPIPE: the reader has gone, and is not waited for. */
static int watch_wait(const struct log_view *v, struct log_watch *w)
{
	struct docker_logs_place *at = &w->at;
	struct pollfd p[] = {{.fd = at->files, .events = POLLIN},
			     {.fd = at->supervisor, .events = POLLIN},
			     {.fd = w->client}};
	struct log_rest x = {v->how, at};
	/* The beginning of a line would be lost. */
	const bool rests = v->how->rest && !v->open[0].text.len && !v->open[1].text.len;
	const struct idle_rest idle = {rests ? rest : NULL, &x};
	char events[4096];
	int n;

	n = at->files < 0 || at->supervisor < 0
		    ? idle_poll(p, 3, instance_look_ms(w->n_looks++), NULL, 0)
		    : idle_poll_rest(p, 3, NULL, 0, &idle);
	if (n > 0 && p[0].revents)
		(void)!read(at->files, events, sizeof(events));
	/* A start that follows has another. */
	if (n > 0 && p[1].revents)
		fd_close(&at->supervisor);
	return n > 0 && p[2].revents ? -EPIPE : 0;
}

static int read_log(struct log_view *v, struct log_watch *w, struct err *e)
{
	struct run_log_frame frame = {.data = STRBUF_INIT};
	int r = v->how->from ? 0 : run_log_open(w->at.dir.fd, &w->at.reader, e);
	bool live = true;

	if (v->how->follow && w->at.files < 0)
		watch_files(&w->at);
	while (r >= 0 && live) {
		/* Asked before the last look, so that we still read output that came in between. */
		live = v->how->follow && watch_is_live(w);
		r = take_all(v, &w->at.reader, &frame, e);
		if (r >= 0 && !live)
			r = flush(v, e);
		if (r >= 0)
			r = show_ring(v, e);
		strbuf_free(&frame.data); /* the wait may be long */
		if (r >= 0 && live)
			r = watch_wait(v, w);
	}
	run_log_reader_close(&w->at.reader);
	inotify_give_back(&w->at.files, &w->at.watch, 1);
	fd_close(&w->at.supervisor);
	return r;
}

static int read_lines(const struct docker_logs *how, struct log_watch *w, struct err *e)
{
	struct log_view v = {.how = how};
	int r = 0;

	if (w->at.dir.fd < 0 || (!how->tail && !how->follow))
		return 0;
	if (how->tail != UINT64_MAX && how->tail && !how->from) {
		v.slots = how->tail < TAIL_MAX ? (size_t)how->tail : TAIL_MAX;
		v.last = calloc(v.slots, sizeof(*v.last));
		if (!v.last)
			return err_oom(e);
	}
	r = read_log(&v, w, e);
	for (size_t i = 0; i < v.slots; i++)
		strbuf_free(&v.last[i].text);
	free(v.last);
	strbuf_free(&v.open[0].text);
	strbuf_free(&v.open[1].text);
	return r;
}

static int open_run(const struct paths *p, const struct docker_target *t, const char *operand,
		    struct run_dir *ret, struct err *e)
{
	struct run_state state = {0};
	int r;

	*ret = (struct run_dir)RUN_DIR_INIT;
	if (t->stays)
		return container_run_dir(p, t->found.name, &t->found.record, ret, e);
	r = run_dir_find(p, operand, ret, &state, e);
	run_state_free(&state);
	return r;
}

int docker_logs(const struct paths *p, const struct docker_target *t, const char *operand,
		const struct docker_logs *how, struct docker_fault *f)
{
	struct log_watch w = {.paths = p,
			      .at = {.dir = RUN_DIR_INIT,
				     .reader = RUN_LOG_READER_INIT,
				     .files = -1,
				     .watch = -1,
				     .supervisor = -1},
			      .client = how->client_fd};
	int r = 0;

	if (how->from)
		w.at = *how->from;
	else
		r = open_run(p, t, operand, &w.at.dir, &f->err);
	if (!how->from)
		snprintf(w.at.id, sizeof(w.at.id), "%s",
			 t->stays ? t->found.record.container_id : w.at.dir.id);
	if (r >= 0)
		r = read_lines(how, &w, &f->err);
	run_dir_close(&w.at.dir);
	return r < 0 ? r : 0;
}
