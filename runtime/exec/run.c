/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One exec'd process from request to exit code. Descriptors: the link (what csbx-init tells, by
 * way of the supervisor), the status socket (the master of a new terminal, then why it failed, or
 * end of file when the program runs), signals, streams.
 *
 * The process's own end is the end, not the last byte: a process that it left behind in the
 * container may keep its streams open for days. Output that is there is copied, and later output
 * for DRAIN_MS.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/clock.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/exec/client.h"
#include "runtime/exec/proto.h"
#include "runtime/exec/request.h"
#include "runtime/child/init_msg.h"
#include "runtime/spec/result.h"
#include "runtime/spec/spec.h"
#include "runtime/exec/forwarded_signals.h"

#define DRAIN_MS 2000u
#define DRAIN_TTY_MS 100u /* of a terminal everything is there at once */

enum { ON_LINK, ON_STATUS, ON_SIGNAL, ON_SIZE, ON_STREAMS };
enum phase { PHASE_RUNNING, PHASE_TERMINATED, PHASE_KILLED, PHASE_DRAINING };

struct exec_loop {
	struct exec_link *link;
	const struct process_spec *proc;
	const struct exec_options *options;
	struct streams streams;
	int status_fd;
	int signal_fd;
	pid_t pid; /* as csbx-init sees it, 0: not told */
	enum phase phase;
	uint64_t next_ns; /* when the phase ends; 0: never */
	bool ended, timed_out, too_much, give_up;
	struct init_event ending; /* of the container, by a limit; type 0: no limit has said so */
	struct run_result *result;
};

static void enter_phase(struct exec_loop *l, enum phase phase, uint64_t last_ms)
{
	l->phase = phase;
	l->next_ns = last_ms ? clock_monotonic_ns() + last_ms * 1000000u : 0;
}

static void send_signal(struct exec_loop *l, uint32_t arg)
{
	struct init_request rq = {.magic = INIT_MAGIC, .type = INIT_REQ_SIGNAL_PID, .arg = arg};

	if (!l->ended)
		(void)fd_send(l->link->sock, &rq, sizeof(rq), NULL, 0, NULL);
}

/* --- while it runs ------------------------------------------------------------------------ */

/* Killed with the container, by a limit that is its processes' as well. */
static void take_ending(struct exec_loop *l)
{
	struct run_result *r = l->result;

	if (!l->ending.type || r->signal != SIGKILL)
		return;
	if (l->ending.arg == RUN_OOM) {
		r->status = RUN_OOM;
		r->oom_killed = true;
		r->detected = l->ending.status ? "event" : "tick";
	} else if (l->ending.arg == RUN_PIDS_LIMIT) {
		r->status = RUN_PIDS_LIMIT;
	}
}

static void child_ended(struct exec_loop *l, const struct init_event *ev)
{
	struct run_result *r = l->result;
	bool tty = l->streams.master >= 0;

	l->ended = true;
	enter_phase(l, PHASE_DRAINING, tty ? DRAIN_TTY_MS : DRAIN_MS);
	if (run_is_none(r->status))
		return;
	r->user_us = ev->utime_us;
	r->sys_us = ev->stime_us;
	r->maxrss_bytes = ev->maxrss_bytes;
	if (WIFSIGNALED(ev->status)) {
		r->status = RUN_SIGNALED;
		r->signal = WTERMSIG(ev->status);
		take_ending(l);
	} else {
		r->status = RUN_EXITED;
		r->exit_code = WEXITSTATUS(ev->status);
	}
}

/* End of file before the process's end was told: pid 1 is dead, and with it every process. */
static void container_ended(struct exec_loop *l)
{
	fd_close(&l->link->sock);
	if (l->ended)
		return;
	l->ended = true;
	l->result->status = RUN_KILLED;
	l->result->signal = SIGKILL;
	take_ending(l);
	enter_phase(l, PHASE_DRAINING, DRAIN_MS);
}

/* Ctrl-Z of the caller's shell: its job stops as a whole. */
static void stop_self(struct exec_loop *l)
{
	send_signal(l, SIGSTOP | INIT_SIGNAL_GROUP);
	streams_suspend(&l->streams);
	raise(SIGSTOP);
	streams_resume(&l->streams);
	send_signal(l, SIGCONT | INIT_SIGNAL_GROUP);
}

static void read_link(struct exec_loop *l)
{
	struct init_event ev;
	int none;
	ssize_t n = fd_recv(l->link->sock, &ev, sizeof(ev), &none, 1, NULL);

	fd_close(&none);
	if (n == -EAGAIN)
		return;
	if (n != sizeof(ev) || ev.magic != INIT_MAGIC)
		container_ended(l);
	else if (ev.type == INIT_EV_SPAWN_EXITED)
		child_ended(l, &ev);
	else if (ev.type == EXEC_EV_ENDING)
		l->ending = ev;
}

static void take_failure(struct exec_loop *l, const struct init_status *st)
{
	struct run_result *r = l->result;

	r->exit_code = init_status_error(st, l->proc, &r->error);
	if (st->stage == INIT_STAGE_USER || st->stage == INIT_STAGE_GROUPS) {
		r->exit_code = 126;
		err_set(&r->error, st->code, "user %u:%u: the container has no such id",
			l->proc->uid, l->proc->gid);
	}
	r->status = r->exit_code == INIT_EXIT_FAILED ? RUN_SANDBOX_ERROR : RUN_LAUNCH_ERROR;
}

static void read_size(struct exec_loop *l)
{
	const struct exec_watch *w = l->options->watch;
	unsigned rows, columns;

	if (w->read_size(w->arg, &rows, &columns))
		streams_set_size(&l->streams, rows, columns);
}

static void tell_started(const struct exec_loop *l)
{
	const struct exec_watch *w = l->options->watch;

	if (w && w->started && !run_is_none(l->result->status))
		w->started(w->arg, l->pid);
}

static int read_status(struct exec_loop *l, struct err *e)
{
	union {
		struct init_status init;
		char byte;
	} msg;
	int fd = -1, r = 0;
	ssize_t n = fd_recv(l->status_fd, &msg, sizeof(msg), &fd, 1, NULL);

	if (n == 1 && msg.byte == INIT_TTY_BYTE && fd >= 0 && l->streams.master < 0) {
		r = streams_set_master(&l->streams, take_fd(&fd), e);
	} else if (n == sizeof(msg.init) && msg.init.magic == INIT_MAGIC) {
		take_failure(l, &msg.init);
	} else {
		fd_close(&l->status_fd);
		tell_started(l);
	}
	fd_close(&fd);
	return r;
}

static void read_signal(struct exec_loop *l)
{
	struct signalfd_siginfo si;

	if (read(l->signal_fd, &si, sizeof(si)) != sizeof(si))
		return;
	switch (si.ssi_signo) {
	case SIGWINCH:
		streams_resize(&l->streams);
		break;
	case SIGTSTP:
		stop_self(l);
		break;
	case SIGCONT:
		break;
	default:
		send_signal(l, si.ssi_signo);
	}
}

static void check_output(struct exec_loop *l)
{
	if (l->too_much || !streams_too_much(&l->streams))
		return;
	l->too_much = true;
	send_signal(l, SIGKILL | INIT_SIGNAL_GROUP);
	if (l->phase < PHASE_KILLED)
		enter_phase(l, PHASE_KILLED, DRAIN_MS);
}

static void phase_ended(struct exec_loop *l)
{
	switch (l->phase) {
	case PHASE_RUNNING:
		l->timed_out = true;
		send_signal(l, SIGTERM | INIT_SIGNAL_GROUP);
		enter_phase(l, PHASE_TERMINATED, l->options->kill_after_ms);
		break;
	case PHASE_TERMINATED:
		send_signal(l, SIGKILL | INIT_SIGNAL_GROUP);
		enter_phase(l, PHASE_KILLED, DRAIN_MS);
		break;
	case PHASE_KILLED: /* it hangs in the kernel: csbx tells what it can */
	case PHASE_DRAINING:
		l->ended = l->give_up = true;
		l->next_ns = 0;
		break;
	}
}

static int poll_timeout_ms(const struct exec_loop *l)
{
	int most_ms = streams_is_background(&l->streams) ? (int)STREAM_LOOK_MS : -1, ms;
	uint64_t now;

	if (!l->next_ns)
		return most_ms;
	now = clock_monotonic_ns();
	ms = l->next_ns <= now ? 0 : (int)((l->next_ns - now + 999999u) / 1000000u);
	return most_ms >= 0 && most_ms < ms ? most_ms : ms;
}

static bool is_done(const struct exec_loop *l)
{
	if (l->options->detached)
		return l->status_fd < 0;
	return l->ended && (l->give_up || (l->status_fd < 0 && !streams_have_output(&l->streams)));
}

/*
 * By the keys: the caller goes on with what he had, and a process that has nothing of his stays with
 * the exec, whose terminal it holds.
 */
static int leave(struct exec_loop *l, struct err *e)
{
	int ready[2];
	pid_t keeper;
	char byte;

	if (pipe2(ready, O_CLOEXEC) < 0)
		return err_sys(e, "pipe");
	keeper = fork();
	if (keeper) {
		close(ready[1]);
		/* The caller may end with its terminal, whose signals are not to reach the keeper. */
		while (keeper > 0 && read(ready[0], &byte, 1) < 0 && errno == EINTR)
			;
		close(ready[0]);
		if (keeper < 0)
			return err_sys(e, "fork");
		*l->options->ret_left = true;
		l->ended = l->give_up = true;
		return 0;
	}
	setsid();
	streams_forget_caller(&l->streams);
	close(ready[0]);
	close(ready[1]);
	return 0;
}

static int run_loop(struct exec_loop *l, struct err *e)
{
	const struct exec_watch *w = l->options->watch;

	while (!is_done(l)) {
		struct pollfd p[ON_STREAMS + STREAM_POLL_MAX] = {
			[ON_LINK] = {.fd = l->link->sock, .events = POLLIN},
			[ON_STATUS] = {.fd = l->status_fd, .events = POLLIN},
			[ON_SIGNAL] = {.fd = l->signal_fd, .events = POLLIN},
			[ON_SIZE] = {.fd = w ? w->size_fd : -1, .events = POLLIN},
		};
		unsigned n = ON_STREAMS + streams_poll(&l->streams, p + ON_STREAMS);
		int r = 0;

		if (poll(p, n, poll_timeout_ms(l)) < 0 && errno != EINTR)
			return err_sys(e, "poll");
		/* The reason of a failure before the end that it caused. */
		if (p[ON_STATUS].revents)
			r = read_status(l, e);
		if (r < 0)
			return r;
		if (p[ON_LINK].revents)
			read_link(l);
		if (p[ON_SIGNAL].revents)
			read_signal(l);
		if (p[ON_SIZE].revents)
			read_size(l);
		streams_handle(&l->streams, p + ON_STREAMS, n - ON_STREAMS);
		if (streams_are_left(&l->streams) && (r = leave(l, e)) < 0)
			return r;
		if (streams_is_background(&l->streams))
			streams_look(&l->streams);
		check_output(l);
		if (l->next_ns && clock_monotonic_ns() >= l->next_ns)
			phase_ended(l);
	}
	return 0;
}

static void finish(struct exec_loop *l)
{
	struct run_result *r = l->result;

	streams_finish(&l->streams, r);
	if (l->options->detached && !run_is_none(r->status)) {
		r->status = RUN_EXITED;
		r->exit_code = 0;
	}
	if (l->too_much) {
		r->status = RUN_OUTPUT_LIMIT;
		r->signal = SIGKILL;
	} else if (l->timed_out && !run_is_none(r->status)) {
		r->status = RUN_TIMEOUT;
		r->timed_out = true;
	}
}

static int run(struct exec_loop *l, struct err *e)
{
	struct exec_ask ask = {
		.link = l->link,
		.proc = l->proc,
		.detached = l->options->detached,
		.tty_takes_stderr = l->options->tty_takes_stderr || isatty(2),
		.status = {-1, -1},
	};
	struct init_event ev;
	int r = streams_prepare(&l->streams, &l->options->streams, e);

	if (r >= 0) {
		memcpy(ask.streams, l->streams.child, sizeof(ask.streams));
		ask.status[0] = take_fd(&l->link->ahead_fd);
		r = exec_request(&ask, &ev, e);
		l->status_fd = take_fd(&ask.status[0]);
		fd_close(&ask.status[1]);
		streams_started(&l->streams);
	}
	if (r < 0)
		return r;
	l->result->setup_ns = clock_monotonic_ns();
	enter_phase(l, PHASE_RUNNING, l->options->timeout_ms);
	l->pid = ev.pid;
	if (ev.type == INIT_EV_SPAWN_EXITED)
		child_ended(l, &ev);
	r = run_loop(l, e);
	if (r >= 0)
		finish(l);
	return r;
}

int exec_run(struct exec_link *link, const struct process_spec *p, const struct exec_options *o,
	     struct run_result *ret, struct err *e)
{
	struct exec_loop l = {
		.link = link,
		.proc = p,
		.options = o,
		.status_fd = -1,
		.signal_fd = -1,
		.result = ret,
		.streams = {.child = {-1, -1, -1}, .master = -1},
	};
	uint64_t begin = clock_monotonic_ns();
	sigset_t old;
	int r;

	if (link->is_paused)
		return err_set(e, EBUSY, "it is paused");
	*ret = (struct run_result){.exit_code = -1};
	ret->started_at_ns = clock_realtime_ns();
	r = forwarded_signals_block(&old, &l.signal_fd, e);
	if (r < 0)
		return r;
	r = run(&l, e);
	if (ret->setup_ns)
		ret->setup_ns -= begin;
	ret->wall_ns = clock_monotonic_ns() - begin - ret->setup_ns;
	streams_done(&l.streams);
	fd_close(&l.status_fd);
	fd_close(&l.signal_fd);
	forwarded_signals_restore(&old, r >= 0);
	return r;
}
