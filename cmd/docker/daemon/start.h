/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_DAEMON_START_H
#define CSBX_CMD_DOCKER_DAEMON_START_H

/* Starting a container that is there, for run, start and restart. Its supervisor is detached. */

#include <stdbool.h>

#include "runtime/life/container_start.h"

struct docker_fault;
struct docker_target;
struct paths;

struct docker_start {
	struct container_start start;
	bool is_open;
};

/*
 * docker_start_begin() takes the container, so that no other process can start or remove it; a
 * caller that wants to be attached from the beginning, or to wait for the end, sees to that between
 * the two. docker_start_go() returns when the command runs. A command that could not be run: 400
 * with the words of docker's runtime, exit_code 126 or 127. docker_start_close() in any case.
 * -EBUSY: it runs, or another starts or removes it; -EADDRINUSE: a port that it publishes is taken
 * (ports.h). Takes found->record.
 */
int docker_start_begin(const struct paths *p, struct container_found *found,
		       struct docker_start *ret, struct docker_fault *f);
/* how: started_fd is not looked at, descriptors stay the caller's; NULL: no client is attached. */
int docker_start_go(struct docker_start *s, const struct container_start_how *how,
		    struct docker_fault *f);
void docker_start_close(struct docker_start *s);

/* All three. 1: it runs already. how: as above. Takes t->found.record. */
int docker_start(const struct paths *p, struct docker_target *t,
		 const struct container_start_how *how, struct docker_fault *f);

#endif
