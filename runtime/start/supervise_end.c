/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/start/supervise_priv.h"

#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "runtime/base/clock.h"
#include "runtime/base/fd.h"
#include "runtime/cgroup/cgroup.h"
#include "runtime/exec/server.h"
#include "runtime/helpers/init/abi/init_abi.h"
#include "runtime/spec/result.h"
#include "runtime/server/client.h"
#include "runtime/server/hung.h"
#include "runtime/limit/verdict.h"

void loop_enter_phase(struct loop *l, enum phase phase, uint64_t last_ms)
{
	l->phase = phase;
	l->next_ns = last_ms ? clock_monotonic_ns() + last_ms * 1000000u : 0;
}

static void kill_pid1(const struct loop *l)
{
	(void)syscall(SYS_pidfd_send_signal, l->s->pid1.pidfd, SIGKILL, NULL, 0);
}

bool loop_kill_lane(struct loop *l)
{
	if (!l->s->is_lane || l->is_lane_killed)
		return false;
	l->is_lane_killed = true;
	kill_pid1(l);
	loop_enter_phase(l, PHASE_KILLED, LOOP_HUNG_MS);
	return true;
}

void loop_kill(struct loop *l)
{
	if (!l->dead && l->s->is_lane)
		loop_request(l, INIT_REQ_EMPTY, 0);
	else if (!l->dead)
		kill_pid1(l);
	cgroup_kill(l->s->cgroup);
	if (l->phase < PHASE_KILLED) {
		server_ping(l->s->server_fd);
		loop_enter_phase(l, PHASE_KILLED, LOOP_HUNG_MS);
	}
}

/* A limit was passed: the container ends now, whatever its processes do. */
void loop_end_by_limit(struct loop *l, enum run_status status)
{
	if (l->end.by == RUN_EXITED && !l->end.exited)
		l->end.by = status;
	exec_server_ending(l->s->exec, l->end.by, false);
	loop_kill(l);
}

/* A request that cannot be sent finds a container that is ending: its death will be seen. */
void loop_request(struct loop *l, uint32_t type, int signal)
{
	struct init_request req = {.magic = INIT_MAGIC, .type = type, .arg = (uint32_t)signal};

	(void)fd_send(l->s->control_fd, &req, sizeof(req), NULL, 0, NULL);
}

/*
 * A process that came by an exec may have had sockets from outside, and may have sent a descriptor
 * of the network namespace through one: then that goes to no other.
 */
void loop_leave(struct loop *l)
{
	bool may_return = l->dead && !l->s->is_lane && !l->s->exec->has_spawned;

	if (l->s->server_fd >= 0)
		squashd_leave(l->s->server_fd, l->mounts_fd, may_return ? l->s->traces : NULL);
}
