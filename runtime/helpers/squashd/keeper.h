/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_SQUASHD_KEEPER_H
#define CSBX_SQUASHD_KEEPER_H

/*
 * A process beside the server that stands in for the supervisor which a bare container has not
 * (runtime/start/bare.h): it holds the record's lock until the main process is dead, and the
 * container's place in the server's count and the lock of its layer until its root is unmounted,
 * which is when the last process that lives in it has gone. Then the layer is synced, or deleted.
 *
 * It never sees a byte of the image and has no capability. Should the server die, it goes on until
 * the last of its containers has ended.
 */

#include <stdbool.h>

struct err;

struct keeper {
	int sock; /* to it; -1: there is none */
};
#define KEEPER_INIT        \
	{                  \
		.sock = -1 \
	}

/* After world_begin(): it takes the host's tree down first. */
int keeper_start(struct keeper *k, struct err *e);
/* One more: SQUASHD_STAND_MAX descriptors, -1 where there is none; they stay the caller's. */
void keeper_take(struct keeper *k, const char *id, bool is_kept, const int *fds);
/* Something is to be read: how many have ended. */
unsigned keeper_ended(struct keeper *k);

#endif
