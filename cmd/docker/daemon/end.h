/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_DAEMON_END_H
#define CSBX_CMD_DOCKER_DAEMON_END_H

/* The actions on a container that is there: stop, kill, restart, pause, rename, remove. */

#include <stdbool.h>
#include <stdint.h>

struct container_debris;
struct container_start_how;
struct docker_fault;
struct docker_target;
struct paths;

struct docker_stop {
	const char *signal; /* NULL or "": the container's stop signal */
	bool has_grace;
	int64_t grace_s; /* negative: as long as it takes */
};

/* 1: it did not run. 400: no such signal. */
int docker_stop(const struct paths *p, const struct docker_target *t, const struct docker_stop *how,
		struct docker_fault *f);
/*
 * Takes t->found.record. operand: the container as it was asked for; start: as docker_start_go()'s.
 */
int docker_restart(const struct paths *p, struct docker_target *t, const char *operand,
		   const struct docker_stop *how, const struct container_start_how *start,
		   struct docker_fault *f);
/* signal: NULL or "" is SIGKILL. 409: it does not run. */
int docker_kill(const struct paths *p, const struct docker_target *t, const char *operand,
		const char *signal, struct docker_fault *f);
/* 409: it does not run, or is so already. */
int docker_pause(const struct paths *p, const struct docker_target *t, bool pause,
		 struct docker_fault *f);
/* 409: the new name is taken; 400: it cannot be one. */
int docker_rename(const struct paths *p, const char *operand, const char *name,
		  struct docker_fault *f);

struct docker_removal {
	bool force;                     /* running ones are killed */
	bool volumes;                   /* its anonymous ones go with it */
	struct container_debris *later; /* as of container_remove_soon(), NULL: nothing is left */
};
/* 409: it runs, and force is not set. 404: there is none. One whose record is damaged goes too. */
int docker_remove(const struct paths *p, const char *operand, const struct docker_removal *how,
		  struct docker_fault *f);

#endif
