/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_LAUNCH_H
#define CSBX_RUNTIME_LAUNCH_H

/*
 * Makes the container's pid 1. The supervisor S must not enter a user namespace itself, and the
 * pid 1 must be its own child. So S vforks a short-lived M, which joins A (the outer user
 * namespace, setns) and clones pid 1 with CLONE_PARENT; M ends. M shares S's memory and
 * descriptors: joining A makes S's memory non-dumpable, so S must not rely on its own /proc/self
 * files afterwards.
 */

#include <sys/types.h>

struct child;
struct err;
struct net_traces;

/* Sent by the child on the control socket with the pty's master, before csbx-init runs. */
#define LAUNCH_EV_TERMINAL 100u
/*
 * Likewise: /proc, /proc/sysvipc/shm, sem and msg where arg is 1, and the container's tmpfs mounts.
 */
#define LAUNCH_EV_VIEW 101u
#define LAUNCH_TMPFS_MAX 12 /* that many of its tmpfs mounts, no more */
#define LAUNCH_SYSV 3       /* files of /proc/sysvipc */
/* Likewise, for --fetch: the root and the mount namespace (fetch.h). */
#define LAUNCH_EV_ROOT 102u
/* Likewise, with the host's network: what unix_broker.h answers; without it where it could not be had: arg 1 for another such filter. */
#define LAUNCH_EV_UNIX 103u

enum { CHILD_EXIT_FAILED = 97, CHILD_EXIT_SILENT = 98 };

struct launched {
	pid_t pid;
	int pidfd;
};

/* The namespaces that pid 1 is made in, all owned by A. */
struct launch_namespaces {
	int userns_fd; /* A */
	int net_fd;    /* a network namespace made before, or -1 */
	int apart_fd;  /* the mount namespace to copy (apart.h), -1: the caller's */
	/* One is made for others, beside pid 1, and the network namespace of its /sys; NULL: not
	 * wanted */
	int *made_apart_fd, *made_apart_net_fd;
	/*
	 * With apart_fd: layers on disk are cloned in a copy of the caller's mount namespace, which
	 * stays here. To close it takes the kernel long (RCU), so the caller does that while it has
	 * nothing else to do. NULL: there are no layers.
	 */
	int *host_copy_fd;
	struct net_traces *traces; /* of the network namespace, to be opened; NULL: not wanted */
	unsigned long
		flags; /* CLONE_NEW* of those to be made; CLONE_NEWNET falls to net_fd if any */
};

/*
 * The caller has SIGCHLD at its default and all signals blocked. The child runs child_main(c) on a
 * copy of the memory.
 */
int launch_child(struct child *c, const struct launch_namespaces *ns, struct launched *ret,
		 struct err *e);

/*
 * Gives a child that has none (child.msg_fd) its message for csbx-init. It waits for that before it
 * executes csbx-init, which is thereby approved; until then it builds the root beside its maker.
 */
int launch_approve(int control_fd, int msg_fd, struct err *e);

/* Ends a child that shall not go on, and waits until it is gone. */
void launch_abandon(const struct launched *child);

#endif
