/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_CONTAINER_START_H
#define CSBX_RUNTIME_CONTAINER_START_H

/*
 * Containers that stay (docs/life.md): one start of one, by container_start_begin(), which takes
 * it, so that no other process can start or remove it, and container_start_run(), its supervisor
 * from launch to end, which writes down what became of it and, where that is wanted, removes it.
 * Between the two the caller may fork: the lock goes on with the child.
 *
 * A container that stays has its whole specification in its record (spec/flat.h) and an id of its
 * own; containers/NAME/run is the run of all its starts. Its state is never stored as such. The
 * supervisor holds a lock on run/lock from before the launch until the end is written; it writes
 * run/state when the command runs and when it has ended, and both into the lock file too, so that a
 * process that waits for the lock learns it though the container is removed by then. No lock and no
 * end: it was killed. Layer and volumes go by id, so a new name is one rename(2). A detached
 * start is the same supervisor (detach.h); its output goes into two files of frames (run_log.h).
 *
 *	container_create.c	make one; container_remove.c: remove it
 *	container_start.c	start it; container_end.c: stop, kill, pause
 *	container_state.c	what it does now; container_wait.c: wait for its end
 *	container_each.c	all of them; container_root.c: its files while it does not run
 *	gc.c, gc_*.c		what killed commands left behind; server_kill.c: image servers
 */

#include <stdbool.h>

#include "runtime/record/container_find.h"
#include "runtime/record/run_dir.h"
#include "runtime/stream/run_log.h"
#include "runtime/spec/spec.h"

struct err;
struct paths;
struct run_result;

struct container_start {
	const struct paths *paths;
	struct container_found found; /* the record is taken over */
	struct container_spec spec;
	struct run_dir run;
	struct run_log log;
	int owner_fd; /* -1: no process owns it */
	/*
	 * -1, or what the container has to itself while it runs (port_claim.h): closed when it has
	 * ended, before a process that waits learns that.
	 */
	int held_fd;
	struct strv sources; /* of one that may be started again: container_sources.h */
};

/*
 * -EBUSY: it runs, or is being started or removed; -ESTALE, -ENOENT: its image; -EUCLEAN: its
 * layer may be incomplete after a crash of the machine and force is not set; -ESRCH: its owner is
 * gone. Takes found->record in any case.
 */
int container_start_begin(const struct paths *p, struct container_found *found, bool force,
			  struct container_start *ret, struct err *e);

enum container_moment {
	CONTAINER_STARTED, /* its command runs; waiting processes are told next */
	CONTAINER_ENDED,   /* with the result; waiting processes are told next */
	CONTAINER_REMOVED, /* it was to go with its end, and has */
};

struct container_start_how {
	int started_fd; /* gets a byte when the command runs; -1: no process waits */
	bool in_person; /* the caller's streams are the container's: no log, no attach */
	/* else (container.h): a client from the beginning, -1: none, and its streams */
	int client_sock, client_fds[3];
	bool stdin_once;
	/*
	 * Descriptors of the caller's that a detached supervisor must not hold: their end is told to
	 * others.
	 */
	const int *callers;
	size_t n_callers;
	bool orphan; /* a detached supervisor is no child of the caller's (detach.h) */
	/*
	 * Is asked in the supervisor after each end that no client asked for, with how often it was
	 * started again: whether it is to be so once more, and after how long; *wait_ms is the wait
	 * before, 0: there was none. NULL: never.
	 */
	bool (*again)(const struct container_start *s, const struct run_result *result,
		      unsigned restarts, uint64_t *wait_ms);
	bool has_policy; /* `again` will say yes, as it looks now (container_again.h) */
	/*
	 * Is called in the supervisor; result: of CONTAINER_ENDED only. NULL: there is no caller to
	 * tell.
	 */
	void (*moment)(const struct container_start *s, enum container_moment moment,
		       const struct run_result *result);
};

/* As container_run(); also writes the state, and removes with --rm, whatever comes. */
int container_start_run(struct container_start *s, const struct container_start_how *how,
			struct run_result *ret, struct err *e);
/*
 * The same in a child of its own; returns when the command runs. -errno: it does not,
 * *ret_exit_code is what container_start_run() would have told. The caller closes in both cases,
 * also how's descriptors; how->started_fd is not looked at.
 */
int container_start_detached(struct container_start *s, const struct container_start_how *how,
			     int *ret_exit_code, struct err *e);
/* Between the two: the start comes to nothing. Writes that down, and with --rm removes the
 * container. */
void container_start_failed(struct container_start *s, int exit_code, const char *why);
void container_start_close(struct container_start *s);

#endif
