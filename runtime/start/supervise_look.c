/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loop looks at two things by the clock: the watchdog, where no control group holds memory or
 * processes, and a control group that holds memory and is out of it without the kernel's saying so.
 */
#include <signal.h>
#include <sys/wait.h>

#include "runtime/base/clock.h"
#include "runtime/base/fd.h"
#include "runtime/cgroup/cgroup.h"
#include "runtime/exec/server.h"
#include "runtime/record/run_dir.h"
#include "runtime/spec/spec.h"
#include "runtime/start/supervise_priv.h"
#include "runtime/limit/watchdog.h"

#define NS_PER_MS 1000000u

void loop_start_watchdog(struct loop *l, int fds[], bool has_sysv)
{
	struct watchdog_view *view;
	unsigned i = 0;

	if (!l->s->watchdog || l->s->watchdog->view.proc_fd >= 0)
		return;
	view = &l->s->watchdog->view;
	view->proc_fd = take_fd(&fds[i++]);
	for (unsigned k = 0; has_sysv && k < WATCHDOG_SYSV; k++)
		view->sysv_fds[k] = take_fd(&fds[i++]);
	while (i < FD_PASS_MAX && fds[i] >= 0 && view->n_tmpfs < WATCHDOG_TMPFS_MAX)
		view->tmpfs_fds[view->n_tmpfs++] = take_fd(&fds[i++]);
	l->look_ns = clock_monotonic_ns();
}

void loop_start_looking(struct loop *l)
{
	if (l->s->spec->limits.oom_single)
		l->oom_fd = cgroup_open_events(l->s->cgroup);
	loop_read_ooms(l); /* only what is read is told of when it changes */
	if (!l->s->thrash.limit_bytes)
		return;
	if (!l->look_ns)
		l->look_ns = clock_monotonic_ns() + THRASH_LOOK_MS * NS_PER_MS;
}

static void oom(struct loop *l, const char *detected)
{
	loop_end_by_limit(l, RUN_OOM);
	if (l->end.by == RUN_OOM) {
		l->s->result->oom_killed = true;
		l->s->result->detected = detected;
	}
}

/* One of its processes was killed; the others go on. */
static void one_was_killed(struct loop *l, const char *detected)
{
	bool is_first = !l->s->result->oom_killed;

	l->s->result->oom_killed = true;
	l->s->result->detected = detected;
	if (is_first && l->s->kept && !l->end.exited)
		(void)run_dir_oom_killed(l->s->kept, NULL);
}

static void kill_largest(struct loop *l)
{
	int r = watchdog_kill_largest(l->s->watchdog, clock_monotonic_ns());

	if (r < 0) {
		oom(l, "tick");
	} else if (r > 0) {
		l->ooms++;
		one_was_killed(l, "tick");
	}
}

static void look_as_watchdog(struct loop *l)
{
	enum watchdog_sight sight = watchdog_look(l->s->watchdog);

	if (sight == WATCHDOG_PIDS)
		loop_end_by_limit(l, RUN_PIDS_LIMIT);
	else if (sight == WATCHDOG_UNDECIDED)
		return;
	else if (l->s->spec->limits.oom_single)
		kill_largest(l);
	else if (sight == WATCHDOG_MEMORY)
		oom(l, "tick");
}

void loop_look(struct loop *l)
{
	bool is_watched = l->s->watchdog && l->s->watchdog->view.proc_fd >= 0;
	uint64_t now = clock_monotonic_ns();

	if (l->dead || l->end.exited) {
		l->look_ns = 0;
		return;
	}
	if (is_watched)
		look_as_watchdog(l);
	if (l->s->thrash.limit_bytes && thrash_look(&l->s->thrash, l->s->cgroup, now))
		oom(l, "tick");
	l->look_ns =
		clock_monotonic_ns() +
		(is_watched ? watchdog_interval_ms(l->s->watchdog) : THRASH_LOOK_MS) * NS_PER_MS;
}

void loop_read_ooms(struct loop *l)
{
	uint64_t now;

	if (l->oom_fd < 0)
		return;
	now = cgroup_oom_kills_in(l->oom_fd);
	if (now <= l->kernel_ooms)
		return;
	l->ooms += now - l->kernel_ooms;
	l->kernel_ooms = now;
	one_was_killed(l, "event");
}

void loop_check_oom(struct loop *l, uint32_t session, int wait_status)
{
	if (!WIFSIGNALED(wait_status) || WTERMSIG(wait_status) != SIGKILL)
		return;
	if (!l->s->spec->limits.oom_single) {
		if (cgroup_oom_kills(l->s->cgroup))
			exec_server_ending(l->s->exec, RUN_OOM, true);
		return;
	}
	loop_read_ooms(l);
	if (l->ooms_known == l->ooms)
		return;
	l->ooms_known = l->ooms;
	if (session)
		exec_server_oom(l->s->exec, session, l->oom_fd >= 0);
	else
		l->end.oom_of_main = true;
}
