/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_CONTAINER_END_H
#define CSBX_RUNTIME_CONTAINER_END_H

/* Acts of others on a container that runs: signals, stop, pause, and removal with force. */

#include <stdbool.h>
#include <stdint.h>

#include "runtime/record/container_record.h"
#include "runtime/life/container_state.h"

struct container_debris;
struct err;
struct instance_record;
struct paths;

#define CONTAINER_STOP_MS 10000u

struct container_stop {
	int signal;        /* 0: the container's stop signal, else SIGTERM */
	bool has_grace;    /* grace_ms counts; else the container's, else CONTAINER_STOP_MS */
	uint32_t grace_ms; /* then everything is killed; 0: at once */
	bool stays;        /* --rm does not count: it is started again */
};

/*
 * Ends a container that stays and waits until its state is written and its lock is free; *ret is
 * that state. One that does not run: 0, at once. -ETIMEDOUT: its supervisor does not answer.
 */
int container_stop(const struct paths *p, const char *name, const struct container_record *r,
		   const struct container_stop *how, struct container_state *ret, struct err *e);

/*
 * A signal for the main process; SIGKILL ends everything and waits for the end. -ESRCH: it does
 * not run.
 */
int container_kill(const struct paths *p, const char *name, const struct container_record *r,
		   int signal, struct err *e);

/* -ESRCH: it does not run; -EALREADY: it is so already. */
int container_pause(const struct paths *p, const struct container_record *r, bool pause,
		    struct err *e);

/*
 * Removes a container, of either kind. force: a running container is killed; a supervisor that does
 * not answer too. Not forced: -EBUSY while it runs. -ENOENT: it is gone.
 */
int container_remove(const struct paths *p, const char *name, const struct container_record *r,
		     bool force, struct err *e);
/* later: as of container_store_remove_soon(). */
int container_remove_soon(const struct paths *p, const char *name, const struct container_record *r,
			  bool force, struct container_debris *later, struct err *e);

/*
 * One that its killed supervisor should have removed, with its volumes. -EBUSY: it runs again, or
 * another process is at it; -ENOENT: it is gone.
 */
int container_remove_left(const struct paths *p, const char *name, const struct container_record *r,
			  struct err *e);

/* Stop and pause for one instance, of whatever kind; as csbx's own stop, kill and pause. */
int instance_stop(const struct paths *p, const struct instance_record *i, int signal,
		  uint32_t grace_ms, bool wait, struct err *e);
int instance_pause(const struct paths *p, const struct instance_record *i, bool pause,
		   struct err *e);

#endif
