/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signals to the supervisor and what other commands ask of it: passed on to the main process, job
 * control towards the caller's shell, and `csbx stop`.
 */
#include <signal.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/cgroup/cgroup.h"
#include "runtime/exec/proto.h"
#include "runtime/exec/server.h"
#include "runtime/kernel/job_control.h"
#include "runtime/limit/watchdog.h"
#include "runtime/spec/spec.h"
#include "runtime/start/supervise_priv.h"

static void go_on(struct loop *l)
{
	l->is_stopped = false;
	l->stop = STOP_NONE;
	streams_resume(l->s->streams);
	loop_request(l, INIT_REQ_SIGNAL_ALL, SIGCONT);
}

/*
 * The main process has stopped, by itself or because we stopped all: the caller's shell must see
 * csbx stopped too, with its terminal as it was. Without a terminal in between, a program that
 * stops itself is its own affair: it must not stop the clock of --timeout.
 */
void loop_main_stopped(struct loop *l)
{
	if (l->is_paused)
		return;
	l->is_stopped = true;
	if (l->stop == STOP_NONE && l->s->streams->master >= 0 && !l->s->streams->options.lent)
		l->stop = STOP_TYPED;
	if (l->stop == STOP_NONE && l->s->stops_along)
		l->stop = STOP_SENT;
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
		loop_main_stopped(l);
	else
		loop_request(l, INIT_REQ_SIGNAL_ALL, SIGSTOP);
}

/* The typed character may be a Ctrl-Z that the kernel will discard (job_control.h). */
void loop_check_typed(struct loop *l)
{
	struct streams *s = l->s->streams;
	bool fresh = s->in.is_fresh;

	s->in.is_fresh = false;
	if (!fresh || s->master < 0 || s->options.lent || l->dead ||
	    !job_control_is_lost(s->master, s->in.buf + s->in.off, s->in.len, l->s->pid1.pid))
		return;
	loop_request(l, INIT_REQ_SIGNAL_ALL, SIGSTOP);
}

/*
 * By the cgroup's freezer, else SIGSTOP to all: kill(-1, ...) of pid 1 reaches every process of its
 * namespace in one step that no fork can slip through, and no process is left that could continue
 * one.
 */
static int set_paused(struct loop *l, bool on, struct err *e)
{
	int r;

	if (on == l->is_paused)
		return err_set(e, EALREADY, on ? "already paused" : "not paused");
	if (cgroup_freeze(l->s->cgroup, on) < 0)
		loop_request(l, INIT_REQ_SIGNAL_ALL, on ? SIGSTOP : SIGCONT);
	l->is_paused = l->s->exec->is_paused = on;
	r = l->s->note_paused ? l->s->note_paused(l->s->note_ctx, on, e) : 0;
	if (!on && l->is_stopped)
		l->is_stopped = false;
	return r;
}

/* When two callers ask, or one and --timeout, the shorter wait counts. */
static void end_within(struct loop *l, uint64_t grace_ms)
{
	uint64_t sooner_ns = l->next_ns;

	if (l->phase == PHASE_RUNNING)
		l->stopping = true;
	else if (l->phase != PHASE_TERMINATED)
		return;
	loop_enter_phase(l, PHASE_TERMINATED, grace_ms);
	if (sooner_ns && sooner_ns < l->next_ns)
		l->next_ns = sooner_ns;
}

/* `csbx stop` and `csbx kill`: a signal for the main process, and the end of all when it takes too
 * long. */
static void stop_if_asked(struct loop *l)
{
	const struct process_spec *p = &l->s->spec->proc;
	struct exec_stop *stop = &l->s->exec->stop;
	int own = p->stop_signal ? p->stop_signal : SIGTERM;

	if (!stop->is_asked)
		return;
	stop->is_asked = false;
	l->s->result->is_removed |= stop->removed;
	l->s->result->is_stopped |= stop->stays;
	if (!stop->signal)
		stop->signal = (uint32_t)own;
	/* Another signal alone, as of `docker kill -s USR1`, asks for no end. */
	l->s->result->is_asked |=
		stop->grace_ms || stop->signal == SIGKILL || stop->signal == (uint32_t)own;
	if (stop->own_time && p->stop_timeout_is_set) {
		stop->grace_ms = p->stop_timeout_ms;
		if (!stop->grace_ms)
			stop->signal = SIGKILL;
	}
	if (stop->signal == SIGKILL) {
		loop_end_by_limit(l, RUN_KILLED);
		return;
	}
	if (!stop->grace_ms) {
		loop_request(l, INIT_REQ_SIGNAL, (int)stop->signal);
		return;
	}
	/* A paused container hears nothing. */
	if (l->is_paused)
		(void)set_paused(l, false, NULL);
	loop_request(l, INIT_REQ_STOP, (int)stop->signal);
	end_within(l, stop->grace_ms);
}

void loop_owner_left(struct loop *l)
{
	l->s->owner_fd = -1;
	l->s->result->is_removed = true;
	loop_end_by_limit(l, RUN_KILLED);
}

void loop_step_ended(struct loop *l)
{
	l->s->step_fd = -1;
	l->s->result->is_asked = true;
	loop_end_by_limit(l, RUN_KILLED);
}

#define NO_LIMIT (UINT64_MAX / 4) /* more than a machine has; sums with it stay numbers */

static int change_memory(struct loop *l, uint64_t bytes)
{
	struct watchdog *w = l->s->watchdog;
	int r = cgroup_change_limit(l->s->cgroup, CGROUP_MEMORY, bytes);

	if (r >= 0 && l->s->thrash.limit_bytes)
		l->s->thrash.limit_bytes = bytes ? bytes : NO_LIMIT;
	if (r != -EOPNOTSUPP || !w || !w->limit_bytes)
		return r;
	if (w->limit_bytes > w->most_limit_bytes)
		w->most_limit_bytes = w->limit_bytes;
	w->limit_bytes = bytes ? bytes : NO_LIMIT;
	return 0;
}

static int change_pids(struct loop *l, uint64_t pids)
{
	struct watchdog *w = l->s->watchdog;
	int r = cgroup_change_limit(l->s->cgroup, CGROUP_PIDS, pids);

	if (r != -EOPNOTSUPP || !w || !w->limit_pids)
		return r;
	w->limit_pids = pids ? pids : NO_LIMIT;
	return 0;
}

/* A limit can be changed if a control group or the watchdog has held one from the start on. */
static int change_limit(struct loop *l, const struct exec_limit *limit)
{
	switch (limit->kind) {
	case EXEC_LIMIT_MEMORY_KIB:
		return change_memory(l, (uint64_t)limit->value * 1024);
	case EXEC_LIMIT_CPUS_MILLI:
		return cgroup_change_limit(l->s->cgroup, CGROUP_CPU, limit->value);
	case EXEC_LIMIT_PIDS:
		return change_pids(l, limit->value);
	default:
		return -EINVAL;
	}
}

void loop_do_what_is_asked(struct loop *l)
{
	struct exec_pause *p = &l->s->exec->pause;
	struct err e = ERR_INIT;
	int r;

	if (p->is_asked) {
		p->is_asked = false;
		r = l->dead || l->end.exited || !l->end.started ? err_set(&e, ESRCH, "not running")
								: set_paused(l, p->on, &e);
		exec_server_answer(l->s->exec, p->session, r);
	}
	if (l->s->exec->limit.is_asked) {
		l->s->exec->limit.is_asked = false;
		exec_server_answer(l->s->exec, l->s->exec->limit.session,
				   change_limit(l, &l->s->exec->limit));
	}
	stop_if_asked(l);
}

void loop_read_signal(struct loop *l)
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
		if (si.ssi_signo == SIGTERM || si.ssi_signo == SIGINT || si.ssi_signo == SIGHUP ||
		    si.ssi_signo == SIGQUIT)
			l->s->result->passed_on = (int)si.ssi_signo;
		if (l->end.started) {
			loop_request(l, INIT_REQ_SIGNAL, (int)si.ssi_signo);
		} else {
			l->end.killed_by = (int)si.ssi_signo;
			loop_kill(l);
		}
	}
}
