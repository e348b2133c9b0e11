/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_CONTAINER_ROOT_H
#define CSBX_RUNTIME_CONTAINER_ROOT_H

/*
 * The root of a running container for a process outside of it that copies files: the container's
 * own mounts, with everything that is mounted in there, and its outer user namespace, in which ids
 * are those the container sees. No other namespace is entered and nothing of the container's is
 * executed or loaded; paths are to be resolved by openat2(2) RESOLVE_IN_ROOT (base/path.h).
 */

#include <sys/types.h>

struct err;
struct instance_record;
struct paths;

struct container_root {
	int root_fd;   /* O_PATH|O_DIRECTORY */
	int userns_fd; /* A */
};
#define CONTAINER_ROOT_INIT                    \
	{                                      \
		.root_fd = -1, .userns_fd = -1 \
	}

/* Waits for one whose start is not done, ten seconds at most (-EAGAIN then). -ESRCH: it has ended. */
int container_root_open(const struct paths *p, const struct instance_record *rec,
			struct container_root *ret, struct err *e);
void container_root_close(struct container_root *r);

/* Moves the calling process, which must have one thread, for good into the user namespace. */
int container_root_enter(const struct container_root *r, struct err *e);

/*
 * The calling process dies when the process that forked it does. After it has entered a user
 * namespace, which takes that off (prctl(2)). -ECANCELED: that has happened.
 */
int container_root_die_with(pid_t parent, struct err *e);

#endif
