/* SPDX-License-Identifier: Apache-2.0 */

/* docker logs: lines of the run's log, the last ones, of a span of time, with their times. */

#include <limits.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "cmd/docker/frame/argv.h"
#include "cmd/docker/frame/docker.h"
#include "cmd/docker/frame/fault.h"
#include "cmd/docker/show/log_time.h"
#include "cmd/docker/daemon/target.h"
#include "cmd/docker/frame/verbs.h"
#include "runtime/base/err.h"
#include "runtime/base/io.h"
#include "runtime/base/num.h"
#include "runtime/base/str.h"
#include "runtime/life/container_wait.h"
#include "runtime/record/run_dir.h"
#include "runtime/stream/run_log.h"

#define LOOK_MS 50

struct logs_args {
	bool follow, timestamps, details;
	const char *tail, *since, *until;
	uint64_t since_ns, until_ns, n_tail; /* n_tail UINT64_MAX: all */
};

#define AT(member) offsetof(struct logs_args, member)

static const struct opt opts[] = {
	{OPT_FLAG, 0, "details", NULL, AT(details), .help = "Show extra details (there are none)"},
	{OPT_FLAG, 'f', "follow", NULL, AT(follow), .help = "Follow log output"},
	{OPT_STR, 0, "since", "string", AT(since),
	 .help = "Show logs since timestamp (e.g. \"2013-01-02T13:23:37Z\") or relative (\"42m\")"},
	{OPT_STR, 'n', "tail", "string", AT(tail),
	 .help = "Number of lines to show from the end of the logs (default \"all\")"},
	{OPT_FLAG, 't', "timestamps", NULL, AT(timestamps), .help = "Show timestamps"},
	{OPT_STR, 0, "until", "string", AT(until), .help = "Show logs before a timestamp"},
	{0},
};

static const struct opt_table table = {"Options", opts};

/* A line as it was put together, with the time of its first piece. */
struct line {
	uint64_t time_ns;
	int stream;
	struct strbuf text;
};

struct log_view {
	const struct logs_args *a;
	struct line open[2]; /* of each stream: what has no end yet */
	struct line *last;   /* with --tail: a ring of the last lines */
	size_t n, at, slots;
};

static int show(const struct log_view *v, const struct line *l, struct err *e)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;

	if (l->time_ns < v->a->since_ns || (v->a->until_ns && l->time_ns > v->a->until_ns))
		return 0;
	if (v->a->timestamps)
		docker_log_time(l->time_ns, &out);
	/* The place of what --log-opt labels= and env= would put before a line. */
	if (v->a->details)
		strbuf_addf(&out, " ");
	strbuf_add(&out, strbuf_str(&l->text), l->text.len);
	if (strbuf_check(&out, e) < 0)
		return -ENOMEM;
	return io_write_all(l->stream, strbuf_str(&out), out.len, e);
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
	const char *s = f->data.data;
	size_t left = f->data.len;
	int r = 0;

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

static int read_log(struct log_view *v, const struct run_dir *dir, struct err *e)
{
	struct run_log_reader reader;
	struct run_log_frame frame = {.data = STRBUF_INIT};
	int r = run_log_open(dir->fd, &reader, e);
	bool live = true;

	while (r >= 0 && live) {
		/* Asked before the last look: what came in between is still read. */
		live = v->a->follow && run_dir_is_live(dir);
		r = take_all(v, &reader, &frame, e);
		if (r >= 0 && !live)
			r = flush(v, e);
		if (r >= 0)
			r = show_ring(v, e);
		if (live)
			(void)poll(NULL, 0, LOOK_MS);
	}
	strbuf_free(&frame.data);
	run_log_reader_close(&reader);
	return r;
}

static int print_log(const struct logs_args *a, const struct run_dir *dir, struct err *e)
{
	struct log_view v = {.a = a};
	int r = 0;

	if (dir->fd < 0 || (!a->n_tail && !a->follow))
		return 0;
	if (a->n_tail != UINT64_MAX && a->n_tail) {
		v.slots = a->n_tail < 1u << 20 ? (size_t)a->n_tail : 1u << 20;
		v.last = calloc(v.slots, sizeof(*v.last));
		if (!v.last)
			return err_set(e, ENOMEM, "out of memory");
	}
	r = read_log(&v, dir, e);
	for (size_t i = 0; i < v.slots; i++)
		strbuf_free(&v.last[i].text);
	free(v.last);
	strbuf_free(&v.open[0].text);
	strbuf_free(&v.open[1].text);
	return r;
}

static int parse(struct logs_args *a, struct err *e)
{
	a->n_tail = UINT64_MAX;
	/* As docker: what is no number is all. */
	if (a->tail && num_parse_u64(a->tail, UINT64_MAX - 1, &a->n_tail) < 0)
		a->n_tail = UINT64_MAX;
	if (a->since && docker_log_time_parse(a->since, &a->since_ns) < 0)
		return err_set(e, EINVAL,
			       "invalid value for \"since\": failed to parse value as "
			       "time or duration: \"%s\"",
			       a->since);
	if (a->until && docker_log_time_parse(a->until, &a->until_ns) < 0)
		return err_set(e, EINVAL,
			       "invalid value for \"until\": failed to parse value as "
			       "time or duration: \"%s\"",
			       a->until);
	return 0;
}

static int open_run(struct docker *d, const char *operand, struct run_dir *ret,
		    struct docker_fault *f)
{
	struct docker_target t;
	struct run_state state = {0};
	int r = docker_target_open(&d->cmd.paths, operand, &t, f);

	*ret = (struct run_dir)RUN_DIR_INIT;
	if (r >= 0 && t.stays)
		r = container_run_dir(&d->cmd.paths, t.found.name, &t.found.record, ret, &f->err);
	else if (r >= 0)
		r = run_dir_find(&d->cmd.paths, operand, ret, &state, &f->err);
	run_state_free(&state);
	docker_target_close(&t);
	return r;
}

static int logs_run(struct docker *d, void *args, int argc, char **argv)
{
	struct logs_args *a = args;
	struct run_dir dir = RUN_DIR_INIT;
	struct docker_fault f = DOCKER_FAULT_INIT;
	int r = parse(a, &f.err);

	(void)argc;
	if (r < 0)
		return docker_say(DOCKER_EXIT_FAILED, "%s", f.err.msg);
	r = open_run(d, argv[0], &dir, &f);
	if (r >= 0)
		r = print_log(a, &dir, &f.err);
	run_dir_close(&dir);
	return r < 0 ? docker_daemon_error("%s", f.err.msg) : 0;
}

const struct docker_verb docker_verb_logs = {
	.name = "logs",
	.usage = "[OPTIONS] CONTAINER",
	.uses = (const struct opt_use[]){{&table, 0}, {0}},
	.min_operands = 1,
	.max_operands = 1,
	.args_bytes = sizeof(struct logs_args),
	.run = logs_run,
};
