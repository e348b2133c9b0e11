/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/streams.h"

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
#include "runtime/result.h"
#include "runtime/run_log.h"

static const struct pump no_pump = {.src = -1, .dst = -1};

static void close_side(int *fd, bool own)
{
	if (own && *fd >= 0)
		close(*fd);
	*fd = -1;
}

static void pump_done(struct pump *p)
{
	close_side(&p->src, p->own_src);
	close_side(&p->dst, p->own_dst);
	free(p->buf);
	*p = no_pump;
}

/* dst -1: what is read is kept or counted only. */
static int pump_init(struct pump *p, int src, bool own_src, int dst, bool own_dst, struct err *e)
{
	*p = (struct pump){
		.src = src, .dst = dst, .own_src = own_src, .own_dst = own_dst, .pass = dst >= 0};
	p->buf = malloc(STREAM_BUFFER_BYTES);
	if (!p->buf) {
		pump_done(p);
		return err_set(e, ENOMEM, "out of memory");
	}
	return 0;
}

/* Our own end must not block us; the other end, and the caller's descriptors, stay as they are. */
static void set_nonblocking(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags >= 0)
		(void)fcntl(fd, F_SETFL, flags | O_NONBLOCK);
}

/* What was read: counted, kept, and as far as it is to be passed on, left in the buffer. */
static void pump_take(struct pump *p, size_t n)
{
	if (p->stop_after && p->total + n > p->stop_after) {
		n = (size_t)(p->stop_after - p->total);
		p->too_much = true;
	}
	p->total += n;
	p->off = 0;
	p->len = p->keep ? capture_add(p->keep, p->buf, n) : n;
	if (p->log)
		run_log_add(p->log, p->number, p->buf, n);
	if (!p->pass)
		p->len = 0;
}

/* A terminal's end of input is a character; after an unfinished line the first one only ends that.
 */
static void pump_add_end(struct pump *p, char last)
{
	if (!p->end_char)
		return;
	p->buf[0] = p->buf[1] = p->end_char;
	p->off = 0;
	p->len = p->total && last != '\n' ? 2 : 1;
}

static void pump_read(struct pump *p)
{
	char last = p->off ? p->buf[p->off - 1] : 0;
	ssize_t n = read(p->src, p->buf, STREAM_BUFFER_BYTES);

	if (n > 0) {
		pump_take(p, (size_t)n);
		p->is_fresh = true;
	} else if (!n || (errno != EAGAIN && errno != EINTR)) {
		/* EIO: the last slave of a pty was closed. */
		close_side(&p->src, p->own_src);
		pump_add_end(p, last);
		if (!p->len)
			close_side(&p->dst, p->own_dst);
	}
}

/*
 * After POLLOUT a pipe takes PIPE_BUF bytes without blocking, pipe(7); the caller's descriptors
 * are in blocking mode and stay so, as other processes share them.
 */
static void pump_write(struct pump *p)
{
	size_t most = p->own_dst ? STREAM_BUFFER_BYTES : PIPE_BUF;
	ssize_t n = write(p->dst, p->buf + p->off, p->len < most ? p->len : most);

	if (n >= 0) {
		p->off += (size_t)n;
		p->len -= (size_t)n;
	} else if (errno != EAGAIN && errno != EINTR) {
		/* The reader went away: the writer must see it as EPIPE, so its pipe is closed too.
		 */
		p->len = 0;
		p->pass = false;
		close_side(&p->dst, p->own_dst);
		close_side(&p->src, p->own_src);
		return;
	}
	if (!p->len && p->src < 0 && p->own_dst)
		close_side(&p->dst, true);
}

/* Output limits and what is kept of an output stream. */
static void limit_output(struct streams *s, struct pump *p, struct capture *keep)
{
	p->stop_after = s->options.kill_bytes;
	p->log = s->options.log;
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
	set_nonblocking(mine);
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

int streams_prepare(struct streams *s, const struct stream_options *o, struct err *e)
{
	*s = (struct streams){.child = {-1, -1, -1}, .master = -1, .options = *o};
	s->in = s->out = s->err = no_pump;
	capture_init(&s->kept_out, o->keep_bytes);
	capture_init(&s->kept_err, o->keep_bytes);
	for (int fd = 0; fd < 3; fd++) {
		int r = 0;

		/* A caller may have closed one; whatever is opened next would take its place. */
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) < 0)
			return err_sys(e, "/dev/null");
		if (o->tty && (fd < 2 || isatty(2)))
			continue;
		if (!fd && o->close_stdin) {
			s->child[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
			r = s->child[0] < 0 ? err_sys(e, "/dev/null") : 0;
		} else if (is_copied(s, fd)) {
			r = prepare_copied(s, fd, e);
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

/* In the background it is not ours: whoever put us there has set the modes it wants. */
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

int streams_set_master(struct streams *s, int master, struct err *e)
{
	int copy = fcntl(master, F_DUPFD_CLOEXEC, 3), r;
	struct termios inner;

	s->master = master;
	if (copy < 0)
		return err_sys(e, "terminal");
	set_nonblocking(master);
	r = pump_init(&s->in, 0, false, copy, true, e);
	if (r >= 0)
		r = pump_init(&s->out, master, false, s->options.capture ? -1 : 1, false, e);
	if (r < 0)
		return r;
	limit_output(s, &s->out, &s->kept_out);
	streams_resize(s);
	s->from_terminal = tcgetattr(0, &s->saved) == 0;
	if (!s->from_terminal && tcgetattr(master, &inner) == 0)
		s->in.end_char = (char)inner.c_cc[VEOF];
	streams_look(s);
	return 0;
}

void streams_resize(struct streams *s)
{
	struct winsize w;

	if (s->master >= 0 && ioctl(0, TIOCGWINSZ, &w) == 0)
		(void)ioctl(s->master, TIOCSWINSZ, &w);
}

void streams_suspend(struct streams *s)
{
	unset_raw(s);
}

void streams_resume(struct streams *s)
{
	s->raw = false; /* whoever continued us may have set other modes */
	streams_look(s);
	streams_resize(s);
}

static unsigned pump_poll(const struct pump *p, struct pollfd *out)
{
	if (p->len && p->dst >= 0) {
		*out = (struct pollfd){.fd = p->dst, .events = POLLOUT};
		return 1;
	}
	if (!p->len && p->src >= 0) {
		*out = (struct pollfd){.fd = p->src, .events = p->paused ? 0 : POLLIN};
		return 1;
	}
	return 0;
}

unsigned streams_poll(const struct streams *s, struct pollfd *p)
{
	unsigned n = pump_poll(&s->in, p);

	n += pump_poll(&s->out, p + n);
	n += pump_poll(&s->err, p + n);
	return n;
}

static void pump_handle(struct pump *p, const struct pollfd *ev)
{
	if (!ev->revents)
		return;
	if (p->len && ev->fd == p->dst) {
		pump_write(p);
	} else if (!p->len && ev->fd == p->src) {
		pump_read(p);
	}
}

void streams_handle(struct streams *s, const struct pollfd *p, unsigned n)
{
	struct pump *const pumps[] = {&s->in, &s->out, &s->err};
	unsigned k = 0;

	for (unsigned i = 0; i < 3 && k < n; i++) {
		struct pollfd now;

		/* The same question in the same order as in streams_poll(): entries match pumps. */
		if (pump_poll(pumps[i], &now) && now.fd == p[k].fd)
			pump_handle(pumps[i], &p[k++]);
	}
	if (s->master >= 0 && s->from_terminal && s->in.src < 0 && !s->in.len)
		hang_up(s);
}

bool streams_have_output(const struct streams *s)
{
	const struct pump *const pumps[] = {&s->out, &s->err};

	for (unsigned i = 0; i < 2; i++) {
		if (pumps[i]->len || pumps[i]->src >= 0)
			return true;
	}
	return false;
}

bool streams_too_much(const struct streams *s)
{
	return s->out.too_much || s->err.too_much;
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
	capture_free(&s->kept_out);
	capture_free(&s->kept_err);
	fd_close(&s->master);
}
