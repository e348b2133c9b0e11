/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_THRASH_H
#define CSBX_RUNTIME_THRASH_H

/*
 * A control group that is out of memory without the kernel's saying so: full of memory that cannot
 * be reclaimed, it drops the pages of its own program and reads them again, over and over. See
 * thrash.c for the signs.
 */

#include <stdbool.h>
#include <stdint.h>

struct cgroup;

#define THRASH_LOOK_MS 250u

/*
 * The values of the group's files at one moment (cgroups(7); admin-guide/cgroup-v2.rst, "memory").
 */
struct thrash_sample {
	uint64_t at_ns;
	uint64_t max_events;   /* memory.events: how often the limit was run into */
	uint64_t cache_bytes;  /* file pages that are left and could be dropped; most: unknown */
	uint64_t refaults;     /* pages that had been dropped and were read again */
	uint64_t major_faults; /* on mapped pages, such as a program's own */
	uint64_t stalled_us;   /* "full": no process in the group ran, for want of memory */
	bool has_stalled;      /* the kernel counts that (CONFIG_PSI) */
};

struct thrash {
	uint64_t limit_bytes; /* 0: the group does not hold the memory limit */
	uint64_t page_bytes;
	struct thrash_sample last;
	bool has_last;
	uint64_t bad_ns; /* how long it has been so, less twice the time that was better */
};

/* Takes a sample where something happened, every THRASH_LOOK_MS at most; true: out of memory. */
bool thrash_look(struct thrash *t, const struct cgroup *cg, uint64_t now_ns);

/* The decision alone: pure. */
bool thrash_judge(struct thrash *t, const struct thrash_sample *s);

#endif
