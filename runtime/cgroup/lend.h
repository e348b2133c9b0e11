/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_CGROUP_LEND_H
#define CSBX_RUNTIME_CGROUP_LEND_H

/*
 * The group of a container that has one program after the other (runtime/start/lane.h). Each program
 * has a group of its own below it, with its own limits and counts:
 *
 *	csbx-ID/		holds no limit any longer; keeps what is charged for a group that is gone
 *	csbx-ID/csbx-run/	carries the limits of one program, as csbx-ID of a container does
 *	csbx-ID/csbx-run/payload	the program; root of its cgroup namespace
 *
 * To remove csbx-ID by name (cgroup.h) removes all of them.
 */

#include <stdint.h>

struct cgroup;
struct cgroup_parent;
struct err;
struct limit_spec;

/*
 * No process is in cg, nor may be from now on. Lifts its limits and opens it as a parent that offers
 * all that holds a limit in it.
 */
int cgroup_lend(const struct cgroup *cg, const char *id, struct cgroup_parent *ret, struct err *e);

/* The group of one program. What held a limit in cg must do so in *ret, or it is an error. */
int cgroup_make_run(const struct cgroup *cg, const struct cgroup_parent *lent,
		    const struct limit_spec *limits, unsigned need, struct cgroup *ret,
		    struct err *e);

/*
 * Bytes that are charged to cg and are no cache of files, which the kernel drops when it needs them:
 * between two programs, what those before have left. 0 where memory is not accounted.
 * Where all that is charged is no more than `enough`, that is the answer: it costs the kernel less.
 */
uint64_t cgroup_kept_bytes(const struct cgroup *cg, uint64_t enough);

#endif
