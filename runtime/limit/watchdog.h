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

#include "runtime/child/launch.h"

#define WATCHDOG_TMPFS_MAX LAUNCH_TMPFS_MAX

/* Descriptors of the container's own file systems, sent by its pid 1 before it becomes init. */
struct watchdog_view {
	int proc_fd; /* the clean /proc */
	int shm_fd;  /* /proc/sysvipc/shm, opened in the container's ipc namespace; -1: none */
	int tmpfs_fds[WATCHDOG_TMPFS_MAX];
	unsigned n_tmpfs;
};
#define WATCHDOG_VIEW_INIT                  \
	{                                   \
		.proc_fd = -1, .shm_fd = -1 \
	}

struct watchdog {
	struct watchdog_view view;
	uint64_t limit_bytes, limit_pids; /* 0: not watched */
	uint64_t sum_bytes;               /* as of the last look */
	uint64_t files_bytes;             /* the part of it that outlives the processes */
	uint64_t peak_bytes;              /* highest sum seen */
	uint64_t shared_bytes;            /* most of files and shared memory seen in one process */
	uint64_t memfd_bytes;             /* as of the last full look */
	uint64_t max_pids;                /* threads included, pid 1 not */
	unsigned ticks, next_maps_tick;
	bool has_swap;
	bool wants_status; /* shared pages matter: ask what they are */
	bool is_near;      /* above half the limit: look more often */
	/* watchdog_kill.c */
	int victim_fd; /* /proc/PID of who was killed and may still be there; -1: nobody */
	uint64_t victim_ns, floor_bytes;
};
#define WATCHDOG_INIT                                       \
	{                                                   \
		.view = WATCHDOG_VIEW_INIT, .victim_fd = -1 \
	}

enum watchdog_sight { WATCHDOG_IN_LIMITS, WATCHDOG_MEMORY, WATCHDOG_PIDS };

/* Closes the view's descriptors. */
void watchdog_done(struct watchdog *w);

/* Milliseconds until the next look. */
uint64_t watchdog_interval_ms(const struct watchdog *w);

/* True where so many more threads would be within the limit of processes. */
bool watchdog_has_room(const struct watchdog *w, uint64_t more);

/* One look: which limit the container is past. */
enum watchdog_sight watchdog_look(struct watchdog *w);

/*
 * After a look of a container whose largest process dies for all that hold too much memory
 * together. 1: it was killed now; 0: nobody had to be; -errno: it cannot be done.
 */
int watchdog_kill_largest(struct watchdog *w, uint64_t now_ns);
/* The decision alone: pure. */
bool watchdog_must_kill(struct watchdog *w);

/* --- watchdog_text.c: pure ------------------------------------------------------------------ */

struct watchdog_statm {
	uint64_t private_bytes; /* resident, and of this process alone or of its forks */
	uint64_t shared_bytes;  /* resident pages of files and of shared memory */
};

/* /proc/PID/statm; false and zeros for text that is not of that form. */
bool watchdog_parse_statm(const char *text, uint64_t page_bytes, struct watchdog_statm *ret);
/* Value in bytes of a "Name: N kB" line of /proc/PID/status or smaps_rollup; 0 when missing. */
uint64_t watchdog_parse_kib(const char *text, const char *name);
/* Sum of the rss and swap columns of /proc/sysvipc/shm, len bytes. */
uint64_t watchdog_parse_sysvipc(const char *text, unsigned long len);

/* Shared memory without a name, from the lines of /proc/PID/smaps one after the other. */
struct watchdog_smaps {
	bool in_zero;
	uint64_t anon_shared_bytes;
};
void watchdog_smaps_line(struct watchdog_smaps *s, const char *line);

#endif
