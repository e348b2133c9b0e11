/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Theory. One poll(2) loop; every source is a descriptor:
 *
 *	status	  EOF: execve succeeded. struct err: the child failed before csbx-init.
 *		  struct init_status: csbx-init or the payload failed before execve.
 *	control	  csbx-init: started, stopped, exited with its wait status; the pty's master
 *	pidfd	  pid 1 is dead; with it, by the kernel, every process of the container
 *	server	  end of file: the image server died, what the payload says now means nothing
 *	signals	  forwarded to the main process; SIGTSTP and SIGCONT are job control
 *	exec	  other commands want processes in the container (exec_server.h)
 *	streams	  copied (streams.h)
 *
 * Time is CLOCK_MONOTONIC. At --timeout every process gets SIGTERM, --kill-after later pid 1 is
 * killed and all with it. A task that hangs on a stopped image server cannot die before its
 * request ends: when pid 1 is not gone HUNG_MS later and the server has not answered a question
 * either, nor in the GRACE_MS that follow, the server is killed, which ends the request.
 *
 * The verdict comes from csbx-init's message; the loop ends with the death of pid 1, so that
 * nothing of the container is left when csbx returns. A pid 1 that dies without a message was
 * killed from outside: a failure of the sandbox.
 */
#include "runtime/supervise.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/log.h"
#include "runtime/cgroup.h"
#include "runtime/exec_proto.h"
#include "runtime/exec_server.h"
#include "runtime/fetch.h"
#include "runtime/init/init_abi.h"
#include "runtime/init_msg.h"
#include "runtime/net_tried.h"
#include "runtime/job_control.h"
#include "runtime/result.h"
#include "runtime/server_hung.h"
#include "runtime/spec.h"
#include "runtime/squashd_client.h"
#include "runtime/verdict.h"
#include "runtime/watchdog.h"

enum { ON_STATUS, ON_CONTROL, ON_PIDFD, ON_SERVER, ON_SIGNAL, ON_EXEC, ON_STREAMS };

#define HUNG_MS 300u  /* death of a killed pid 1 takes well under 1 ms */
#define GRACE_MS 200u /* for a server that did not run meanwhile, nor perhaps did we */
#define DRAIN_MS 20u  /* a stalled reader does not hold up the result of a timeout */

enum phase {
	PHASE_RUNNING,
	PHASE_TERMINATED,
	PHASE_KILLED,
	PHASE_SERVER_ASKED,
	PHASE_SERVER_KILLED
};

struct loop {
	struct supervise *s;
	enum phase phase;
	uint64_t next_ns; /* when the phase ends; 0: never */
	uint64_t look_ns; /* when the watchdog looks next; 0: never */
	struct ending end;
	bool give_up_output;
	bool stopping; /* by `csbx stop`: it is killed when it does not go */
	bool dead, server_answered;
	bool is_stopped;                                /* the main process, and we are not */
	enum { STOP_NONE, STOP_TYPED, STOP_SENT } stop; /* the stop that was asked for */
	int wait_status;                                /* of the main process */
	int snmp_fd; /* counters of the container's network, -1: none of interest */
};

int supervise_signals(sigset_t *ret_old, int *ret_fd, struct err *e)
{
	static const int forwarded[] = {SIGINT,  SIGTERM,  SIGHUP,  SIGQUIT, SIGUSR1,
					SIGUSR2, SIGWINCH, SIGTSTP, SIGCONT};
	sigset_t set;

	signal(SIGCHLD, SIG_DFL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGTTOU, SIG_IGN); /* tcsetattr from the background must not stop us half-way */
	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(forwarded) / sizeof(forwarded[0]); i++)
		sigaddset(&set, forwarded[i]);
	sigaddset(&set, EXEC_WAKE_SIGNAL);
	if (sigprocmask(SIG_BLOCK, &set, ret_old) < 0)
		return err_sys(e, "block signals");
	*ret_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return *ret_fd < 0 ? err_sys(e, "signalfd") : 0;
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void enter_phase(struct loop *l, enum phase phase, uint64_t last_ms)
{
	l->phase = phase;
	l->next_ns = last_ms ? now_ns() + last_ms * 1000000u : 0;
}

static void kill_container(struct loop *l)
{
	if (!l->dead)
		(void)syscall(SYS_pidfd_send_signal, l->s->pid1.pidfd, SIGKILL, NULL, 0);
	cgroup_kill(l->s->cgroup);
	if (l->phase < PHASE_KILLED) {
		server_ping(l->s->server_fd);
		enter_phase(l, PHASE_KILLED, HUNG_MS);
	}
}

/* A limit was passed: the container ends now, whatever its processes do. */
static void end_by_limit(struct loop *l, enum run_status status)
{
	if (l->end.by == RUN_EXITED && !l->end.exited)
		l->end.by = status;
	kill_container(l);
}

/* What it wrote counts, also when it was read after the end: the verdict is no matter of luck. */
static void too_much_output(struct loop *l)
{
	if (l->end.by == RUN_EXITED)
		l->end.by = RUN_OUTPUT_LIMIT;
	if (!l->dead)
		kill_container(l);
}

/* A request that cannot be sent finds a container that is ending: its death will be seen. */
static void request(struct loop *l, uint32_t type, int signal)
{
	struct init_request req = {.magic = INIT_MAGIC, .type = type, .arg = (uint32_t)signal};

	(void)fd_send(l->s->control_fd, &req, sizeof(req), NULL, 0, NULL);
}

static void fail(struct loop *l, const struct err *e)
{
	if (!l->end.failed)
		l->end.error = *e;
	l->end.failed = true;
	kill_container(l);
}

/* The command could not be run: the caller's mistake, told apart from ours. */
static void launch_error(struct loop *l, const struct init_status *st)
{
	struct run_result *r = l->s->result;

	r->status = RUN_LAUNCH_ERROR;
	r->exit_code = init_status_error(st, &l->s->spec->proc, &r->error);
	l->end.exited = true;
}

static void read_status(struct loop *l)
{
	union {
		struct err err;
		struct init_status init;
	} msg;
	struct err e = ERR_INIT;
	ssize_t n = read(l->s->status_fd, &msg, sizeof(msg));

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n == 0) {
		l->end.started = true;
		if (l->s->started_fd >= 0)
			(void)!write(l->s->started_fd, "", 1);
		/* Now, while there is nothing else to do: at the exit pid 1 may be gone. */
		if (l->s->mounts_are_private && l->s->server_fd >= 0)
			squashd_keep_mounts(l->s->server_fd, l->s->pid1.pid);
		if (l->s->spec->ns.net == NET_NONE)
			l->snmp_fd = net_tried_open(l->s->pid1.pid);
		log_trace("payload runs");
	} else if (n == sizeof(msg.err)) {
		err_sanitize(&msg.err);
		fail(l, &msg.err);
	} else if (n == sizeof(msg.init) && msg.init.magic == INIT_MAGIC) {
		if (msg.init.stage == INIT_STAGE_EXEC) {
			launch_error(l, &msg.init);
		} else {
			init_status_error(&msg.init, &l->s->spec->proc, &e);
			fail(l, &e);
		}
	} else {
		err_set(&e, EPROTO, "garbled start-up status");
		fail(l, &e);
	}
	fd_close(&l->s->status_fd);
}

static void go_on(struct loop *l)
{
	l->is_stopped = false;
	l->stop = STOP_NONE;
	streams_resume(l->s->streams);
	request(l, INIT_REQ_SIGNAL_ALL, SIGCONT);
}

/*
 * The main process has stopped, by itself or because we stopped all: the caller's shell must see
 * csbx stopped too, with its terminal as it was. Without a terminal in between, a program that
 * stops itself is its own affair: it must not stop the clock of --timeout.
 */
static void main_stopped(struct loop *l)
{
	l->is_stopped = true;
	if (l->stop == STOP_NONE && l->s->streams->master >= 0)
		l->stop = STOP_TYPED;
	if (l->stop == STOP_NONE)
		return;
	streams_suspend(l->s->streams);
	job_control_stop(l->stop == STOP_TYPED);
	go_on(l);
}

/* SI_KERNEL: from the terminal, which a pty of ours in raw mode does not do. */
static void stop_asked(struct loop *l, bool was_typed)
{
	l->stop = was_typed ? STOP_TYPED : STOP_SENT;
	if (l->is_stopped)
		main_stopped(l);
	else
		request(l, INIT_REQ_SIGNAL_ALL, SIGSTOP);
}

/* What was typed may be a Ctrl-Z that the kernel will discard (job_control.h). */
static void check_typed(struct loop *l)
{
	struct streams *s = l->s->streams;
	bool fresh = s->in.is_fresh;

	s->in.is_fresh = false;
	if (!fresh || s->master < 0 || l->dead ||
	    !job_control_is_lost(s->master, s->in.buf + s->in.off, s->in.len, l->s->pid1.pid))
		return;
	request(l, INIT_REQ_SIGNAL_ALL, SIGSTOP);
}

static void take_exit(struct loop *l, const struct init_event *ev)
{
	struct run_result *r = l->s->result;

	if (l->end.exited)
		return;
	l->end.exited = true;
	l->wait_status = ev->status;
	r->user_us = ev->utime_us;
	r->sys_us = ev->stime_us;
	r->maxrss_bytes = ev->maxrss_bytes;
	if (WIFSIGNALED(ev->status)) {
		r->status = RUN_SIGNALED;
		r->signal = WTERMSIG(ev->status);
		r->exit_code = -1;
	} else {
		r->status = RUN_EXITED;
		r->exit_code = WEXITSTATUS(ev->status);
		r->net_tried = r->exit_code && net_tried(l->snmp_fd);
	}
}

static void start_watchdog(struct loop *l, int fds[], bool has_shm)
{
	struct watchdog_view *view;
	unsigned i = 0;

	if (!l->s->watchdog || l->s->watchdog->view.proc_fd >= 0)
		return;
	view = &l->s->watchdog->view;
	view->proc_fd = take_fd(&fds[i++]);
	if (has_shm)
		view->shm_fd = take_fd(&fds[i++]);
	while (i < FD_PASS_MAX && fds[i] >= 0 && view->n_tmpfs < WATCHDOG_TMPFS_MAX)
		view->tmpfs_fds[view->n_tmpfs++] = take_fd(&fds[i++]);
	l->look_ns = now_ns();
}

static void oom(struct loop *l, const char *detected)
{
	end_by_limit(l, RUN_OOM);
	if (l->end.by == RUN_OOM) {
		l->s->result->oom_killed = true;
		l->s->result->detected = detected;
	}
}

static void look(struct loop *l)
{
	if (l->dead || l->end.exited) {
		l->look_ns = 0;
		return;
	}
	switch (watchdog_look(l->s->watchdog)) {
	case WATCHDOG_MEMORY:
		oom(l, "tick");
		break;
	case WATCHDOG_PIDS:
		end_by_limit(l, RUN_PIDS_LIMIT);
		break;
	case WATCHDOG_IN_LIMITS:
		break;
	}
	l->look_ns = now_ns() + watchdog_interval_ms(l->s->watchdog) * 1000000u;
}

static void read_control(struct loop *l)
{
	struct init_event ev;
	struct err e = ERR_INIT;
	int fds[FD_PASS_MAX], fd;
	ssize_t n = fd_recv(l->s->control_fd, &ev, sizeof(ev), fds, FD_PASS_MAX, &e);

	if (n == -EAGAIN)
		return;
	if (n != sizeof(ev) || ev.magic != INIT_MAGIC) {
		for (fd = 0; fd < FD_PASS_MAX; fd++)
			fd_close(&fds[fd]);
		fd_close(&l->s->control_fd); /* end of file: init is ending */
		l->s->exec->control_fd = -1;
		return;
	}
	if (ev.type == LAUNCH_EV_TERMINAL && fds[0] >= 0) {
		if (streams_set_master(l->s->streams, take_fd(&fds[0]), &e) < 0)
			fail(l, &e);
	} else if (ev.type == LAUNCH_EV_VIEW && fds[0] >= 0) {
		start_watchdog(l, fds, ev.arg);
	} else if (ev.type == LAUNCH_EV_ROOT && fds[1] >= 0 && l->s->fetch->root_fd < 0) {
		l->s->fetch->root_fd = take_fd(&fds[0]);
		l->s->fetch->ns_fd = take_fd(&fds[1]);
	} else if (ev.type == INIT_EV_STOPPED) {
		main_stopped(l);
	} else if (ev.type == INIT_EV_EXITED) {
		take_exit(l, &ev);
	} else {
		exec_server_event(l->s->exec, &ev);
	}
	for (fd = 0; fd < FD_PASS_MAX; fd++)
		fd_close(&fds[fd]);
}

/* `csbx stop` and `csbx kill`: a signal for the main process, and the end of all when it takes too
 * long. */
static void stop_if_asked(struct loop *l)
{
	struct exec_stop *stop = &l->s->exec->stop;

	if (!stop->is_asked)
		return;
	stop->is_asked = false;
	if (stop->signal == SIGKILL) {
		end_by_limit(l, RUN_KILLED);
		return;
	}
	request(l, INIT_REQ_SIGNAL, (int)stop->signal);
	if (stop->grace_ms && l->phase == PHASE_RUNNING) {
		request(l, INIT_REQ_SIGNAL, SIGCONT);
		l->stopping = true;
		enter_phase(l, PHASE_TERMINATED, stop->grace_ms);
	}
}

static void read_signal(struct loop *l)
{
	struct signalfd_siginfo si;

	if (read(l->s->signal_fd, &si, sizeof(si)) != sizeof(si))
		return;
	if ((int)si.ssi_signo == EXEC_WAKE_SIGNAL) {
		(void)exec_server_open(l->s->exec, NULL);
		return;
	}
	switch (si.ssi_signo) {
	case SIGWINCH:
		streams_resize(l->s->streams);
		break;
	case SIGTSTP:
		stop_asked(l, si.ssi_code == SI_KERNEL);
		break;
	case SIGCONT:
		go_on(l);
		break;
	default:
		if (l->end.started) {
			request(l, INIT_REQ_SIGNAL, (int)si.ssi_signo);
		} else {
			l->end.killed_by = (int)si.ssi_signo;
			kill_container(l);
		}
	}
}

static void reap(struct loop *l)
{
	siginfo_t si = {0};

	if (waitid(P_PIDFD, (id_t)l->s->pid1.pidfd, &si, WEXITED | __WALL | WNOHANG) < 0 ||
	    !si.si_pid)
		return;
	l->dead = true;
	if (l->phase != PHASE_RUNNING)
		enter_phase(l, PHASE_KILLED, DRAIN_MS);
	else
		l->next_ns = 0;
	log_trace("pid 1 ended: code %d status %d", si.si_code, si.si_status);
}

/* An answer, or its end. A limit that was passed before that stays the verdict. */
static void read_server(struct loop *l)
{
	struct err e = ERR_INIT;

	if (server_has_answered(l->s->server_fd)) {
		l->server_answered = true;
		return;
	}
	err_set(&e, EIO, "the image server died");
	if (!l->end.exited && l->end.by == RUN_EXITED)
		fail(l, &e);
	l->s->server_fd = -1;
}

/*
 * pid 1 was killed and is still there. Memory to free and a busy machine take time; a server that
 * answers is not to blame.
 */
static void check_server(struct loop *l)
{
	bool is_asked_twice = l->phase == PHASE_SERVER_ASKED;

	if (l->s->spec->rootfs.kind != ROOTFS_SQUASHFS || l->server_answered) {
		l->server_answered = false;
		server_ping(l->s->server_fd);
		enter_phase(l, PHASE_KILLED, HUNG_MS);
	} else if (!is_asked_twice) {
		enter_phase(l, PHASE_SERVER_ASKED, GRACE_MS);
	} else {
		squashd_kill(l->s->server_fd, l->s->server_pid);
		err_set(&l->s->result->error, EIO, "the image server did not answer");
		enter_phase(l, PHASE_SERVER_KILLED, 0);
	}
}

static void phase_ended(struct loop *l)
{
	switch (l->phase) {
	case PHASE_RUNNING:
		l->end.by = l->end.exited ? l->end.by : RUN_TIMEOUT;
		request(l, INIT_REQ_SIGNAL_ALL, SIGTERM);
		enter_phase(l, PHASE_TERMINATED, l->s->spec->limits.kill_after_ms);
		break;
	case PHASE_TERMINATED:
		if (l->stopping)
			end_by_limit(l, RUN_KILLED);
		kill_container(l);
		break;
	case PHASE_KILLED:
	case PHASE_SERVER_ASKED:
		if (l->dead) {
			l->give_up_output = true;
			l->next_ns = 0;
			break;
		}
		check_server(l);
		break;
	case PHASE_SERVER_KILLED:
		break;
	}
}

static int poll_timeout_ms(const struct loop *l)
{
	uint64_t next =
		l->next_ns && (!l->look_ns || l->next_ns < l->look_ns) ? l->next_ns : l->look_ns;
	uint64_t now, left_ms;
	int most_ms = streams_is_background(l->s->streams) ? (int)STREAM_LOOK_MS : -1;

	if (!next)
		return most_ms;
	now = now_ns();
	left_ms = next <= now ? 0 : (next - now + 999999u) / 1000000u;
	return most_ms >= 0 && left_ms > STREAM_LOOK_MS ? most_ms : (int)left_ms;
}

static void handle(struct loop *l, const struct pollfd *p, unsigned n)
{
	/* Messages first: the verdict is in them, and they may still be queued when pid 1 is dead.
	 */
	if (p[ON_STATUS].revents)
		read_status(l);
	if (p[ON_CONTROL].revents)
		read_control(l);
	if (p[ON_SIGNAL].revents)
		read_signal(l);
	if (p[ON_SERVER].revents)
		read_server(l);
	if (p[ON_EXEC].revents)
		exec_server_handle(l->s->exec), stop_if_asked(l);
	streams_handle(l->s->streams, p + ON_STREAMS, n - ON_STREAMS);
	if (streams_is_background(l->s->streams))
		streams_look(l->s->streams);
	check_typed(l);
	if (streams_too_much(l->s->streams))
		too_much_output(l);
	if (p[ON_PIDFD].revents && !p[ON_STATUS].revents && !p[ON_CONTROL].revents)
		reap(l);
}

static bool is_done(const struct loop *l)
{
	return l->dead && l->s->status_fd < 0 &&
	       (l->give_up_output || !streams_have_output(l->s->streams));
}

static int run_loop(struct loop *l, struct err *e)
{
	struct supervise *s = l->s;

	while (!is_done(l)) {
		struct pollfd p[ON_STREAMS + STREAM_POLL_MAX] = {
			[ON_STATUS] = {.fd = s->status_fd, .events = POLLIN},
			[ON_CONTROL] = {.fd = s->control_fd, .events = POLLIN},
			[ON_PIDFD] = {.fd = l->dead ? -1 : s->pid1.pidfd, .events = POLLIN},
			[ON_SERVER] = {.fd = s->server_fd, .events = POLLIN},
			[ON_SIGNAL] = {.fd = s->signal_fd, .events = POLLIN},
			[ON_EXEC] = {.fd = s->exec->poll_fd, .events = POLLIN},
		};
		unsigned n = ON_STREAMS + streams_poll(s->streams, p + ON_STREAMS);

		if (poll(p, n, poll_timeout_ms(l)) < 0 && errno != EINTR)
			return err_sys(e, "poll");
		handle(l, p, n);
		if (l->next_ns && now_ns() >= l->next_ns)
			phase_ended(l);
		if (l->look_ns && now_ns() >= l->look_ns)
			look(l);
	}
	return 0;
}

int supervise_run(struct supervise *s, struct err *e)
{
	struct loop l = {.s = s, .snmp_fd = -1};
	int r;

	s->result->exit_code = -1;
	enter_phase(&l, PHASE_RUNNING, s->spec->limits.timeout_ms);
	r = run_loop(&l, e);
	fd_close(&l.snmp_fd);

	if (r < 0) {
		kill_container(&l);
		return r;
	}
	return verdict_reach(&l.end, s->watchdog, s->cgroup, s->result, e);
}
