/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_CONTAINER_STATE_H
#define CSBX_RUNTIME_CONTAINER_STATE_H

/*
 * The room runtime/life. Containers that stay: from create to remove, and what killed ones leave.
 *
 * In: names and records. Out: states, starts, stops, or nothing left.
 *
 *	container_create.c, container_start.h: made, started
 *	container_state.h, container_wait.h, container_each.c: looked at, waited for
 *	container_end.h		signalled, stopped, paused, removed with force
 *	container_root.h	its files while it runs
 *	gc.h			what killed processes left; gc_priv.h lists its parts
 *	server_kill.h		an image server that hangs
 *
 * Must: take a lock before a state is believed.
 * Mustn't: end a process that is not known by more than its number.
 */

/*
 * The state of a container. The lock that its supervisor holds tells if it runs, never a pid in a
 * file, so the answer is true after a SIGKILL of anything and after a reboot: a start without lock
 * and without an end was killed, and counts as exited with 137.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "runtime/record/container_record.h"
#include "runtime/record/instance.h"
#include "runtime/spec/name.h"

struct err;
struct paths;
struct run_dir;

enum container_status {
	CONTAINER_CREATED, /* never started, or never came to run its command */
	CONTAINER_RUNNING,
	CONTAINER_PAUSED,
	CONTAINER_RESTARTING, /* it has ended, and its supervisor starts it again in a moment */
	CONTAINER_EXITED,
	CONTAINER_DEAD, /* its record cannot be read: all there is to do is to remove it */
	CONTAINER_STATUS_MAX,
};

/* It has a supervisor: it can be stopped. */
static inline bool container_is_active(enum container_status s)
{
	return s == CONTAINER_RUNNING || s == CONTAINER_PAUSED || s == CONTAINER_RESTARTING;
}

#define CONTAINER_ERROR_BYTES 512

struct container_state {
	enum container_status status;
	pid_t pid;                         /* of the main process on the host, 0: it does not run */
	int exit_code;                     /* 0..255, of the last end */
	bool oom_killed;                   /* of the last end */
	unsigned restarts;                 /* by its policy, since it was started */
	char error[CONTAINER_ERROR_BYTES]; /* why the last start or run failed, "" = it did not */
	uint64_t started_ns, finished_ns;  /* CLOCK_REALTIME, 0: never */
};

/* "created", "running", ... as ps prints them. */
const char *container_status_name(enum container_status s);
/* -EINVAL for what is none of them. */
int container_status_parse(const char *text, enum container_status *ret);

/* One row of ps. Strings live as long as the call that hands it out. */
struct container_view {
	const char *name; /* of the container; of a start of an image: its instance's id */
	/* 64 digits; of what has only an instance's id: that, then zeros. "" = none. */
	char id[NAME_CONTAINER_ID_DIGITS + 1];
	const struct container_record *record;  /* NULL: a start of an image, or damaged */
	const struct instance_record *instance; /* NULL: it does not run */
	struct container_state state;
};

enum container_each_flag {
	CONTAINER_EACH_LIVE = 1u << 0,   /* only what runs or is paused */
	CONTAINER_EACH_NO_PID = 1u << 1, /* state.pid is not wanted, which saves a look at /proc */
	CONTAINER_EACH_AGAIN = 1u << 2,  /* with LIVE: also what is to be started again */
};

/*
 * Calls fn for every container that stays, for every running instance of a recipe, for every
 * recipe of which none runs, and for every running start of an image; in no order. fn returns 0 to
 * go on; anything else ends the walk and is returned.
 */
int container_each(const struct paths *p, unsigned flags,
		   int (*fn)(void *arg, const struct container_view *v), void *arg, struct err *e);

/* The state of one container. A recipe is running while an instance of it does. */
int container_state_read(const struct paths *p, const char *name, const struct container_record *r,
			 struct container_state *ret, struct err *e);

/*
 * The run of a container that stays, to look into it: its log (run_log.h) and result. One that was
 * never started: 0, and ret->fd is -1.
 */
int container_run_dir(const struct paths *p, const char *name, const struct container_record *r,
		      struct run_dir *ret, struct err *e);

#endif
