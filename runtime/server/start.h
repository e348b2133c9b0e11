/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_SQUASHD_START_H
#define CSBX_RUNTIME_SQUASHD_START_H

/* Starting an image server: publish a listening socket, then hand it to csbx-squashd. */

#include "runtime/server/proto.h"

struct err;

struct squashd_start {
	int dirfd;           /* servers/ */
	const char *program; /* path of csbx-squashd */
	const struct squashd_boot *boot;
	int image_fd, init_fd; /* handed on */
};

/*
 * Connects to servers/<name>. Returns the socket, or -ENOENT or -ECONNREFUSED where no process is
 * there. dir is the directory's path where that fits a socket address, else dirfd is used by /proc.
 */
int squashd_connect(const char *dir, int dirfd, const char *name, struct err *e);

/*
 * Takes the one lock of servers/: -EAGAIN while somebody else starts a server. The lock goes with
 * the descriptor. A process that removes a socket there needs it too, or it may remove a new
 * server's.
 */
int squashd_lock(int dirfd, struct err *e);

/* Binds, publishes and starts. The caller holds the lock and has seen that no process listens. */
int squashd_spawn(const struct squashd_start *s, struct err *e);

/*
 * Forks and runs a helper with fds[i] as descriptor 3+i, /dev/null as 0-2 (out_fd as 1 where it is
 * >= 0), no environment, nothing else inherited. Detached: a session of its own, not a child.
 * Returns the pid, 0 when detached; a failed exec is the error. `before` is called, when detached,
 * in the process between, and may add to the descriptors: a process that it starts is no child of
 * the caller. It returns 0 or -errno.
 */
struct squashd_exec {
	const char *program;
	const char *const *argv;
	const int *fds;
	int n_fds, out_fd;
	bool detach;
	int (*before)(struct squashd_exec *x);
};
pid_t squashd_run(struct squashd_exec *x, struct err *e);

#endif
