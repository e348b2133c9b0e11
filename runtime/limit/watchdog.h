/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_WATCHDOG_H
#define CSBX_RUNTIME_WATCHDOG_H

/*
 * Limits of memory and processes where no control group can hold them: the supervisor looks at the
 * container every few milliseconds and ends it when it is past one. See watchdog.c for what is
 * counted and what can pass.
 */

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/child/launch.h"
#include "runtime/limit/watchdog_fds.h"
#include "runtime/limit/watchdog_measure.h"

#define WATCHDOG_TMPFS_MAX LAUNCH_TMPFS_MAX
#define WATCHDOG_SYSV LAUNCH_SYSV

/* Descriptors of the container's own file systems, sent by its pid 1 before it becomes init. */
struct watchdog_view {
	int proc_fd; /* the clean /proc */
	/* /proc/sysvipc/shm, sem and msg, opened in the container's ipc namespace; -1: none */
	int sysv_fds[WATCHDOG_SYSV];
	int tmpfs_fds[WATCHDOG_TMPFS_MAX];
	unsigned n_tmpfs;
};
#define WATCHDOG_VIEW_INIT                               \
	{                                                \
		.proc_fd = -1, .sysv_fds = {-1, -1, -1}, \
	}

/* Sums over all processes but init, in bytes. */
struct watchdog_figures {
	uint64_t private;     /* resident less shared, and swapped out */
	uint64_t shared;      /* pages of files and of shared memory */
	uint64_t most_shared; /* the same of the one process that has most */
	uint64_t shmem;       /* the part of shared that is memory */
	uint64_t pss_anon, pss_shmem;
	uint64_t anon_shared; /* shared memory without a name */
	uint64_t files;       /* tmpfs, SysV, memfd: whether mapped or not */
	uint64_t tables;      /* page tables */
	uint64_t kernel;      /* the kernel's own: page tables, threads */
	uint64_t tasks;       /* threads of all processes */
};

/* A pass over the processes; one that takes long goes on at the next look. */
struct watchdog_pass {
	bool is_on; /* it is under way */
	DIR *procs; /* NULL: a process of its own makes it */
	struct watchdog_measure measure;
	unsigned what; /* watchdog.c */
	struct watchdog_figures f;
};

struct watchdog {
	struct watchdog_view view;
	struct watchdog_pass pass;
	uint64_t until_ns; /* a look that is still at it then leaves the rest to the next one */
	uint64_t limit_bytes, limit_pids; /* 0: not watched */
	uint64_t most_limit_bytes; /* the highest limit of memory there was before; 0: none */
	uint64_t sum_bytes;        /* as of the last look */
	uint64_t files_bytes;      /* the part of it that outlives the processes */
	uint64_t last_files_bytes; /* the same, as of every look */
	uint64_t peak_bytes;       /* highest sum seen */
	uint64_t shared_bytes;     /* most of files and shared memory seen in one process */
	uint64_t sysv_bytes;       /* of the System V objects, as of the last time they were read */
	uint64_t table_bytes;      /* of page tables, likewise */
	/* Threads included, pid 1 not. The program may end before the first look: it was one. */
	uint64_t max_pids;
	unsigned ticks, next_maps_tick;
	struct watchdog_fds fds;
	bool has_swap;
	bool wants_status; /* shared pages matter: ask what they are */
	bool is_near;      /* above half the limit: look more often */
	/* watchdog_kill.c */
	int victim_fd; /* /proc/PID of the one that was killed and may still be there; -1: none */
	uint64_t victim_ns, floor_bytes;
};
#define WATCHDOG_INIT                                                      \
	{                                                                  \
		.view = WATCHDOG_VIEW_INIT, .victim_fd = -1, .max_pids = 1 \
	}

struct watchdog_statm {
	uint64_t private_bytes; /* resident, and of this process alone or of its forks */
	uint64_t shared_bytes;  /* resident pages of files and of shared memory */
};

enum watchdog_sysv { WATCHDOG_SHM, WATCHDOG_SEM, WATCHDOG_MSG };

/* --- watchdog_proc.c ------------------------------------------------------------------------ */

#define WATCHDOG_TASK_BYTES 64

/*
 * The directory, relative to proc_fd, whose files tell of the process: PID, or PID/task/TID where
 * the first thread has ended before others. Returns the values of its statm; zeros where there is
 * no memory.
 */
struct watchdog_statm watchdog_find_task(int proc_fd, const char *pid,
					 char ret_path[WATCHDOG_TASK_BYTES]);

/* Reads a small file below it; the empty string when the process is gone, false: not for us. */
bool watchdog_read_small(int dirfd, const char *dir, const char *name, char *buf, size_t size);

/* Threads of the process. */
uint64_t watchdog_count_threads(int proc_fd, const char *pid);

/* Bytes of all objects of one kind, by the open file of /proc/sysvipc. */
uint64_t watchdog_read_sysv(enum watchdog_sysv kind, int fd);

/* UNDECIDED: the look ended in the middle of a pass, and the sums are those of the last one. */
enum watchdog_sight { WATCHDOG_IN_LIMITS, WATCHDOG_UNDECIDED, WATCHDOG_MEMORY, WATCHDOG_PIDS };

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
 * together. 1: it was killed now; 0: none had to be; -errno: it cannot be done.
 */
int watchdog_kill_largest(struct watchdog *w, uint64_t now_ns);
/* The decision alone: pure. */
bool watchdog_must_kill(struct watchdog *w);

/* --- watchdog_text.c: pure ------------------------------------------------------------------ */

/*
 * /proc/PID/statm; false and zeros for text that is not of that form, and for a task that has no
 * memory any more.
 */
bool watchdog_parse_statm(const char *text, uint64_t page_bytes, struct watchdog_statm *ret);
/* Value in bytes of a "Name: N kB" line of /proc/PID/status or smaps_rollup; 0 when missing. */
uint64_t watchdog_parse_kib(const char *text, const char *name);
/* The bytes that a line of /proc/sysvipc/shm, sem or msg stands for; 0 for the header line. */
uint64_t watchdog_parse_sysv(enum watchdog_sysv kind, const char *line);

/* Shared memory without a name, from the lines of /proc/PID/smaps one after the other. */
struct watchdog_smaps {
	bool in_zero;
	uint64_t anon_shared_bytes;
};
void watchdog_smaps_line(struct watchdog_smaps *s, const char *line);

#endif
