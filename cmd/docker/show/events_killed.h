/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_EVENTS_KILLED_H
#define CSBX_CMD_DOCKER_EVENTS_KILLED_H

/*
 * A supervisor writes the `die` of its container, and one that is killed by SIGKILL writes none.
 * A reader that follows the journal has a pidfd of each, and writes it in its place.
 */

#include <stdbool.h>
#include <stddef.h>

struct paths;

struct events_killed {
	const struct paths *paths;
	int epoll_fd; /* to be polled for input; -1: no supervisor is looked at */
	struct supervised {
		char *id;
		int fd;
	} *items;
	size_t n, cap;
};
#define EVENTS_KILLED_INIT     \
	{                      \
		.epoll_fd = -1 \
	}

/* Looks at those that run now. */
void events_killed_open(struct events_killed *k, const struct paths *p);
/* An event of a container was read. */
void events_killed_note(struct events_killed *k, const char *action, const char *id);
bool events_killed_any(const struct events_killed *k);
/*
 * The journal has been read to its end, and no other reader writes: supervisors that are gone have
 * written nothing.
 */
void events_killed_tell(struct events_killed *k);
void events_killed_close(struct events_killed *k);

#endif
