/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_CONTAINER_H
#define CSBX_RUNTIME_CONTAINER_H

/*
 * Runs one container from a frozen spec, start to end, in the calling process, which becomes its
 * supervisor. 0: *ret says what happened. -errno: it could not be started and nothing of it is
 * left; *e has the reason. The caller frees *ret in both cases.
 */

#include <stdbool.h>

struct container_spec;
struct paths;
struct run_log;
struct run_dir;
struct run_result;
struct strbuf;
struct err;

/*
 * A descriptor to listen to while the container runs, beside everything else: the other end is the
 * program's (process_spec.keep_fds). A handler below 0 ends the listening, not the run; above 0 it
 * ends the run, as that enum run_status. What is still queued when container_run() returns is the
 * caller's to read.
 */
struct container_channel {
	int fd;
	int (*handle)(void *ctx);
	void *ctx;
};

/* What a caller wants besides; NULL where there is nothing. */
struct container_hooks {
	int started_fd;      /* a byte is written when the payload runs; -1: not */
	struct run_log *log; /* takes the output, NULL: the caller's streams do */
	const struct container_channel *channel; /* NULL: none */
	/*
	 * It outlives its caller: input and output are lent by clients (EXEC_REQ_ATTACH) and what
	 * is written goes to the log as well.
	 */
	bool lent;
	bool stdin_once; /* the first client to give input ends it when it leaves */
	/*
	 * A client that is there from the beginning, -1: none, and its streams; all four are used
	 * once, and closed when it has left.
	 */
	int client_sock, client_fds[3];
	const struct run_dir *kept; /* of a container that stays: notes the start; NULL: none */
	int owner_fd;               /* pidfd: the container ends when that process does; 0: none */
	bool stops_along; /* when the main process stops itself the caller stops too, and goes on
			   * with it: who waits for the caller must see it */
	bool removed_after;         /* the layer is deleted next, and so need not be synced */
};

int container_run(const struct container_spec *spec, const struct paths *paths,
		  const struct container_hooks *hooks, struct run_result *ret, struct err *e);

/* What container_run() would mount, in order, as text; touches nothing. */
int container_plan(const struct container_spec *spec, struct strbuf *out, struct err *e);

#endif
