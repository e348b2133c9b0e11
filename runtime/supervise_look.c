/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the loop looks at by the clock: the watchdog, where no control group holds memory or
 * processes, and a control group that holds memory and is out of it without the kernel's saying so.
 */
#include <signal.h>
#include <sys/wait.h>

#include "runtime/base/clock.h"
#include "runtime/base/fd.h"
#include "runtime/cgroup.h"
#include "runtime/exec_server.h"
#include "runtime/supervise_priv.h"
#include "runtime/watchdog.h"

#define NS_PER_MS 1000000u

void loop_start_watchdog(struct loop *l, int fds[], bool has_shm)
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
	l->look_ns = clock_monotonic_ns();
}

void loop_start_looking(struct loop *l)
{
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

static void look_as_watchdog(struct loop *l)
{
	switch (watchdog_look(l->s->watchdog)) {
	case WATCHDOG_MEMORY:
		oom(l, "tick");
		break;
	case WATCHDOG_PIDS:
		loop_end_by_limit(l, RUN_PIDS_LIMIT);
		break;
	case WATCHDOG_IN_LIMITS:
		break;
	}
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

void loop_check_oom(struct loop *l, int wait_status)
{
	if (WIFSIGNALED(wait_status) && WTERMSIG(wait_status) == SIGKILL &&
	    cgroup_had_oom(l->s->cgroup))
		exec_server_ending(l->s->exec, RUN_OOM, true);
}
