/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_LIMIT_H
#define CSBX_RUNTIME_LIMIT_H

/*
 * csbx decides which mechanism holds which limit before anything starts. A limit that cannot be
 * held exactly as asked is listed under `degraded` in the result, and an error under --limits
 * strict (docs/result.md).
 */

#include <stdbool.h>

#include "runtime/spec/result.h"

struct container_spec;
struct err;

/* The means to hold limits with. */
struct limit_means {
	unsigned groups;      /* controllers of the container's cgroup that hold a limit */
	const char *parent;   /* where that cgroup is; NULL: there is none, */
	const char *no_group; /* for this reason */
	bool is_named;        /* the user named the parent: somebody counts on it */
	bool one_id;          /* a single user id exists inside */
	bool is_root;         /* the caller is exempt from RLIMIT_NPROC */
	bool upper_on_disk;   /* the throw-away layer is a directory */
};

struct limit_holders {
	struct run_limit memory, cpus_milli, pids;
	struct strv weaker;   /* held by weaker means than a control group: limit and reason */
	struct strv degraded; /* not held as asked */
	bool watch_memory, watch_pids; /* the watchdog's part */
};

/* -EPERM naming the first limit that falls short, where the spec says strict. */
int limit_assign(const struct container_spec *s, const struct limit_means *m,
		 struct limit_holders *ret, struct err *e);
void limit_holders_free(struct limit_holders *h);

#endif
