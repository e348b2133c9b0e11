/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_WATCHDOG_H
#define CSBX_RUNTIME_WATCHDOG_H

/*
 * Limits of memory and processes where no control group can hold them: the supervisor looks at the
 * container every few milliseconds and ends it when it is past one. See watchdog.c for what is
 * counted and what can pass.
 */

#include <stdbool.h>
#include <stdint.h>

struct err;

#define WATCHDOG_TMPFS_MAX 12

/* Descriptors of the container's own file systems, sent by its pid 1 before it becomes init. */
struct watchdog_view {
	int proc_fd;  /* the clean /proc */
	int shm_fd;   /* /proc/sysvipc/shm, opened in the container's ipc namespace; -1: none */
	int tmpfs_fds[WATCHDOG_TMPFS_MAX];
	unsigned n_tmpfs;
};
#define WATCHDOG_VIEW_INIT {.proc_fd = -1, .shm_fd = -1}

struct watchdog {
	struct watchdog_view view;
	uint64_t limit_bytes, limit_pids; /* 0: not watched */
	uint64_t peak_bytes; /* highest sum seen */
	uint64_t memfd_bytes; /* as of the last full look */
	uint64_t max_pids; /* threads included, pid 1 not */
	unsigned ticks;
	bool is_near; /* above half the limit: look more often */
};

enum watchdog_sight { WATCHDOG_IN_LIMITS, WATCHDOG_MEMORY, WATCHDOG_PIDS };

/* Closes the view's descriptors. */
void watchdog_done(struct watchdog *w);

/* Milliseconds until the next look. */
uint64_t watchdog_interval_ms(const struct watchdog *w);

/* One look: which limit the container is past. */
enum watchdog_sight watchdog_look(struct watchdog *w);

/* Sum of the rss column of /proc/sysvipc/shm, sysvipc(5) text of len bytes. Pure. */
uint64_t watchdog_parse_sysvipc(const char *text, unsigned long len);
/* Resident less shared bytes of /proc/PID/statm text; 0 for text that is not of that form. Pure. */
uint64_t watchdog_parse_statm(const char *text, uint64_t page_bytes);
/* Value in bytes of a "Name: N kB" line of smaps_rollup text; 0 when missing. Pure. */
uint64_t watchdog_parse_rollup(const char *text, const char *name);

#endif
