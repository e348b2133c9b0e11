/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Theory. In this order: a sandbox that failed says nothing about the program. A limit that ended
 * it comes before what the program says, which it may have said on being ended. A peak of memory
 * that no process saw while it lasted is found afterwards: the kernel counts its own kills in the
 * cgroup, and without one the resource usage of the ended process has its largest resident size.
 */
#include "runtime/limit/verdict.h"

#include <signal.h>

#include "runtime/cgroup/cgroup.h"
#include "runtime/limit/watchdog.h"

static void set_oom(struct ending *end, struct run_result *r, const char *detected)
{
	end->by = RUN_OOM;
	r->oom_killed = true;
	r->detected = detected;
	r->exit_code = -1;
	r->signal = SIGKILL;
}

/*
 * The kernel does not tell when a process was at its largest, and the limit may have been changed
 * meanwhile: a process that stayed below the highest limit did not end because of it.
 */
static uint64_t highest_limit(const struct watchdog *w)
{
	return w->most_limit_bytes > w->limit_bytes ? w->most_limit_bytes : w->limit_bytes;
}

/*
 * A resident size contains the pages of files the process has mapped, which are not its own: the
 * most that was seen of them is taken off, for what the process touched of them at its peak is
 * gone.
 */
static void check_peak_at_exit(struct ending *end, const struct watchdog *w, struct run_result *r)
{
	/* The usage is also that of its children: the peak is that of the one that was killed. */
	if (end->oom_single && r->oom_killed)
		return;
	if (end->by == RUN_EXITED && !end->failed && r->maxrss_bytes > w->shared_bytes &&
	    r->maxrss_bytes - w->shared_bytes > highest_limit(w))
		set_oom(end, r, "at_exit");
}

static void read_watchdog(struct ending *end, const struct watchdog *w, struct run_result *r)
{
	r->max_pids = w->max_pids;
	if (!w->limit_bytes)
		return;
	check_peak_at_exit(end, w, r);
	r->memory_peak_bytes = w->peak_bytes;
	if (r->maxrss_bytes > w->shared_bytes + w->peak_bytes)
		r->memory_peak_bytes = r->maxrss_bytes - w->shared_bytes;
}

static void note_kernel_oom(struct ending *end, struct run_result *r)
{
	if (end->oom_single) {
		r->oom_killed = true;
		r->detected = "event";
	} else if (end->by == RUN_EXITED) {
		set_oom(end, r, "event");
	}
}

/* Reads the figures of the container's cgroup while it is still there. */
static void read_cgroup(struct ending *end, const struct cgroup *cg, struct run_result *r)
{
	struct cgroup_usage u;

	cgroup_read_usage(cg, &u);
	if (u.oom_kills && (cg->holds & CGROUP_MEMORY) && end->started && !end->failed)
		note_kernel_oom(end, r);
	if (u.user_us || u.sys_us) {
		r->user_us = u.user_us;
		r->sys_us = u.sys_us;
	}
	/*
	 * memory.peak is there since Linux 5.19; before, the largest process says the least it was.
	 */
	if (u.memory_peak_bytes)
		r->memory_peak_bytes = u.memory_peak_bytes;
	else if (cg->holds & CGROUP_MEMORY)
		r->memory_peak_bytes = r->maxrss_bytes;
	if (u.max_pids)
		r->max_pids = u.max_pids;
	r->pids_refused = u.pids_refused;
	for (unsigned bit = 1; bit & CGROUP_ALL; bit <<= 1) {
		if (u.lost & bit)
			strv_take(&r->degraded,
				  str_printf("%s: the limit was taken from the cgroup",
					     cgroup_controller_name(bit)));
	}
}

int verdict_reach(struct ending *end, const struct watchdog *watchdog, const struct cgroup *cgroup,
		  struct run_result *r, struct err *e)
{
	if (watchdog)
		read_watchdog(end, watchdog, r);
	if (cgroup_is_made(cgroup))
		read_cgroup(end, cgroup, r);
	if (end->oom_of_main && end->by == RUN_EXITED && !end->failed)
		set_oom(end, r, r->detected);

	if (end->failed && !end->started) {
		*e = end->error;
		return -e->code;
	}
	if (end->failed) {
		r->status = RUN_SANDBOX_ERROR;
		r->exit_code = 125;
		r->error = end->error;
	} else if (end->by != RUN_EXITED) {
		r->status = end->by;
		r->timed_out = end->by == RUN_TIMEOUT;
		/* An end of its own that was told after the limit was passed is not its end. */
		if (!r->timed_out)
			r->exit_code = -1;
		if (!r->timed_out || !end->exited)
			r->signal = SIGKILL;
	} else if (!end->exited && end->killed_by) {
		r->status = RUN_SIGNALED;
		r->signal = end->killed_by;
	} else if (!end->exited) {
		r->status = RUN_SANDBOX_ERROR;
		r->exit_code = 125;
		err_set(&r->error, EIO, "the container's init was killed");
	}
	return 0;
}
