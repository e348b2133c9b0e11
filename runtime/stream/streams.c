/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/stream/streams.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/str.h"
#include "runtime/spec/result.h"
#include "runtime/stream/run_log.h"

/* Output limits and what is kept of an output stream. */
static void limit_output(struct streams *s, struct pump *p, struct capture *keep)
{
	p->stop_after = s->options.kill_bytes;
	p->keep_src = s->options.goes_on;
	p->log = s->options.log;
	if (s->options.lent)
		p->audience = p == &s->out ? &s->hears_out : &s->hears_err;
	if (s->options.capture || p->log)
		p->pass = false;
	if (s->options.keep_bytes)
		p->keep = keep;
}

static int prepare_copied(struct streams *s, int fd, struct err *e)
{
	struct pump *p = fd == 0 ? &s->in : fd == 1 ? &s->out : &s->err;
	int ends[2], mine, r;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_sys(e, "pipe");
	s->child[fd] = ends[fd ? 1 : 0];
	mine = ends[fd ? 0 : 1];
	pump_set_nonblocking(mine);
	if (!fd) {
		s->from_terminal = isatty(0);
		r = pump_init(p, fd, false, mine, true, e);
		streams_look(s);
		return r;
	}
	r = pump_init(p, mine, true, s->options.capture ? -1 : fd, false, e);
	p->number = fd;
	limit_output(s, p, fd == 1 ? &s->kept_out : &s->kept_err);
	return r;
}

/* No stream of ours: pipes for clients who come and go. */
static int prepare_lent(struct streams *s, int fd, struct err *e)
{
	struct pump *p = fd == 0 ? &s->in : fd == 1 ? &s->out : &s->err;
	int ends[2], mine, r;

	if (s->options.tty)
		return 0;
	if (!fd && s->options.close_stdin) {
		s->child[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
		return s->child[0] < 0 ? err_sys(e, "/dev/null") : 0;
	}
	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_sys(e, "pipe");
	s->child[fd] = ends[fd ? 1 : 0];
	mine = ends[fd ? 0 : 1];
	pump_set_nonblocking(mine);
	if (!fd) {
		r = pump_init(p, -1, true, mine, true, e);
		p->keep_dst = !s->options.stdin_once;
		return r;
	}
	r = pump_init(p, mine, true, -1, false, e);
	p->number = fd;
	limit_output(s, p, fd == 1 ? &s->kept_out : &s->kept_err);
	return r;
}

static bool is_copied(const struct streams *s, int fd)
{
	const struct stream_options *o = &s->options;

	struct stat st;

	if (fd && (o->capture || o->log || o->keep_bytes || o->kill_bytes))
		return true;
	if (fd && o->copy_pipes && fstat(fd, &st) == 0 &&
	    (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)))
		return true;
	return isatty(fd);
}

/*
 * Checks a descriptor that is handed in as it is. From a directory a program could walk up: it is
 * the way to every file and socket of the host, whatever its root. The same of a place that was not
 * even opened to be read, O_PATH.
 */
static int check_passed(int fd, struct err *e)
{
	static const char *const names[] = {"input", "output", "error"};
	int flags = fcntl(fd, F_GETFL);
	struct stat st;

	if (flags < 0 || fstat(fd, &st) < 0)
		return err_sys(e, "standard %s", names[fd]);
	if (S_ISDIR(st.st_mode))
		return err_set(e, EISDIR,
			       "standard %s is a directory, from which a program inside could "
			       "reach the rest of the host",
			       names[fd]);
	if (flags & O_PATH)
		return err_set(e, EBADF, "standard %s is not open (O_PATH)", names[fd]);
	return 0;
}

int streams_prepare(struct streams *s, const struct stream_options *o, struct err *e)
{
	*s = (struct streams){
		.child = {-1, -1, -1}, .master = -1, .waiting_stdin = -1, .options = *o};
	s->in = s->out = s->err = no_pump;
	capture_init(&s->kept_out, o->keep_bytes);
	capture_init(&s->kept_err, o->keep_bytes);
	for (int fd = 0; fd < 3; fd++) {
		int r = 0;

		/* A caller may have closed one; whatever is opened next would take its place. */
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) < 0)
			return err_sys(e, "/dev/null");
		if (o->lent) {
			r = prepare_lent(s, fd, e);
		} else if (o->tty && (fd < 2 || isatty(2))) {
			continue;
		} else if (!fd && o->close_stdin) {
			s->child[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
			r = s->child[0] < 0 ? err_sys(e, "/dev/null") : 0;
		} else if (is_copied(s, fd)) {
			r = prepare_copied(s, fd, e);
		} else {
			r = check_passed(fd, e);
		}
		if (r < 0)
			return r;
	}
	return 0;
}

void streams_started(struct streams *s)
{
	for (int i = 0; i < 3; i++)
		fd_close(&s->child[i]);
}

/* The terminal is ours to change and read: our job is in front, or it is not a job's at all. */
static bool is_in_front(void)
{
	pid_t group = tcgetpgrp(0);

	return group < 0 || group == getpgrp();
}

static void set_raw(struct streams *s)
{
	struct termios t = s->saved;

	cfmakeraw(&t);
	s->raw = tcsetattr(0, TCSADRAIN, &t) == 0;
}

/* In the background it is not ours: the shell that put us there has set the modes it wants. */
static void unset_raw(struct streams *s)
{
	if (s->raw && is_in_front())
		(void)tcsetattr(0, TCSADRAIN, &s->saved);
	s->raw = false;
}

bool streams_is_background(const struct streams *s)
{
	return s->in.paused;
}

void streams_look(struct streams *s)
{
	s->in.paused = s->from_terminal && s->in.src >= 0 && !is_in_front();
	if (s->in.paused)
		s->raw = false;
	else if (s->from_terminal && s->master >= 0 && !s->raw)
		set_raw(s);
}

/* The terminal is gone: so is the container's, which tells the programs on it. */
static void hang_up(struct streams *s)
{
	pump_done(&s->in);
	s->out.src = -1;
	fd_close(&s->master);
}

/* The clients' terminals are their own affair; one that is there already is heard from now on. */
static int set_lent_master(struct streams *s, int copy, struct err *e)
{
	int lent = take_fd(&s->waiting_stdin);
	int r = pump_init(&s->in, lent, true, copy, true, e);

	if (r >= 0)
		r = pump_init(&s->out, s->master, false, -1, false, e);
	s->in.keep_dst = true;
	s->out.number = 1;
	limit_output(s, &s->out, &s->kept_out);
	if (s->size.ws_row)
		(void)ioctl(s->master, TIOCSWINSZ, &s->size);
	return r;
}

int streams_set_master(struct streams *s, int master, struct err *e)
{
	int copy = fcntl(master, F_DUPFD_CLOEXEC, 3), r;
	struct termios inner;

	s->master = master;
	if (copy < 0)
		return err_sys(e, "terminal");
	pump_set_nonblocking(master);
	if (s->options.lent)
		return set_lent_master(s, copy, e);
	r = pump_init(&s->in, 0, false, copy, true, e);
	if (r >= 0)
		r = pump_init(&s->out, master, false, s->options.capture ? -1 : 1, false, e);
	if (r < 0)
		return r;
	if (s->options.keys.n)
		s->in.keys = &s->options.keys;
	limit_output(s, &s->out, &s->kept_out);
	streams_resize(s);
	s->from_terminal = tcgetattr(0, &s->saved) == 0;
	s->in.keep_dst = s->options.goes_on;
	if (!s->from_terminal && !s->options.goes_on && tcgetattr(master, &inner) == 0)
		s->in.end_char = (char)inner.c_cc[VEOF];
	streams_look(s);
	return 0;
}

void streams_resize(struct streams *s)
{
	struct winsize w;

	if (s->master >= 0 && !s->options.lent && ioctl(0, TIOCGWINSZ, &w) == 0)
		(void)ioctl(s->master, TIOCSWINSZ, &w);
}

void streams_suspend(struct streams *s)
{
	unset_raw(s);
}

void streams_resume(struct streams *s)
{
	s->raw = false; /* the shell that continued us may have set other modes */
	streams_look(s);
	streams_resize(s);
}

unsigned streams_poll(const struct streams *s, struct pollfd *p)
{
	unsigned n = pump_poll(&s->in, p);

	n += pump_poll(&s->out, p + n);
	n += pump_poll(&s->err, p + n);
	return n;
}

/* An entry of the poll set may be another pump's by now: it is found by its descriptor. */
static void handle_pump(struct pump *p, const struct pollfd *events, unsigned n)
{
	struct pollfd now[STREAM_POLL_MAX];
	unsigned k = pump_poll(p, now);

	for (unsigned i = 0; i < k; i++) {
		for (unsigned j = 0; j < n; j++) {
			if (events[j].fd == now[i].fd && events[j].revents &&
			    events[j].events == now[i].events)
				pump_handle(p, now[i].fd);
		}
	}
}

void streams_handle(struct streams *s, const struct pollfd *p, unsigned n)
{
	struct pump *const pumps[] = {&s->in, &s->out, &s->err};

	for (unsigned i = 0; i < 3; i++)
		handle_pump(pumps[i], p, n);
	if (s->master >= 0 && s->from_terminal && s->in.src < 0 && !s->in.len)
		hang_up(s);
}

bool streams_have_output(const struct streams *s)
{
	return pump_is_busy(&s->out) || pump_is_busy(&s->err);
}

/* --- clients who lend their streams ------------------------------------------------------- */

static void lend(struct streams *s, uint32_t id, struct audience *a, const struct pump *p, int fd)
{
	if (s->options.tty && p != &s->out)
		close(fd);
	else
		(void)audience_add(a, id, fd, p->len);
}

/* One at a time gives the input; of the next the input is not read. */
static void lend_stdin(struct streams *s, uint32_t id, int fd)
{
	bool wanted = !s->options.close_stdin && (s->in.dst >= 0 || s->options.tty);

	if (!wanted || s->in.src >= 0 || s->waiting_stdin >= 0) {
		close(fd);
		return;
	}
	s->stdin_id = id;
	if (s->options.tty && s->master < 0)
		s->waiting_stdin = fd;
	else
		s->in.src = fd;
}

void streams_attach(struct streams *s, uint32_t id, int fds[3])
{
	if (fds[0] >= 0)
		lend_stdin(s, id, take_fd(&fds[0]));
	if (fds[1] >= 0)
		lend(s, id, &s->hears_out, &s->out, take_fd(&fds[1]));
	if (fds[2] >= 0)
		lend(s, id, &s->hears_err, &s->err, take_fd(&fds[2]));
}

void streams_detach(struct streams *s, uint32_t id)
{
	audience_remove(&s->hears_out, id);
	audience_remove(&s->hears_err, id);
	if (s->stdin_id != id)
		return;
	fd_close(&s->waiting_stdin);
	if (s->in.src >= 0)
		pump_end_src(&s->in);
	s->stdin_id = 0;
}

void streams_set_size(struct streams *s, unsigned rows, unsigned columns)
{
	s->size =
		(struct winsize){.ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns};
	if (s->master >= 0)
		(void)ioctl(s->master, TIOCSWINSZ, &s->size);
}

bool streams_too_much(const struct streams *s)
{
	return s->out.too_much || s->err.too_much;
}

bool streams_are_left(const struct streams *s)
{
	return s->in.is_left;
}

void streams_forget_caller(struct streams *s)
{
	_close_ int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = 0; null >= 0 && fd < 3; fd++)
		(void)dup2(null, fd);
	s->from_terminal = s->raw = false;
	s->in.src = -1;
	s->in.end_char = 0;
	s->in.keep_dst = true;
	s->in.is_left = s->in.paused = false;
}

static void flush_tail(const struct pump *p, int fd)
{
	_strbuf_ struct strbuf tail = STRBUF_INIT;

	if (!p->keep || !p->pass)
		return;
	capture_text(p->keep, true, &tail);
	(void)io_write_all(fd, strbuf_str(&tail), tail.len, NULL);
}

static void take_output(const struct pump *p, const struct capture *kept, struct run_output *ret)
{
	ret->bytes = p->total;
	ret->truncated = p->keep && capture_is_truncated(kept);
	if (p->keep && !p->pass)
		capture_text(kept, false, &ret->text);
}

void streams_finish(struct streams *s, struct run_result *ret)
{
	ret->is_captured = s->options.capture;
	take_output(&s->out, &s->kept_out, &ret->out);
	take_output(&s->err, &s->kept_err, &ret->err);
	flush_tail(&s->out, 1);
	flush_tail(&s->err, 2);
}

void streams_done(struct streams *s)
{
	unset_raw(s);
	streams_started(s);
	pump_done(&s->in);
	pump_done(&s->out);
	pump_done(&s->err);
	audience_free(&s->hears_out);
	audience_free(&s->hears_err);
	fd_close(&s->waiting_stdin);
	capture_free(&s->kept_out);
	capture_free(&s->kept_err);
	fd_close(&s->master);
}
