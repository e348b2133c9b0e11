/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_IMAGE_PAUSE_HOLD_H
#define CSBX_CMD_DOCKER_IMAGE_PAUSE_HOLD_H

/*
 * A container that is paused while something is done with it, and not a moment longer: a process of
 * its own pauses it, and lets it go on when it is told so or when this process is gone, however it
 * went. Signals that a terminal or a batch system sends to all find that process deaf.
 */

#include <sys/types.h>

struct container_record;
struct paths;

struct pause_hold {
	int sock; /* it ends when this is closed; -1: nothing is held */
	pid_t pid;
};
#define PAUSE_HOLD_INIT    \
	{                  \
		.sock = -1 \
	}

/*
 * One that does not run is left alone, and so is one that is paused: the one that paused it goes on
 * to have it paused.
 */
void pause_hold_begin(struct pause_hold *h, const struct paths *p,
		      const struct container_record *container);
/* The container goes on when this returns. */
void pause_hold_end(struct pause_hold *h);

#endif
