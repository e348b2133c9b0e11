/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_CONTAINER_WAIT_H
#define CSBX_RUNTIME_CONTAINER_WAIT_H

/*
 * Waiting for the end of a container. A wait is a lock that the supervisor holds until the state
 * is written and, with auto_remove, the container is gone: nothing polls, and the exit code is
 * found also when all else of the container has been removed.
 */

#include "runtime/life/container_state.h"

struct container_wait {
	int lock_fd; /* -1: it did not run */
	struct container_state state;
	bool was_killed; /* once it has ended: its supervisor was killed, and has removed nothing */
};
#define CONTAINER_WAIT_INIT    \
	{                      \
		.lock_fd = -1, \
	}

/* Begins to wait for a container that stays: from here on its end cannot be missed. */
int container_wait_begin(const struct paths *p, const char *name, const struct container_record *r,
			 struct container_wait *ret, struct err *e);
/* True while its lock is held: by a start that runs or is about to, or by its removal. */
bool container_wait_goes_on(const struct container_wait *w);
/* Returns when it does not run, at once if it did not, with its state in ret->state. */
int container_wait_end(struct container_wait *w, struct err *e);
void container_wait_close(struct container_wait *w);

#endif
