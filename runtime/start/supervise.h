/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_SUPERVISE_H
#define CSBX_RUNTIME_SUPERVISE_H

/*
 * Watches one container from its launch to its end: start-up status, control messages of
 * csbx-init, the image server, the caller's signals, job control, the streams. Ends when pid 1
 * is dead and reaped and all output is copied.
 */

#include <stdbool.h>

#include "runtime/child/launch.h"
#include "runtime/stream/streams.h"
#include "runtime/limit/thrash.h"

struct cgroup;
struct container_channel;
struct err;
struct exec_server;
struct net_traces;
struct run_dir;
struct run_result;
struct watchdog;
struct container_spec;

struct supervise {
	const struct container_spec *spec;
	struct launched pid1;
	void (*started)(void *arg); /* the payload runs; NULL: there is no caller to tell */
	void *started_arg;
	int started_fd; /* gets a byte when the payload runs; -1: no process waits for it. Not closed
			   here */
	bool stops_along;                        /* container.h */
	const struct container_channel *channel; /* NULL: none */
	int status_fd;                           /* read end; EOF = the payload runs */
	int control_fd;
	int host_copy_fd; /* launch.h: closed here when the payload runs; -1: none */
	int userns_fd;    /* A; of no use for a lane */
	int server_fd;    /* -1: none; readable = the image server is gone */
	pid_t server_pid;
	bool mounts_are_private; /* nothing of the host's: they may outlive the container a
				  * little */
	/* Of its network namespace: open where that may go to the next; NULL: it may not. */
	const struct net_traces *traces;
	const int *snmp_fd; /* those counters alone, of a lane; NULL: not open */
	int signal_fd;
	struct watchdog *watchdog;   /* NULL: the kernel holds the memory limit, or there is none */
	const struct cgroup *cgroup; /* of the container; maybe none is made */
	struct thrash thrash;        /* with the limit where that cgroup holds it */
	const struct run_dir *kept;  /* gets the start noted, NULL: none */
	int owner_fd;                /* pidfd of a process that the container ends with; -1: none */
	int step_fd;                 /* pidfd of the batch step we are in; -1: none */
	/* Notes that the container is paused, or goes on. */
	int (*note_paused)(void *ctx, bool paused, struct err *e);
	void *note_ctx;
	struct streams *streams;
	struct fetch_root *fetch; /* filled where the spec asks for files */
	struct exec_server *exec; /* opened when somebody asks for an exec */
	struct run_result *result;
	/*
	 * The container is one of lane.h, and another process's child: the run ends when it is empty.
	 * is_empty: csbx-init says that it is, and as it was.
	 */
	bool is_lane, is_empty;
	bool is_others_child; /* pid 1, which its parent waits for */
};

/* Returns 0 with result filled, or -errno when the container could not be started. */
int supervise_run(struct supervise *s, struct err *e);

#endif
