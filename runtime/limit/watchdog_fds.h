/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_WATCHDOG_FDS_H
#define CSBX_RUNTIME_WATCHDOG_FDS_H

/*
 * The memory of memfds, which may be held by a descriptor alone: counted once per inode, over the
 * tables of descriptors of a container's processes, and of their threads where one of these may
 * have a table of its own. See watchdog_fds.c.
 */

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct watchdog_fds {
	uint64_t memfd_bytes; /* as of the last pass that came to its end */
	/* The pass that is under way; procs is NULL: none. */
	DIR *procs, *tasks, *table;
	char pid[16];
	bool is_deep, is_threads;     /* of the whole pass; of the open table */
	uint64_t bytes, hidden_bytes; /* hidden: of the table of a thread only */
	uint64_t *seen;               /* inode numbers */
	size_t n_seen, size;
	/* When the next is a deep one. */
	uint64_t base_bytes; /* the machine's shared memory that is not known to be ours */
	unsigned looks, deep_look;
	bool has_base, stays_deep;
};

void watchdog_fds_done(struct watchdog_fds *s);

/*
 * A slice of a pass, at every look. unknown_bytes: the machine's shared memory less what is known
 * to be the container's; when it grows by more than step_bytes, the next pass is a deep one. The
 * slice ends at until_ns (CLOCK_MONOTONIC) in any case.
 */
void watchdog_fds_look(struct watchdog_fds *s, int proc_fd, uint64_t unknown_bytes,
		       uint64_t step_bytes, uint64_t until_ns);

/*
 * A whole pass at once, unless the tables are very large or there is no time for it: then the last
 * one's figure stays, and the next looks go on with the pass.
 */
void watchdog_fds_refresh(struct watchdog_fds *s, int proc_fd, uint64_t until_ns);

#endif
