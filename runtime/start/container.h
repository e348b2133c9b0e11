/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_CONTAINER_H
#define CSBX_RUNTIME_CONTAINER_H

/*
 * The room runtime/start. One start of a container, from a frozen specification to the result.
 *
 * In: a spec (spec.h), paths, hooks. Out: a result (result.h), or why the container could not be
 * started, and then nothing of it is left.
 *
 * 	container_setup.c	what is opened and asked for before the launch
 * 	container_launch.c	the launch
 * 	container.c		a start from begin to end
 * 	supervise.c		the loop: status, control, server, streams, until pid 1 is reaped
 * 	supervise_look.c	limits seen by the clock
 * 	supervise_signal.c	signals, job control, what other commands ask
 * 	supervise_end.c		how a container is brought to its end
 * 	container_after.c	which parts of it may be there after its end
 * 	spare*.c, idle_cpu.c	a container that is made ahead
 * 	detach.c		the same supervisor in a child with a session of its own
 * 	bare.c			a start without a supervisor, for enroot
 * 	lane.c, lane_state.c	a container for one short program after the other
 * 	lane_loan.c, lane_lender.c	lanes that a process lends to one command after the other
 *
 * The order of a start. S is the supervisor, the calling process: it stays in the caller's
 * namespaces, without privilege, and owns streams, signals, the instance's lock and the result. A
 * is the user namespace of the image server, B its child, the one of the program.
 *
 * 1. S reads configuration and record, takes the lock, opens the sources of mounts as the user and
 *    keeps their device and inode, and makes pipes and sockets.
 * 2. S asks the server (server/client.h) for A, csbx-init, clones of the image's mounts and of
 *    /dev, and a network namespace if one is ready. It starts the server where none answers. It
 *    asks before step 1 and reads the answer after it; a stopped server is given up after 5 s. Then
 *    come the control groups, if limits were asked for.
 * 3. S vforks M. M joins A and the network namespace and clones pid 1 with CLONE_PARENT in new
 *    mount, pid, ipc and uts namespaces; M ends. So pid 1 is the child of S, and its mount
 *    namespace is a copy of the caller's: host paths still resolve. If the plan needs none, it is a
 *    copy of a small one that the server keeps (child/apart.h). With control groups it is born
 *    in csbx-ID.helper. While pid 1 builds, M opens what tells whether the network was used, and S
 *    checks the csbx-init that the server has sent and writes the message for it.
 * 4. Pid 1 sets its parent-death signal, looks at the pidfd of S, and follows the plan (plan.h,
 *    child.h): lo and host name; a tmpfs for mount points and the throw-away layer; the image;
 *    csbx's files in /etc; the overlay, which a read-only root mostly does without
 *    (child/rootfs_direct.c); /dev, /proc with masks, /sys, devpts, shm, mqueue; the
 *    user's mounts; csbx's own directories are hidden wherever these show them (child/hide.c).
 * 5. Pid 1 pivots its root and detaches the host's tree, or covers the small namespace's root, and
 *    enters a Landlock domain.
 * 6. Pid 1 takes the message, which S sends last of all, and executes csbx-init, which clones W
 *    with new user, cgroup and mount namespaces. The copy of the mounts into the less privileged B
 *    locks every mask and read-only mount, also against all capabilities inside. Init writes the id
 *    maps, keeps descriptors of B, joins its mounts, drops every capability, and lets W go on.
 * 7. W gives up what it must not have: session, terminal, limits, bounding set, groups, ids,
 *    working directory, capabilities, signal mask, no_new_privs, seccomp. It executes the program.
 *    End of file on the status pipe says "started"; else a stage and an errno came through it.
 * 8. Init reports the exit status and ends; the kernel kills what is left. S returns when pid 1 is
 *    dead and all output is copied. With no mount of the host and the layer on tmpfs, the server's
 *    attendant takes the mounts down after that; else they are free when S returns.
 *
 * A capability over net, uts or ipc makes csbx-init create that namespace in B.
 *
 * Must: say in result.degraded what could not be had; say that the sandbox failed where the server
 * or csbx failed, never that the program did. Mustn't: know a front end's words, parse JSON, or
 * decide what a container may (spec.h, policy.h do).
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
 * ends the run, as that enum run_status. Messages that are still queued when container_run()
 * returns are the caller's to read.
 */
struct container_channel {
	int fd;
	int (*handle)(void *ctx);
	void *ctx;
};

enum spares {
	SPARES_NONE,
	SPARES_WHEN_IDLE, /* where a CPU has nothing else to do */
	SPARES_ALWAYS,
};

/* The other wishes of a caller; NULL where there is none. */
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
	bool stops_along;   /* when the main process stops itself the caller stops too, and goes on
			     * with it: the caller's parent must see it */
	bool removed_after; /* the layer is deleted next, and so need not be synced */
	void (*started)(void *arg); /* the payload runs; NULL: there is no caller to tell */
	void *started_arg;
	enum spares spares; /* spare.h: such a container may have been made ahead */
};

int container_run(const struct container_spec *spec, const struct paths *paths,
		  const struct container_hooks *hooks, struct run_result *ret, struct err *e);

/* Writes the mounts that container_run() would make, in order, as text; touches nothing. */
int container_plan(const struct container_spec *spec, const struct paths *paths, struct strbuf *out,
		   struct err *e);

#endif
