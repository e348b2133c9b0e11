/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_BUILD_CHILD_H
#define CSBX_CMD_BUILD_CHILD_H

/*
 * Work of a step in a process of its own: it may enter a user namespace for good, and it goes when
 * its parent does. It answers with a number and an error.
 */

#include <sys/types.h>

struct err;

struct build_child {
	pid_t pid;
	int answer_fd;
};
#define BUILD_CHILD_INIT        \
	{                       \
		.answer_fd = -1 \
	}

/* Runs in the child; build_child_wait() gives its return value. parent: a pidfd. */
typedef int build_child_fn(void *arg, int parent, struct err *e);

int build_child_start(struct build_child *c, build_child_fn *work, void *arg, struct err *e);
int build_child_wait(struct build_child *c, struct err *e);

#endif
