/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_IMAGE_COPY_AGENT_H
#define CSBX_CMD_IMAGE_COPY_AGENT_H

/*
 * The part of `cp` that works in the container: a child of csbx's own that has entered the
 * container's user namespace for good, where it may change owners, and knows the container's root
 * by a descriptor. It executes and loads nothing from there. One request at a time, by a socket;
 * files travel as a tar through a descriptor that is sent along.
 */

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct err;

struct copy_agent {
	pid_t pid;
	int sock;
	uid_t caller_uid; /* as the child sees them: what these have inside is the caller's outside */
	gid_t caller_gid;
};
#define COPY_AGENT_INIT    \
	{                  \
		.sock = -1 \
	}

/* Runs in the child: enters, and returns the root (O_PATH or better) or -errno. */
typedef int copy_enter_fn(void *arg, struct err *e);

int copy_agent_start(struct copy_agent *a, copy_enter_fn *enter, void *arg, struct err *e);

struct copy_stat {
	mode_t mode;
	uint64_t size_bytes;
	int64_t mtime_s;
	uint32_t mtime_ns;
	char target[PATH_MAX]; /* of a symbolic link, as it is written; "" of all else */
};

/*
 * Looks at the file at path, a link itself unless follow; -ENOENT, -ENOTDIR and so on when there is
 * none.
 */
int copy_agent_look(struct copy_agent *a, const char *path, bool follow, struct copy_stat *ret,
		    struct err *e);
int copy_agent_stat(struct copy_agent *a, const char *path, bool follow, mode_t *ret_mode,
		    struct err *e);

/* Begins to write path as a tar whose top is called member to fd, which stays the caller's. */
int copy_agent_pack(struct copy_agent *a, const char *path, bool follow, const char *member, int fd,
		    struct err *e);

struct copy_into {
	const char *parent;    /* directory inside */
	const char *from, *to; /* tree_unpack.h; NULL: names as they are */
	bool keep_owner;
};
/* Begins to unpack the tar that fd gives. */
int copy_agent_unpack(struct copy_agent *a, const struct copy_into *into, int fd, struct err *e);

/* The end of what was begun: its result. */
int copy_agent_finish(struct copy_agent *a, struct err *e);

/* Ends the child. */
void copy_agent_close(struct copy_agent *a);

#endif
