/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_CGROUP_H
#define CSBX_RUNTIME_CGROUP_H

/*
 * The room runtime/cgroup. Control groups of a container.
 *
 * In: an id, limits, where csbx itself runs. Out: three groups, what they say, and nothing of them
 * at the end.
 *
 *	parent.h		where a group may be made; scope.h: by the systemd user manager
 *	cgroup.h		one container's groups
 *	lend.h			one that is lent to one program after the other
 *	text.h			what the kernel's files say
 *	batch_step.h		the step of a batch job, as far as its groups tell
 *
 * Must: move no process.
 * Mustn't: pretend that a limit holds that the kernel did not take.
 */

/*
 * The cgroups of one container, below a parent (parent.h):
 *
 *	csbx-ID/	 carries the limits, holds no process
 *	csbx-ID/payload	 the program; root of its cgroup namespace, so the limits are out of its
 * sight csbx-ID.helper	 csbx-init: csbx's own memory and processes are not the program's
 *
 * Processes are born in them (CLONE_INTO_CGROUP, clone(2)), none is ever moved. All three go by
 * name, so csbx-ID alone, kept in the instance's record, is enough to remove them later.
 */

#include <stdbool.h>
#include <stdint.h>

#include "runtime/cgroup/parent.h"

struct err;
struct limit_spec;

struct cgroup {
	struct cgroup_parent parent;
	char name[24]; /* "csbx-ID"; empty: there is none */
	int limit_fd, payload_fd, helper_fd;
	unsigned holds; /* controllers that hold a limit here */
};
#define CGROUP_INIT                                                                             \
	{                                                                                       \
		.parent = CGROUP_PARENT_INIT, .limit_fd = -1, .payload_fd = -1, .helper_fd = -1 \
	}

/* Absolute path of csbx-ID below parent; caller frees. */
char *cgroup_path(const struct cgroup_parent *parent, const char *id);

/*
 * Makes the groups with those of the limits that the parent offers (ret->holds). Takes the parent
 * over, also on error; then nothing is left behind.
 */
int cgroup_make(struct cgroup *cg, struct cgroup_parent *parent, const char *id,
		const struct limit_spec *limits, unsigned need, struct err *e);

/* Likewise, without a group for csbx-init, which is somewhere else. */
int cgroup_make_alone(struct cgroup *cg, struct cgroup_parent *parent, const char *id,
		      const struct limit_spec *limits, unsigned need, struct err *e);

static inline bool cgroup_is_made(const struct cgroup *cg)
{
	return cg->name[0];
}

/* Another limit of a controller that holds one here; 0: none. CPUs in thousandths of one. */
int cgroup_change_limit(const struct cgroup *cg, unsigned controller, uint64_t value);

/* SIGKILL to everything in csbx-ID (Linux 5.14). */
void cgroup_kill(const struct cgroup *cg);
/* Stops everything in csbx-ID, or lets it go on; -ENOENT where there is no group or no freezer. */
int cgroup_freeze(const struct cgroup *cg, bool on);

/* The number of processes in it that the kernel has killed for want of memory. */
uint64_t cgroup_oom_kills(const struct cgroup *cg);
/*
 * A descriptor on which poll(2) finds POLLPRI when that number may have grown; -1: the kernel does
 * not tell.
 */
int cgroup_open_events(const struct cgroup *cg);
uint64_t cgroup_oom_kills_in(int events_fd); /* reading it arms the next POLLPRI */

struct cgroup_usage {
	uint64_t memory_peak_bytes, oom_kills;
	uint64_t user_us, sys_us;
	uint64_t max_pids, pids_refused; /* forks that the pids limit refused */
	unsigned lost;                   /* controllers that were taken away meanwhile */
};
/* The usage of csbx-ID and all groups below it; 0 for what this kernel does not tell. */
void cgroup_read_usage(const struct cgroup *cg, struct cgroup_usage *ret);

/*
 * One file of the group at path, as the kernel shows it, without the last newline: false when it
 * has no such file. For who looks at a container from outside.
 */
bool cgroup_show(const char *path, const char *file, char *buf, size_t size);

/* Removes the groups, waiting a moment for processes that are on their way out. */
int cgroup_remove(struct cgroup *cg, struct err *e);
/* The same for what a dead supervisor left: ".../csbx-ID" from its record; id must be its id. */
int cgroup_remove_debris(const char *path, const char *id, struct err *e);
/* True when there is something at that path. */
bool cgroup_debris_exists(const char *path);

#endif
