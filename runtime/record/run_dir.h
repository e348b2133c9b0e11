/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_RUN_DIR_H
#define CSBX_RUNTIME_RUN_DIR_H

/*
 * The record of a start that stays: a directory with its log (run_log.h), its state (a flat record)
 * and, at the end, its result as JSON (docs/result.md). It outlives the supervisor and a reboot.
 * The supervisor holds a lock on the file `lock` until it has written the result: the lock tells
 * that the run goes on. A run without lock and without end was killed.
 *
 * A detached start of a recipe or an image: $CSBX_DATA_PATH/runs/ID. `remove` of the container
 * takes its ended runs along, gc those that ended RUN_DIR_KEEP_S ago.
 *
 * A container that stays: containers/NAME/run, from its first start until it is removed, one for
 * all its starts; the lock makes them exclude each other. A start takes the lock file of the one
 * before it and puts its own in place: a process that waits for an end has the file of that start
 * open, and no later start keeps it waiting.
 *
 * Start and end are written into the lock file as well. So the end is learnt though all else is
 * removed by then, and though the disk is full: what the start has written is room for it. And a
 * lock that tells of a start and of no end is one whose supervisor was killed.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct container_spec;
struct err;
struct paths;
struct run_result;

#define RUN_DIR_KEEP_S (7 * 24 * 3600)

struct run_dir {
	int fd, lock_fd; /* lock_fd: of the supervisor */
	char id[16];
	unsigned restarts; /* of one's own: how often its policy has started it again */
};
#define RUN_DIR_INIT                    \
	{                               \
		.fd = -1, .lock_fd = -1 \
	}

struct run_state {
	char *name;          /* of the container, NULL: a start of an image */
	uint64_t started_ns; /* CLOCK_REALTIME; 0: its command never ran */
	uint64_t ended_ns;   /* 0: it runs, or its supervisor was killed */
	int exit_code;       /* of csbx for it, docs/cli.md */
	bool oom_killed;
	unsigned restarts;
	bool restarting; /* with a live supervisor: it waits to start it again */
	char *error;     /* why it failed, NULL = it did not */
};

/*
 * Takes the run of a container that stays, whose directory is dirfd, making it when it is missing.
 * -EBUSY: its lock is held, it runs or is being removed. The state stays what it was until
 * run_dir_started().
 */
int run_dir_take(int dirfd, const char *id, struct run_dir *ret, struct err *e);
/* To look at it: -ENOENT, it was never started. */
int run_dir_open_kept(int dirfd, const char *id, struct run_dir *ret);

/* The command runs. */
int run_dir_started(const struct run_dir *d, const char *name, struct err *e);
/* While it runs: one of its processes was killed for want of memory. */
int run_dir_oom_killed(const struct run_dir *d, struct err *e);
/* It has ended, and its supervisor waits to start it again. */
int run_dir_restarting(const struct run_dir *d, const struct run_result *r, struct err *e);
/*
 * Waits until ms are over (true), or until a process says by run_dir_cancel_restart() that the
 * container is not to be started again (false). If no supervisor waits, the cancel does nothing.
 */
bool run_dir_wait_restart(const struct run_dir *d, uint64_t ms);
void run_dir_cancel_restart(const struct run_dir *d);
/*
 * True while the container of that name has a supervisor, be it between two starts, or is being
 * started or removed.
 */
bool run_dir_is_taken(int containers, const char *name);
/* It did not come to run: the state stays what it was, but for code and reason. */
int run_dir_failed(const struct run_dir *d, int exit_code, const char *why, struct err *e);

/* Makes the directory of a run that is about to begin. */
int run_dir_create(const struct paths *p, const struct container_spec *s, struct run_dir *ret,
		   struct err *e);
/* Writes result and state; the last thing a supervisor does. */
int run_dir_finish(const struct run_dir *d, const struct container_spec *s,
		   const struct run_result *r, struct err *e);
/* For a container that is removed next: only processes that wait are told. */
int run_dir_tell(const struct run_dir *d, const struct run_result *r, struct err *e);
/* The run never began. */
void run_dir_discard(const struct paths *p, struct run_dir *d);
void run_dir_close(struct run_dir *d);

/*
 * The run that NAME, an id or the beginning of one (>= 4 digits) stands for; of several of a name
 * the one that was started last. -ENOENT: no detached start of that name.
 */
int run_dir_find(const struct paths *p, const char *operand, struct run_dir *ret,
		 struct run_state *state, struct err *e);
int run_dir_state(const struct run_dir *d, struct run_state *ret, struct err *e);
/* The same of one whose lock is free: its end is in the lock where the state has none. */
int run_dir_last_state(const struct run_dir *d, struct run_state *ret, struct err *e);
/* The state in a file of its own; and in the open lock file, as start or end told it. */
int run_state_write(int dirfd, const struct run_state *s, struct err *e);
int run_state_tell(int lock_fd, const struct run_state *s, struct err *e);
int run_state_told(int lock_fd, struct run_state *ret, struct err *e);
void run_state_free(struct run_state *s);

static inline bool run_state_goes_on(const struct run_state *s)
{
	return s->started_ns && !s->ended_ns;
}

/* True while its supervisor lives. */
bool run_dir_is_live(const struct run_dir *d);
/* Waits for the end of its supervisor. */
int run_dir_wait(const struct run_dir *d, struct err *e);

/*
 * Calls fn for every run; fn may remove it. A run that cannot be read is passed over.
 */
int run_dir_each(const struct paths *p,
		 int (*fn)(void *arg, int runs_fd, const struct run_dir *d,
			   const struct run_state *s),
		 void *arg, struct err *e);

/* Removes the runs of a container that has been removed, those that are about to end as well. */
int run_dir_remove_all(const struct paths *p, const char *name, struct err *e);

/* One of runs/, and its removal; a run's directory holds files only, all of them ours. */
int run_dir_open(int runs_fd, const char *id, struct run_dir *ret);
int run_dir_remove(int runs_fd, const struct run_dir *d, struct err *e);

#endif
