/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Theory. The parent reads lines, has a worker for each and writes a record when all of it has come
 * from the worker: a record is whole or not there. A worker is forked for its line, or waits for one
 * where its last has left nothing behind. The parent reads no further than it has workers free, and
 * waits for lines and for workers at once. A signal ends the containers of the workers, and with
 * them the workers: each holds the reading end of a pipe that only the parent writes to. Lines that
 * they were at stay without a record: the next batch that adds to the same output does them.
 */
#include "cmd/judge/batch/batch.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "cmd/judge/batch/done.h"
#include "cmd/judge/batch/failed_line.h"
#include "cmd/judge/batch/line.h"
#include "cmd/judge/batch/order.h"
#include "cmd/judge/batch/progress.h"
#include "cmd/judge/batch/seen.h"
#include "cmd/judge/batch/worker.h"
#include "cmd/frame/cmd.h"
#include "cmd/judge/report/report.h"
#include "cmd/judge/value/lines.h"
#include "cmd/judge/value/value.h"
#include "cmd/judge/value/json.h"
#include "cmd/options/input_file.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"

#define END_MS 600   /* for workers that were asked to end */
#define DRAW_MS 1000 /* between two looks at the clock */

struct pool {
	const struct batch *b;
	struct lines in;
	struct batch_done done;
	struct batch_seen seen;
	int out_fd, signal_fd;
	int end[2]; /* a pipe; without a writer the workers end */
	sigset_t old_mask;
	struct batch_worker *workers;
	struct pollfd *polls;
	unsigned n, busy;
	bool at_end, waits_for_input;
	int signal; /* that ended it */
	uint64_t signal_ns;
	uint64_t turns; /* lines that were begun */
	struct batch_order order;
	struct batch_progress progress;
	struct report report;
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int write_record(struct pool *p, const struct strbuf *record, struct err *e)
{
	batch_progress_clear(&p->progress);
	if (io_write_all(p->out_fd, strbuf_str(record), record->len, e) < 0)
		return err_wrap(e, "write a record");
	/* A kept output is read at the end, with the records that were there before. */
	return p->done.is_kept ? 0
			       : report_add(&p->report, strbuf_str(record), record->len, NULL, e);
}

/* is_end: those go out that wait for others, which will not come. */
static int write_held(struct pool *p, bool is_end, struct err *e)
{
	struct strbuf record;
	int r = 0;

	while (r >= 0 && batch_order_get(&p->order, is_end, &record)) {
		r = write_record(p, &record, e);
		strbuf_free(&record);
	}
	return r;
}

static int put_record(struct pool *p, uint64_t turn, struct strbuf *record, struct err *e)
{
	int r;

	p->progress.done++;
	if (p->b->ordered)
		r = batch_order_put(&p->order, turn, record, e);
	else
		r = write_record(p, record, e);
	if (r >= 0)
		r = write_held(p, false, e);
	batch_progress_draw(&p->progress);
	return r;
}

/* As far as is known: of the lines to come some may have a record. */
static uint64_t lines_left(const struct pool *p)
{
	uint64_t gone = p->progress.done + p->busy;

	return p->progress.total > gone ? p->progress.total - gone : 0;
}

/* csbx has no process for the line: it is told so, and the batch goes on. */
static int fail_line(struct pool *p, const struct batch_worker *w, const struct err *why,
		     struct err *e)
{
	_strbuf_ struct strbuf record = STRBUF_INIT;

	(void)batch_failed_line(w->number, strbuf_str(&w->label), w->occurrence, why, &record);
	p->progress.failed++;
	return put_record(p, p->turns++, &record, e);
}

static int start_worker(struct pool *p, const char *text, size_t len, struct strbuf *label,
			unsigned occurrence, struct err *e)
{
	struct batch_worker *w = p->workers;
	struct err why = ERR_INIT;
	bool is_same = false;

	while (w->is_busy)
		w++;
	if (p->b->before)
		is_same = p->b->before(p->b->ctx, (unsigned)(w - p->workers), p->n, lines_left(p));
	strbuf_free(&w->label);
	w->label = *label;
	*label = (struct strbuf)STRBUF_INIT;
	w->number = p->in.number;
	w->occurrence = occurrence;
	if (!w->pid || !is_same || !batch_worker_go_on(w, text, len)) {
		batch_worker_end(w);
		if (batch_worker_start(w, p->b, text, len, &p->old_mask, p->end, &why) < 0)
			return fail_line(p, w, &why, e);
	}
	w->turn = p->turns++;
	p->busy++;
	return 0;
}

static bool is_blank(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (!strchr(" \t\r", text[i]) || !text[i])
			return false;
	}
	return true;
}

static int too_long_line(struct pool *p, const char *label, unsigned occurrence, struct err *e)
{
	_strbuf_ struct strbuf record = STRBUF_INIT;
	struct err why = ERR_INIT;

	/* of a code that is the line's and not the machine's (failed_line.c) */
	err_set(&why, EINVAL, "longer than %u MiB", BATCH_LINE_BYTES_MAX >> 20);
	(void)batch_failed_line(p->in.number, label, occurrence, &why, &record);
	p->progress.wrong++;
	return put_record(p, p->turns++, &record, e);
}

/* A line that is not blank: its record is there, is made here, or will come from a worker. */
static int take_line(struct pool *p, const char *text, size_t len, bool too_long, struct err *e)
{
	_strbuf_ struct strbuf label = STRBUF_INIT;
	unsigned occurrence = 1;

	batch_find_label(text, len, &label);
	if (strbuf_check(&label, e) < 0)
		return -ENOMEM;
	if (label.len)
		occurrence = batch_seen_add(&p->seen, label.data);
	if (!occurrence)
		return err_oom(e);
	if (too_long)
		return too_long_line(p, strbuf_str(&label), occurrence, e);
	if (!label.len || !batch_done_has(&p->done, label.data, occurrence))
		return start_worker(p, text, len, &label, occurrence, e);
	p->progress.done++;
	p->progress.passed_over++;
	return 0;
}

/* Gives the next lines to free workers, as far as they have come. */
static int feed(struct pool *p, struct err *e)
{
	p->waits_for_input = false;
	while (!p->at_end && !p->signal && p->busy < p->n && !batch_order_is_full(&p->order)) {
		const char *text;
		size_t len;
		bool too_long;
		int r = lines_next(&p->in, &text, &len, &too_long, e);

		if (r == -EAGAIN) {
			p->waits_for_input = true;
			break;
		}
		if (r < 0)
			return err_wrap(e, "%s", p->b->input);
		if (!r)
			p->at_end = true;
		else if (too_long || !is_blank(text, len))
			r = take_line(p, text, len, too_long, e);
		if (r < 0)
			return r;
	}
	return 0;
}

static int read_worker(struct pool *p, struct batch_worker *w, struct err *e)
{
	enum batch_ran how;
	int r = batch_worker_read(w, e);

	if (r <= 0)
		return r;
	how = batch_worker_finish(w);
	if (p->b->after)
		p->b->after(p->b->ctx, (unsigned)(w - p->workers));
	p->busy--;
	if (p->signal)
		return 0;
	p->progress.wrong += how == BATCH_BAD_LINE;
	p->progress.failed += how == BATCH_FAILED;
	return put_record(p, w->turn, &w->record, e);
}

static void signal_workers(struct pool *p, int sig)
{
	for (unsigned i = 0; i < p->n; i++) {
		if (p->workers[i].pid)
			kill(p->workers[i].pid, sig);
	}
}

/* Its containers end by force, and a worker that has none at the moment by the signal. */
static void end_workers(struct pool *p, int sig)
{
	p->signal = sig;
	p->signal_ns = now_ns();
	fd_close(&p->end[1]);
	signal_workers(p, SIGTERM);
}

static void read_signal(struct pool *p)
{
	struct signalfd_siginfo si;

	if (read(p->signal_fd, &si, sizeof(si)) != sizeof(si))
		return;
	if (p->signal) /* a person who asks again does not want to wait */
		signal_workers(p, SIGKILL);
	else
		end_workers(p, (int)si.ssi_signo);
}

/* The time that poll() may wait. */
static int next_look_ms(const struct pool *p)
{
	uint64_t since_ms;

	if (!p->signal)
		return p->progress.is_terminal ? DRAW_MS : -1;
	since_ms = (now_ns() - p->signal_ns) / 1000000u;
	return since_ms < END_MS ? (int)(END_MS - since_ms) : 0;
}

static int wait_and_handle(struct pool *p, struct err *e)
{
	int r = 0, ready;

	for (unsigned i = 0; i < p->n; i++)
		p->polls[i] = (struct pollfd){.fd = p->workers[i].is_busy ? p->workers[i].fd : -1,
					      .events = POLLIN};
	p->polls[p->n] = (struct pollfd){.fd = p->signal_fd, .events = POLLIN};
	p->polls[p->n + 1] =
		(struct pollfd){.fd = p->waits_for_input ? p->in.fd : -1, .events = POLLIN};
	ready = poll(p->polls, p->n + 2, next_look_ms(p));
	if (ready < 0)
		return errno == EINTR ? 0 : err_sys(e, "poll");
	if (p->signal && !next_look_ms(p))
		signal_workers(p, SIGKILL);
	batch_progress_draw(&p->progress);
	if (p->polls[p->n].revents)
		read_signal(p);
	for (unsigned i = 0; i < p->n && r >= 0; i++) {
		if (p->polls[i].revents)
			r = read_worker(p, &p->workers[i], e);
	}
	return r;
}

static int open_pool(struct pool *p, struct err *e)
{
	const struct batch *b = p->b;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	sigset_t mask;

	p->n = b->jobs ? b->jobs : cpus > 0 && cpus < BATCH_JOBS_MAX ? (unsigned)cpus : 1;
	p->in = (struct lines){.max = BATCH_LINE_BYTES_MAX, .is_impatient = true};
	p->in.fd = str_eq(b->input, "-") ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
					 : input_file_open(b->input, O_RDONLY, b->spec, e);
	if (p->in.fd < 0)
		return str_eq(b->input, "-") ? err_sys(e, "standard input") : p->in.fd;
	batch_progress_begin(&p->progress, p->in.fd);
	p->out_fd = b->output ? batch_done_open(b->output, b->spec, p->in.fd, &p->done, e)
			      : fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (p->out_fd < 0)
		return b->output ? p->out_fd : err_sys(e, "standard output");
	if (batch_is_same_file(p->in.fd, p->out_fd))
		return err_set(e, EINVAL, "standard output is the file that --batch reads");
	if (pipe2(p->end, O_CLOEXEC) < 0)
		return err_sys(e, "pipe");
	sigemptyset(&mask);
	sigaddset(&mask, SIGINT);
	sigaddset(&mask, SIGTERM);
	sigaddset(&mask, SIGHUP);
	(void)sigprocmask(SIG_BLOCK, &mask, &p->old_mask);
	p->signal_fd = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	p->workers = calloc(p->n, sizeof(*p->workers));
	p->polls = calloc(p->n + 2, sizeof(*p->polls));
	return p->signal_fd < 0 || !p->workers || !p->polls ? err_oom(e) : 0;
}

static void close_pool(struct pool *p)
{
	for (unsigned i = 0; p->workers && i < p->n; i++) {
		batch_worker_end(&p->workers[i]);
		strbuf_free(&p->workers[i].record);
		strbuf_free(&p->workers[i].label);
	}
	free(p->workers);
	free(p->polls);
	lines_free(&p->in);
	batch_order_free(&p->order);
	fd_close(&p->in.fd);
	fd_close(&p->out_fd);
	fd_close(&p->signal_fd);
	fd_close(&p->end[0]);
	fd_close(&p->end[1]);
	batch_done_free(&p->done);
	batch_seen_free(&p->seen);
	report_free(&p->report);
}

/* Until every line has a record, or a signal came. */
static int work_off(struct pool *p, struct err *e)
{
	int r = feed(p, e);

	while (r >= 0 && (p->busy || (!p->at_end && !p->signal))) {
		r = wait_and_handle(p, e);
		if (r >= 0)
			r = feed(p, e);
	}
	/* No caller would read what the others still do. */
	if (r < 0 && p->busy) {
		end_workers(p, SIGTERM);
		while (p->busy && wait_and_handle(p, NULL) >= 0)
			;
	}
	return r < 0 ? r : write_held(p, true, e);
}

static void tell_end(struct pool *p, const char *verb)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;
	bool is_told;

	batch_progress_clear(&p->progress);
	is_told = batch_progress_add_end(&p->progress, now_ns(), &text);
	if (p->signal && p->b->output)
		strbuf_addstr(&text, "; the same command goes on with the others");
	if (is_told || p->signal || p->progress.is_terminal)
		cmd_warn("%s --batch: %s", verb, strbuf_str(&text));
}

int batch_run(const struct batch *b, const char *verb)
{
	struct pool p = {.b = b,
			 .out_fd = -1,
			 .signal_fd = -1,
			 .end = {-1, -1},
			 .in = {.fd = -1},
			 .report = REPORT_INIT};
	struct err e = ERR_INIT;
	int code, r = report_open(&p.report, b->report, verb, b->spec, &e);

	if (r >= 0)
		r = open_pool(&p, &e);
	if (r >= 0)
		r = work_off(&p, &e);
	if (r >= 0 && p.done.is_kept && report_add_file(&p.report, p.out_fd, &e) < 0)
		r = err_wrap(&e, "%s", b->output);
	if (r >= 0)
		r = report_write(&p.report, &e);
	batch_progress_clear(&p.progress);
	if (r >= 0)
		tell_end(&p, verb);
	if (r < 0)
		code = cmd_error(&e, "%s --batch", verb);
	else if (p.signal)
		code = 128 + p.signal;
	else
		code = p.progress.wrong || p.progress.failed;
	close_pool(&p);
	return code;
}
