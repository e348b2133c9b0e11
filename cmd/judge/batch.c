/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Theory. The parent reads lines, forks a worker for each and writes a record when the worker has
 * ended and all of the record has come through its pipe: a record is whole or not there. It reads
 * no further than it has workers free. A signal ends the workers, whose containers end with them,
 * and what they were at is left without a record, to be done by the next batch that adds to the
 * same output.
 */
#include "cmd/judge/batch.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cmd/judge/batch_line.h"
#include "cmd/judge/batch_done.h"
#include "cmd/judge/value/lines.h"
#include "cmd/judge/value/value.h"
#include "cmd/judge/value/json.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/json/out.h"

#define END_MS 3000 /* for workers that were asked to end */

struct worker {
	pid_t pid; /* 0: free */
	int fd;
	uint64_t line;
	struct strbuf record;
};

struct pool {
	const struct batch *b;
	struct lines in;
	struct batch_done done;
	int out_fd, signal_fd;
	sigset_t old_mask;
	struct worker *workers;
	struct pollfd *polls;
	unsigned n, busy;
	bool at_end;
	int signal; /* that ended it */
};

static void bad_line(uint64_t line, const char *label, const struct err *why, struct strbuf *out)
{
	struct json_out j = JSON_OUT_INIT;
	_free_ char *stage = str_printf("line %llu", (unsigned long long)line);

	json_begin_object(&j);
	json_key(&j, "id");
	json_raw(&j, label && *label ? label : NULL);
	json_ku64(&j, "line", line);
	json_kstr(&j, "status", "bad_line");
	json_kbool(&j, "success", false);
	json_key(&j, "error");
	json_begin_object(&j);
	json_kstr(&j, "code", "bad_line");
	json_kstr(&j, "stage", stage);
	json_kstr(&j, "message", why->msg);
	json_end_object(&j);
	json_end_object(&j);
	strbuf_add(out, strbuf_str(&j.buf), j.buf.len);
	strbuf_addch(out, '\n');
	json_out_free(&j);
}

/* The id of a line that is too long to be read, where that is what it begins with. */
static void find_label(const char *text, size_t len, struct strbuf *ret)
{
	static const char begin[] = "{\"id\":";
	_strbuf_ struct strbuf head = STRBUF_INIT;
	_value_pool_ struct value_pool pool = VALUE_POOL_INIT;
	const char *comma = memchr(text, ',', len < 4096 ? len : 4096);
	struct value v;

	if (!comma || len < sizeof(begin) || memcmp(text, begin, sizeof(begin) - 1))
		return;
	strbuf_add(&head, text, (size_t)(comma - text));
	strbuf_addch(&head, '}');
	if (batch_read_line(&pool, strbuf_str(&head), head.len, &v, ret, NULL) < 0)
		strbuf_reset(ret);
}

static int write_record(struct pool *p, const struct strbuf *record, struct err *e)
{
	return io_write_all(p->out_fd, strbuf_str(record), record->len, e) < 0
		       ? err_wrap(e, "write a record")
		       : 0;
}

/*
 * --- the worker ----------------------------------------------------------------------------------
 */

static void work(struct pool *p, uint64_t number, const char *text, size_t len, int fd)
{
	struct value_pool pool = VALUE_POOL_INIT;
	struct strbuf record = STRBUF_INIT, label = STRBUF_INIT;
	struct batch_line line = {.number = number};
	struct err e = ERR_INIT;
	struct value v;
	int r;

	(void)sigprocmask(SIG_SETMASK, &p->old_mask, NULL);
	r = batch_read_line(&pool, text, len, &v, &label, &e);
	if (r >= 0) {
		line.object = &v;
		line.label = label.len ? strbuf_str(&label) : NULL;
		r = p->b->work(p->b->ctx, &line, &record, &e);
	}
	if (r < 0) {
		strbuf_reset(&record);
		bad_line(number, strbuf_str(&label), &e, &record);
	}
	/* The memory goes with the process. */
	_exit(io_write_all(fd, strbuf_str(&record), record.len, NULL) < 0);
}

static int start_worker(struct pool *p, const char *text, size_t len, struct err *e)
{
	struct worker *w = p->workers;
	int fds[2];

	while (w->pid)
		w++;
	if (p->b->before)
		p->b->before(p->b->ctx);
	if (pipe2(fds, O_CLOEXEC) < 0)
		return err_sys(e, "pipe");
	w->pid = fork();
	if (!w->pid)
		work(p, p->in.number, text, len, fds[1]);
	close(fds[1]);
	if (w->pid < 0) {
		close(fds[0]);
		w->pid = 0;
		return err_sys(e, "fork");
	}
	w->fd = fds[0];
	w->line = p->in.number;
	strbuf_reset(&w->record);
	p->busy++;
	return 0;
}

/*
 * --- the parent ----------------------------------------------------------------------------------
 */

static bool is_blank(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (!strchr(" \t\r", text[i]) || !text[i])
			return false;
	}
	return true;
}

static bool is_done_already(const struct pool *p, const char *text, size_t len)
{
	_value_pool_ struct value_pool pool = VALUE_POOL_INIT;
	_strbuf_ struct strbuf label = STRBUF_INIT;
	struct value v;

	return p->done.labels.n && batch_read_line(&pool, text, len, &v, &label, NULL) >= 0 &&
	       label.len && batch_done_has(&p->done, strbuf_str(&label));
}

static int too_long_line(struct pool *p, const char *text, size_t len, struct err *e)
{
	_strbuf_ struct strbuf record = STRBUF_INIT, label = STRBUF_INIT;
	struct err why = ERR_INIT;

	err_set(&why, EFBIG, "longer than %u MiB", BATCH_LINE_BYTES_MAX >> 20);
	find_label(text, len, &label);
	bad_line(p->in.number, strbuf_str(&label), &why, &record);
	return write_record(p, &record, e);
}

/* Gives the next lines to free workers. */
static int feed(struct pool *p, struct err *e)
{
	while (!p->at_end && !p->signal && p->busy < p->n) {
		const char *text;
		size_t len;
		bool too_long;
		int r = lines_next(&p->in, &text, &len, &too_long, e);

		if (r < 0)
			return err_wrap(e, "%s", p->b->input);
		if (!r)
			p->at_end = true;
		else if (too_long)
			r = too_long_line(p, text, len, e);
		else if (!is_blank(text, len) && !is_done_already(p, text, len))
			r = start_worker(p, text, len, e);
		if (r < 0)
			return r;
	}
	return 0;
}

static int worker_ended(struct pool *p, struct worker *w, struct err *e)
{
	struct err why = ERR_INIT;
	int status = 0;

	while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR)
		;
	fd_close(&w->fd);
	w->pid = 0;
	p->busy--;
	if (p->signal)
		return 0;
	if (status || !w->record.len || w->record.failed) {
		err_set(&why, EIO, "csbx failed (wait status %d)", status);
		strbuf_reset(&w->record);
		bad_line(w->line, NULL, &why, &w->record);
	}
	return write_record(p, &w->record, e);
}

static int read_worker(struct pool *p, struct worker *w, struct err *e)
{
	ssize_t n;

	(void)strbuf_reserve(&w->record, 65536);
	if (w->record.failed)
		return err_oom(e);
	n = read(w->fd, w->record.data + w->record.len, 65536);
	if (n < 0 && errno == EINTR)
		return 0;
	if (n <= 0)
		return worker_ended(p, w, e);
	w->record.len += (size_t)n;
	w->record.data[w->record.len] = 0;
	return 0;
}

static void signal_workers(struct pool *p, int sig)
{
	for (unsigned i = 0; i < p->n; i++) {
		if (p->workers[i].pid)
			kill(p->workers[i].pid, sig);
	}
}

static void read_signal(struct pool *p)
{
	struct signalfd_siginfo si;

	if (read(p->signal_fd, &si, sizeof(si)) != sizeof(si))
		return;
	if (!p->signal)
		p->signal = (int)si.ssi_signo;
	signal_workers(p, SIGTERM);
}

static int wait_and_handle(struct pool *p, struct err *e)
{
	int r = 0, ready;

	for (unsigned i = 0; i < p->n; i++)
		p->polls[i] = (struct pollfd){.fd = p->workers[i].pid ? p->workers[i].fd : -1,
					      .events = POLLIN};
	p->polls[p->n] = (struct pollfd){.fd = p->signal_fd, .events = POLLIN};
	ready = poll(p->polls, p->n + 1, p->signal ? END_MS : -1);
	if (ready < 0)
		return errno == EINTR ? 0 : err_sys(e, "poll");
	if (!ready)
		signal_workers(p, SIGKILL);
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
	p->in = (struct lines){.max = BATCH_LINE_BYTES_MAX};
	p->in.fd = str_eq(b->input, "-") ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
					 : open(b->input, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (p->in.fd < 0)
		return err_sys(e, "%s", b->input);
	p->out_fd = b->output ? batch_done_open(b->output, &p->done, e)
			      : fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (p->out_fd < 0)
		return b->output ? p->out_fd : err_sys(e, "standard output");
	sigemptyset(&mask);
	sigaddset(&mask, SIGINT);
	sigaddset(&mask, SIGTERM);
	sigaddset(&mask, SIGHUP);
	(void)sigprocmask(SIG_BLOCK, &mask, &p->old_mask);
	p->signal_fd = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	p->workers = calloc(p->n, sizeof(*p->workers));
	p->polls = calloc(p->n + 1, sizeof(*p->polls));
	return p->signal_fd < 0 || !p->workers || !p->polls ? err_oom(e) : 0;
}

static void close_pool(struct pool *p)
{
	for (unsigned i = 0; p->workers && i < p->n; i++)
		strbuf_free(&p->workers[i].record);
	free(p->workers);
	free(p->polls);
	lines_free(&p->in);
	fd_close(&p->in.fd);
	fd_close(&p->out_fd);
	fd_close(&p->signal_fd);
	batch_done_free(&p->done);
}

int batch_run(const struct batch *b, struct err *e)
{
	struct pool p = {.b = b, .out_fd = -1, .signal_fd = -1, .in = {.fd = -1}};
	int r = open_pool(&p, e);

	if (r >= 0)
		r = feed(&p, e);
	while (r >= 0 && p.busy) {
		r = wait_and_handle(&p, e);
		if (r >= 0)
			r = feed(&p, e);
	}
	/* No caller would read what the others still do. */
	if (r < 0 && p.busy) {
		p.signal = SIGTERM;
		signal_workers(&p, SIGTERM);
		while (p.busy && wait_and_handle(&p, NULL) >= 0)
			;
	}
	close_pool(&p);
	return r < 0 ? r : p.signal;
}
