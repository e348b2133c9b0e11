/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_CONTAINER_LIMITS_H
#define CSBX_RUNTIME_CONTAINER_LIMITS_H

/*
 * The room runtime/limit. Limits of memory, processes and CPUs, and what a container's end means.
 *
 * In: a specification, control groups where there are some. Out: limits that hold, a verdict.
 *
 *	limit.h			which limit is held by what
 *	container_limits.h	a container's limits while it runs
 *	watchdog.h: without control groups: looking and ending; watchdog_fds.h: memory that
 *		descriptors hold
 *	thrash.h		a group that is out of memory and does not say so
 *	verdict.h		from counters and exit codes to the result
 *
 * Must: say what is not held as asked.
 * Mustn't: blame a program for what the host did.
 */

/*
 * The holders of the limits of one container: its cgroup where one can be had, else the watchdog,
 * the CPU mask and RLIMIT_NPROC. A container without limits, or with the default of processes
 * alone, pays for none of it.
 */

#include <stdbool.h>

#include "runtime/cgroup/cgroup.h"
#include "runtime/limit/limit.h"

struct container_spec;
struct err;
struct id_map;
struct instance;
struct paths;

struct container_limits {
	struct cgroup cgroup; /* empty: others hold the limits */
	struct err missed;    /* why a cgroup that was asked for was not to be had */
	const char *named;    /* CSBX_CGROUP_PARENT, NULL = not set */
	unsigned need;        /* controllers that would be needed */
	bool upper_on_disk;   /* the throw-away layer is a directory; set by the caller */
	struct limit_holders holders;
};
#define CONTAINER_LIMITS_INIT         \
	{                             \
		.cgroup = CGROUP_INIT \
	}

/*
 * Makes the cgroup where limits are asked for and one can be made; its name is in the instance's
 * file before it exists, so that its debris can be found. Then says which mechanism holds which
 * limit: an instance's file that cannot be written is an error, and under --limits strict a limit
 * that is not exact.
 */
int container_limits_prepare(struct container_limits *l, const struct container_spec *s,
			     const struct paths *paths, const struct id_map *map,
			     struct instance *instance, struct err *e);

/*
 * The kernel refused to start a process in it (why is in e): the others take over, or, under
 * --limits strict, e says why they may not.
 */
int container_limits_give_up(struct container_limits *l, const struct container_spec *s,
			     const struct id_map *map, struct err *e);

/* The same, where it is known why there is none: nothing is made. */
int container_limits_without_group(struct container_limits *l, const struct container_spec *s,
				   const struct paths *paths, const struct id_map *map,
				   const struct err *missed, struct err *e);

/* limits{} and degraded[] of the result. */
void container_limits_note(const struct container_limits *l, struct run_result *ret);

#endif
