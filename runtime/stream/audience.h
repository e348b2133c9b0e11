/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_AUDIENCE_H
#define CSBX_RUNTIME_AUDIENCE_H

/*
 * The listeners of one output stream of a container: descriptors that clients have lent, each with
 * its place in the buffer that is being passed on. The supervisor reads nothing new before all have
 * all of it. A listener that does not read holds up the writer, and no process's memory grows. One
 * whose reader has gone is dropped, and the container does not notice.
 */

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AUDIENCE_MAX 16u

struct audience {
	struct listener {
		uint32_t id; /* of the client */
		int fd;      /* owned */
		size_t off;  /* buf[0..off) is written */
	} who[AUDIENCE_MAX];
	unsigned n;
};

/* Takes fd, also on error (-EUSERS); fd does not get the len bytes that are in the buffer now. */
int audience_add(struct audience *a, uint32_t id, int fd, size_t len);
void audience_remove(struct audience *a, uint32_t id);
void audience_free(struct audience *a);

/* The buffer was filled anew. */
void audience_rewind(struct audience *a);
bool audience_is_behind(const struct audience *a, size_t len);
/* One entry for each that is behind; returns how many. */
unsigned audience_poll(const struct audience *a, size_t len, struct pollfd *p);
/* Writes to one listener that can take bytes: the one whose descriptor is fd. */
void audience_write(struct audience *a, int fd, const char *buf, size_t len);

#endif
