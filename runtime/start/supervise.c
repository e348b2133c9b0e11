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
 *	exec	  other commands want processes in the container (exec/server.h)
 *	owner	  the process that wants the container to end with it is gone
 *	step	  the batch step we are in has ended (batch_step.h)
 *	oom	  the control group's events, where one process may die for all of them
 *	channel	  the caller's own, to what runs inside (container.h)
 *	streams	  copied (streams.h)
 *
 * Time is CLOCK_MONOTONIC. At --timeout every process gets SIGTERM, --kill-after later pid 1 is
 * killed and all with it. A task that hangs on a stopped image server cannot die before its request
 * ends: when pid 1 is not gone LOOP_HUNG_MS later and the server has not answered a question
 * either, nor in the GRACE_MS that follow, the server is killed, which ends the request.
 *
 * The verdict comes from csbx-init's message; the loop ends with the death of pid 1, so that
 * nothing of the container is left when csbx returns. A pid 1 that dies without a message was
 * killed from outside: a failure of the sandbox.
 */
#include "runtime/start/supervise_priv.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/clock.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/log.h"
#include "runtime/base/patient_fork.h"
#include "runtime/cgroup/cgroup.h"
#include "runtime/start/container.h"
#include "runtime/exec/server.h"
#include "runtime/child/fetch.h"
#include "runtime/helpers/init/abi/init_abi.h"
#include "runtime/child/init_msg.h"
#include "runtime/kernel/idle_poll.h"
#include "runtime/kernel/net_traces.h"
#include "runtime/kernel/net_tried.h"
#include "runtime/kernel/process_ns.h"
#include "runtime/spec/result.h"
#include "runtime/record/run_dir.h"
#include "runtime/server/hung.h"
#include "runtime/start/unix_broker.h"
#include "runtime/server/client.h"
#include "runtime/limit/verdict.h"
#include "runtime/limit/watchdog.h"

#define GRACE_MS 200u /* for a server that did not run meanwhile, nor perhaps did we */
#define DRAIN_MS 20u  /* a stalled reader does not hold up the result of a timeout */

enum {
	ON_STATUS,
	ON_CONTROL,
	ON_PIDFD,
	ON_SERVER,
	ON_SIGNAL,
	ON_EXEC,
	ON_CHANNEL,
	ON_OWNER,
	ON_STEP,
	ON_OOM,
	ON_UNIX,
	ON_STREAMS
};

/*
 * The program's output counts, also when it was read after the end: the verdict is no matter of
 * luck.
 */
static void too_much_output(struct loop *l)
{
	if (l->end.by == RUN_EXITED)
		l->end.by = RUN_OUTPUT_LIMIT;
	if (!l->dead)
		loop_kill(l);
}

static void fail(struct loop *l, const struct err *e)
{
	if (!l->end.failed)
		l->end.error = *e;
	l->end.failed = true;
	loop_kill(l);
}

/* What ended before, and a limit that was passed before, stay the verdict. */
static void server_died(struct loop *l)
{
	struct err e = ERR_INIT;

	err_from(ERR_IMAGE_SERVER, &e, err_set(&e, EIO, "the image server died"));
	if (!l->end.exited && l->end.by == RUN_EXITED)
		fail(l, &e);
	l->s->server_fd = -1;
}

/*
 * A process has ended. The server's connection ends before the image's files do (fuse_held_last()),
 * and a process that failed for want of them ends after that.
 */
static void look_at_server(struct loop *l)
{
	if (l->s->server_fd >= 0 && server_is_gone(l->s->server_fd))
		server_died(l);
}

/* The command could not be run: the caller's mistake, told apart from ours. */
static void launch_error(struct loop *l, const struct init_status *st)
{
	struct run_result *r = l->s->result;

	r->status = RUN_LAUNCH_ERROR;
	r->exit_code = init_status_error(st, &l->s->spec->proc, &r->error);
	l->end.exited = true;
}

/* The counters of its network, where they are open already; else NULL. */
static const int *snmp_of(const struct supervise *s)
{
	bool are_open = s->traces && net_traces_are_open(s->traces);

	return are_open ? &s->traces->fds[NET_TRACE_SNMP] : s->snmp_fd;
}

/* Only what is noted has begun: processes that wait for its end must find it. */
static int note_started(struct loop *l, struct err *e)
{
	const struct supervise *s = l->s;

	if (s->kept && run_dir_started(s->kept, s->spec->name, e) < 0)
		return -e->code;
	l->end.started = true;
	if (s->started)
		s->started(s->started_arg);
	if (s->started_fd >= 0)
		(void)!write(s->started_fd, "", 1);
	return 0;
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
		if (note_started(l, &e) < 0)
			fail(l, &e);
		/* Now, while there is nothing else to do: at the exit pid 1 may be gone. */
		if (l->s->mounts_are_private && l->s->server_fd >= 0)
			l->mounts_fd = process_ns(l->s->pid1.pidfd, l->s->pid1.pid, PROCESS_NS_MNT);
		if (l->s->spec->ns.net == NET_NONE && !snmp_of(l->s))
			l->snmp_fd = net_tried_open(l->s->pid1.pid);
		loop_start_looking(l);
		log_trace("payload runs");
		fd_close(&l->s->host_copy_fd);
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
		r->net_tried =
			r->exit_code && net_tried(snmp_of(l->s) ? *snmp_of(l->s) : l->snmp_fd);
	}
}

static void all_are_dead(struct loop *l)
{
	l->dead = true;
	if (l->phase != PHASE_RUNNING)
		loop_enter_phase(l, PHASE_KILLED, DRAIN_MS);
	else
		l->next_ns = 0;
}

/* Of a lane. */
static void take_emptied(struct loop *l, const struct init_event *ev)
{
	if (!l->s->is_lane || !(ev->arg & INIT_LANE_EMPTIED))
		return;
	l->s->is_empty = !(ev->arg & INIT_LANE_TOUCHED);
	all_are_dead(l);
}

static void take_unix(struct loop *l, int *fd, bool is_other_filter)
{
	const char *why = is_other_filter ? "csbx runs under another filter that tells of calls"
					  : "this kernel does not tell of calls (Linux 5.9)";

	if (*fd < 0)
		strv_take(&l->s->result->degraded,
			  str_printf("unix_sockets: %s, so abstract ones are the host's", why));
	else if (l->unix_fd < 0)
		l->unix_fd = take_fd(fd);
}

/* The first UNIX socket: a container that makes none needs no process for it. */
static void start_broker(struct loop *l)
{
	struct err e = ERR_INIT;
	int r = unix_broker_start(l->unix_fd, l->s->userns_fd, &e);

	/* The call waits: what the user has elsewhere may end soon. */
	if (r == -EAGAIN && patient_wait(&l->unix_since_ns))
		return;
	if (r < 0)
		log_trace("UNIX sockets: %s", e.msg);
	fd_close(&l->unix_fd);
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
		loop_start_watchdog(l, fds, ev.arg);
	} else if (ev.type == LAUNCH_EV_ROOT && fds[1] >= 0 && l->s->fetch->root_fd < 0) {
		l->s->fetch->root_fd = take_fd(&fds[0]);
		l->s->fetch->ns_fd = take_fd(&fds[1]);
	} else if (ev.type == LAUNCH_EV_UNIX) {
		take_unix(l, &fds[0], ev.arg);
	} else if (ev.type == INIT_EV_STOPPED) {
		loop_main_stopped(l);
	} else if (ev.type == INIT_EV_EXITED) {
		loop_check_oom(l, 0, ev.status);
		look_at_server(l);
		take_exit(l, &ev);
		take_emptied(l, &ev);
	} else if (ev.type == INIT_EV_EMPTIED) {
		take_emptied(l, &ev);
	} else if (ev.type != INIT_EV_SPAWN_EXITED) {
		exec_server_event(l->s->exec, &ev);
	} else {
		loop_check_oom(l, ev.id, ev.status);
		look_at_server(l);
		if (!l->end.failed)
			exec_server_event(l->s->exec, &ev);
	}
	for (fd = 0; fd < FD_PASS_MAX; fd++)
		fd_close(&fds[fd]);
}

static bool has_message(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	return fd >= 0 && poll(&p, 1, 0) > 0;
}

static void reap(struct loop *l)
{
	siginfo_t si = {0};

	if (!l->s->is_lane && !l->s->is_others_child &&
	    (waitid(P_PIDFD, (id_t)l->s->pid1.pidfd, &si, WEXITED | __WALL | WNOHANG) < 0 ||
	     !si.si_pid))
		return;
	/* poll(2) looks at one descriptor after the other: it may have told and ended in between. */
	while (has_message(l->s->control_fd))
		read_control(l);
	all_are_dead(l);
	log_trace("pid 1 ended: code %d status %d", si.si_code, si.si_status);
}

/* An answer, or its end. */
static void read_server(struct loop *l)
{
	if (server_has_answered(l->s->server_fd))
		l->server_answered = true;
	else
		server_died(l);
}

/*
 * pid 1 was killed and is still there. Memory to free and a busy machine take time; a server that
 * answers is not to blame.
 */
static void check_server(struct loop *l)
{
	bool is_asked_twice = l->phase == PHASE_SERVER_ASKED;
	struct err *error = &l->s->result->error;

	if (l->s->spec->rootfs.kind != ROOTFS_SQUASHFS || l->server_answered) {
		l->server_answered = false;
		server_ping(l->s->server_fd);
		loop_enter_phase(l, PHASE_KILLED, LOOP_HUNG_MS);
	} else if (!is_asked_twice) {
		loop_enter_phase(l, PHASE_SERVER_ASKED, GRACE_MS);
	} else {
		squashd_kill(l->s->server_fd, l->s->server_pid);
		err_from(ERR_IMAGE_SERVER, error,
			 err_set(error, EIO, "the image server did not answer"));
		loop_enter_phase(l, PHASE_SERVER_KILLED, 0);
	}
}

static void phase_ended(struct loop *l)
{
	switch (l->phase) {
	case PHASE_RUNNING:
		l->end.by = l->end.exited ? l->end.by : RUN_TIMEOUT;
		loop_request(l, INIT_REQ_SIGNAL_ALL, SIGTERM);
		loop_enter_phase(l, PHASE_TERMINATED, l->s->spec->limits.kill_after_ms);
		break;
	case PHASE_TERMINATED:
		if (l->stopping)
			loop_end_by_limit(l, RUN_KILLED);
		loop_kill(l);
		break;
	case PHASE_KILLED:
	case PHASE_SERVER_ASKED:
		if (l->dead) {
			l->give_up_output = true;
			l->next_ns = 0;
			break;
		}
		if (!loop_kill_lane(l))
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
	now = clock_monotonic_ns();
	left_ms = next <= now ? 0 : (next - now + 999999u) / 1000000u;
	return most_ms >= 0 && left_ms > STREAM_LOOK_MS ? most_ms : (int)left_ms;
}

static void listen_to_channel(struct loop *l)
{
	int r = l->s->channel->handle(l->s->channel->ctx);

	if (r)
		l->s->channel = NULL;
	if (r > 0)
		loop_end_by_limit(l, (enum run_status)r);
}

static void handle(struct loop *l, const struct pollfd *p, unsigned n)
{
	/*
	 * Messages first: the verdict is in them, and they may still be queued when pid 1 is dead.
	 */
	if (p[ON_STATUS].revents)
		read_status(l);
	if (p[ON_CONTROL].revents & POLLOUT)
		exec_server_resend(l->s->exec);
	if (p[ON_CONTROL].revents & ~POLLOUT)
		read_control(l);
	if (p[ON_SIGNAL].revents)
		loop_read_signal(l);
	if (p[ON_SERVER].revents)
		read_server(l);
	/* Before clients come and go: the descriptors that were polled are still the same. */
	streams_handle(l->s->streams, p + ON_STREAMS, n - ON_STREAMS);
	if (p[ON_EXEC].revents)
		exec_server_handle(l->s->exec), loop_do_what_is_asked(l);
	if (p[ON_CHANNEL].revents)
		listen_to_channel(l);
	if (p[ON_OWNER].revents)
		loop_owner_left(l);
	if (p[ON_STEP].revents)
		loop_step_ended(l);
	if (p[ON_OOM].revents)
		loop_read_ooms(l);
	if (p[ON_UNIX].revents & POLLIN)
		start_broker(l);
	else if (p[ON_UNIX].revents)
		fd_close(&l->unix_fd);
	if (streams_is_background(l->s->streams))
		streams_look(l->s->streams);
	loop_check_typed(l);
	if (streams_too_much(l->s->streams))
		too_much_output(l);
	if (p[ON_PIDFD].revents && !p[ON_STATUS].revents && !(p[ON_CONTROL].revents & ~POLLOUT))
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
			[ON_CONTROL] = {.fd = s->control_fd,
					.events = POLLIN | (s->exec->n_unsent ? POLLOUT : 0)},
			[ON_PIDFD] = {.fd = l->dead ? -1 : s->pid1.pidfd, .events = POLLIN},
			[ON_SERVER] = {.fd = s->server_fd, .events = POLLIN},
			[ON_SIGNAL] = {.fd = s->signal_fd, .events = POLLIN},
			[ON_EXEC] = {.fd = s->exec->poll_fd, .events = POLLIN},
			[ON_OWNER] = {.fd = s->owner_fd, .events = POLLIN},
			[ON_STEP] = {.fd = s->step_fd, .events = POLLIN},
			[ON_OOM] = {.fd = l->oom_fd, .events = POLLPRI},
			[ON_UNIX] = {.fd = l->unix_fd, .events = POLLIN},
			[ON_CHANNEL] = {.fd = s->channel ? s->channel->fd : -1, .events = POLLIN},
		};
		unsigned n = ON_STREAMS + streams_poll(s->streams, p + ON_STREAMS);

		if (idle_poll(p, n, poll_timeout_ms(l), NULL, 0) < 0 && errno != EINTR)
			return err_sys(e, "poll");
		handle(l, p, n);
		if (l->next_ns && clock_monotonic_ns() >= l->next_ns)
			phase_ended(l);
		if (l->look_ns && clock_monotonic_ns() >= l->look_ns)
			loop_look(l);
	}
	return 0;
}

int supervise_run(struct supervise *s, struct err *e)
{
	struct loop l = {.s = s, .snmp_fd = -1, .oom_fd = -1, .mounts_fd = -1, .unix_fd = -1};
	int r;

	s->result->exit_code = -1;
	s->exec->watchdog = s->watchdog;
	loop_enter_phase(&l, PHASE_RUNNING, s->spec->limits.timeout_ms);
	if (s->watchdog && s->watchdog->view.proc_fd >= 0) /* a lane: there is nothing to see yet */
		l.look_ns = clock_monotonic_ns() +
			    watchdog_interval_ms(s->watchdog) * UINT64_C(1000000);
	l.end.oom_single = s->spec->limits.oom_single;
	r = run_loop(&l, e);
	if (r >= 0)
		loop_leave(&l);
	fd_close(&l.unix_fd);
	fd_close(&l.mounts_fd);
	fd_close(&l.snmp_fd);
	fd_close(&l.oom_fd);

	if (r < 0) {
		loop_kill(&l);
		return r;
	}
	return verdict_reach(&l.end, s->watchdog, s->cgroup, s->result, e);
}
