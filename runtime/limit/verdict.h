/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_VERDICT_H
#define CSBX_RUNTIME_VERDICT_H

/* The meaning of a container's end: the last word on the result of supervise.h's loop. */

#include <stdbool.h>

#include "runtime/base/err.h"
#include "runtime/spec/result.h"

struct cgroup;
struct watchdog;

/* The facts seen of the end. */
struct ending {
	enum run_status by; /* the limit that ended it; RUN_EXITED: none */
	bool started;       /* the program ran */
	bool exited;        /* it ended, and its own verdict is in the result */
	bool failed;        /* of the sandbox, for the reason in error */
	bool oom_single;    /* one process dies for want of memory, not all (spec.h) */
	bool oom_of_main;   /* and that was the main one */
	int killed_by;      /* signal that ended the container before the program started */
	struct err error;
};

/* Completes r; -errno when the container could not be started. watchdog may be NULL. */
int verdict_reach(struct ending *end, const struct watchdog *watchdog, const struct cgroup *cgroup,
		  struct run_result *r, struct err *e);

#endif
