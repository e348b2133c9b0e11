/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_BUILD_AHEAD_H
#define CSBX_CMD_BUILD_AHEAD_H

/*
 * Stages side by side. A stage that a COPY --from takes from is made by a process of its own, which
 * begins when the build begins; the build makes its target meanwhile and waits at that COPY. Such a
 * process makes steps in the cache: the build then goes through the stage once more and finds them.
 * A stage that two of them need is made once: the cache has a lock for each step.
 *
 * There are as many at a time as there are CPUs. When one of them fails, all others end.
 */

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

#include "cmd/build/build_child.h"

struct build;
struct build_stage;
struct err;

#define AHEAD_MAX 64

typedef int build_ahead_fn(struct build *b, struct build_stage *s, struct err *e);

struct build_ahead {
	build_ahead_fn *make;
	struct ahead_item *items;
	size_t n;
	unsigned n_running, cpus;
	int stop[2];   /* a byte in it: end */
	bool is_child; /* this process makes one of them */
	struct ahead_shared *shared;
};
#define BUILD_AHEAD_INIT           \
	{                          \
		.stop = { -1, -1 } \
	}

/* Starts what `target` needs, each by make_stage(), where there is more than one CPU. */
int build_ahead_start(struct build *b, struct build_stage *target, build_ahead_fn *make_stage,
		      struct err *e);

/*
 * Waits for the process that makes s. 1: it is made, and has been told of; 0: there is no such
 * process, and will be none.
 */
int build_ahead_wait(struct build *b, const struct build_stage *s, struct err *e);

/* Between two steps. -errno: a stage failed, or the build is to end. */
int build_ahead_check(struct build *b, struct err *e);

/* The same within a step, of which something may be open: starts no other process. */
int build_ahead_see(struct build *b, struct err *e);

/*
 * The descriptors that become readable when build_ahead_see() has something to say; their number.
 */
size_t build_ahead_polled(const struct build *b, struct pollfd ret[AHEAD_MAX]);

/* Ends what still runs. */
void build_ahead_end(struct build *b);

#endif
