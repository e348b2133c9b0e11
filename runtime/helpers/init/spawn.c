/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exec requests. Init forks, the child joins B's namespaces (setns(2) into a user namespace that
 * init's user id owns needs no capability) and takes the same steps as the main process. Init
 * itself never waits for a child here: a payload may stop or slow an exec'd process as it likes,
 * the loop goes on.
 */
#include "runtime/helpers/init/init.h"
#include "runtime/helpers/init/abi/msg_bounds.h"
#include "runtime/helpers/init/abi/msg_check.h"

enum spawn_fd { SPAWN_FD_MSG, SPAWN_FD_STDIN, SPAWN_FD_STATUS = 4, SPAWN_FD_KEPT = INIT_SPAWN_FDS };

struct spawned *spawn_by_id(struct init *in, uint32_t id)
{
	for (unsigned i = 0; id && i < in->n_slots; i++) {
		if (in->slots[i].id == id)
			return &in->slots[i];
	}
	return NULL;
}

struct spawned *spawn_by_pid(struct init *in, int pid)
{
	for (unsigned i = 0; i < in->n_slots; i++) {
		if (in->slots[i].id && in->slots[i].pid == pid)
			return &in->slots[i];
	}
	return NULL;
}

static struct spawned *free_slot(struct init *in)
{
	for (unsigned i = 0; i < in->n_slots; i++) {
		if (!in->slots[i].id)
			return &in->slots[i];
	}
	return in->n_slots < INIT_MAX_SPAWNED ? &in->slots[in->n_slots++] : NULL;
}

static __attribute__((noreturn)) void run_spawned(const struct init *in, const struct init_msg *m,
						  const int *fds)
{
	struct payload p = {
		.m = m,
		.flags = m->flags,
		.fds = {fds[SPAWN_FD_STDIN], fds[SPAWN_FD_STDIN + 1], fds[SPAWN_FD_STDIN + 2]},
		.status_fd = fds[SPAWN_FD_STATUS],
		.sync_fd = -1,
		.ns_fds = in->ns_fds,
		.n_ns = NS_MAX,
		.warm = in->warm,
		.is_sent = in->sent_len,
	};

	int r;

	for (uint32_t i = 0; i < m->n_keep_fds; i++)
		p.fds[3 + i] = fds[SPAWN_FD_KEPT + i];
	r = terminal_make(&p);
	if (r < 0) {
		status_send(p.status_fd, INIT_STAGE_TTY, r, 0);
		sys_exit(INIT_EXIT_FAILED);
	}
	payload_run(&p);
}

/*
 * With the start's message, as an exec that takes all from it. Until its words have come its streams
 * are its status socket: no path leads anywhere through those, and none of the start's words is
 * looked up while they are init's own.
 */
static __attribute__((noreturn)) void run_ahead(const struct init *in, int status_fd)
{
	struct payload p = {
		.m = in->start,
		.flags = (in->flags & INIT_EXEC_KEPT) | INIT_EXEC,
		.fds = {status_fd, status_fd, status_fd},
		.status_fd = status_fd,
		.sync_fd = -1,
		.ns_fds = in->ns_fds,
		.n_ns = NS_MAX,
		.is_ahead = true,
	};

	payload_run(&p);
}

static int ahead_clone(const struct init *in, const int *fds, unsigned *ret_stage)
{
	int r = clone_payload(0, cgroup_of(in->start));

	*ret_stage = INIT_STAGE_CLONE;
	if (!r)
		run_ahead(in, fds[0]);
	return r;
}

/* The pid, or -errno with the stage that failed. */
static int spawn_clone(const struct init *in, bool is_main, const int *fds, unsigned n_fds,
		       unsigned *ret_stage)
{
	bool has_own;
	struct message msg = {0};
	int r = in->sent_len ? message_take(in->sent, in->sent_len, &msg)
			     : message_map(fds[SPAWN_FD_MSG], &msg);

	*ret_stage = INIT_STAGE_MESSAGE;
	if (r < 0)
		return r;
	has_own = msg.m->flags & INIT_OWN_CGROUP;
	if ((msg.m->flags & (INIT_EXEC | INIT_JOIN)) != INIT_EXEC || (has_own && !is_main) ||
	    n_fds != INIT_SPAWN_FDS + msg.m->n_keep_fds + has_own) {
		r = -EBADMSG;
	} else if (!init_msg_is_within(in->start, msg.m)) {
		*ret_stage = INIT_STAGE_BOUNDS;
		r = -EPERM;
	} else {
		*ret_stage = INIT_STAGE_CLONE;
		r = clone_payload(0, has_own ? fds[n_fds - 1] : cgroup_of(in->start));
		if (!r)
			run_spawned(in, msg.m, fds);
	}
	message_unmap(&msg);
	return r;
}

/* No process of a lane is like the one before it. */
static bool has_fds(const struct init *in, bool is_ahead, unsigned n_fds)
{
	return is_ahead ? n_fds == 1 && !(in->flags & INIT_LANE) : n_fds >= INIT_SPAWN_FDS;
}

void spawn_request(struct init *in, const struct init_request *rq, const int *fds, unsigned n_fds)
{
	const uint32_t id = rq->id;
	bool is_ahead = rq->type == INIT_REQ_AHEAD, fits = has_fds(in, is_ahead, n_fds);
	bool is_main = in->flags & INIT_LANE && id == INIT_LANE_ID;
	bool valid = fits && id && !spawn_by_id(in, id) && !(is_main && in->main_pid);
	struct spawned *s = valid && !is_main ? free_slot(in) : NULL;
	unsigned stage = INIT_STAGE_MESSAGE;
	struct init_event ev = {.id = id};
	int r = valid ? -EAGAIN : -EBADMSG;

	if (s && is_ahead)
		r = ahead_clone(in, fds, &stage);
	else if (s || (valid && is_main))
		r = spawn_clone(in, is_main, fds, n_fds, &stage);
	if (r < 0 && fits)
		status_send(fds[is_ahead ? 0 : SPAWN_FD_STATUS], stage, r, 0);
	for (unsigned i = in->sent_len ? 1 : 0; i < n_fds; i++)
		sys_close(fds[i]);
	if (!valid)
		return;
	if (is_main && r > 0) {
		in->main_pid = r;
		return;
	}
	if (s)
		*s = (struct spawned){.id = id, .pid = r > 0 ? r : 0};
	ev.type = r > 0 ? INIT_EV_SPAWNED : INIT_EV_SPAWN_EXITED;
	ev.pid = r > 0 ? r : 0;
	ev.status = r > 0 ? 0 : INIT_EXIT_FAILED << 8;
	loop_send(in, &ev, s);
}
