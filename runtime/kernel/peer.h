/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_PEER_H
#define CSBX_RUNTIME_PEER_H

/*
 * Tells if the process at the other end of a named socket is inside a container, unix(7). A program
 * in a container has the caller's own user id outside, and a mount may show it csbx's sockets: the
 * user id (SO_PEERCRED) tells nothing.
 *
 * Every container has a user namespace B of its own, whose parent A is a child of the caller's.
 * So "inside" is: a user namespace that is neither the caller's nor a child of it; or a pid
 * namespace below the caller's. By user_namespaces(7) no process inside can get a descriptor of
 * the caller's user namespace: to have one is the proof of being outside.
 */

#include <stdint.h>

struct err;

/* The caller's own user namespace: an nsfs descriptor. */
int peer_own_userns(struct err *e);

/*
 * For a listener in the caller's namespaces: 0 when the client is in the user namespace of this
 * process, else -EPERM. One that has gone, or that cannot be looked at, is refused too.
 */
int peer_check_client(int sock, struct err *e);

/*
 * The same, and the client may be in a user namespace that is a child of this process's, as that of
 * a job step or of another launcher: none of csbx's containers is, their programs are in B.
 */
int peer_check_outside(int sock, struct err *e);

/*
 * For a client, before it sends anything: -EPERM when the process that listens is known to be
 * inside a container; -ECONNREFUSED, as of a socket that is left over, when it has ended: others
 * may accept in its place. The image server cannot be looked at by its client: it proves more by
 * what it sends (peer_check_child).
 */
int peer_check_listener(int sock, struct err *e);

/* A pidfd of the process at the other end; of a listener: the one that called listen(2) last. */
int peer_open_pidfd(int sock, struct err *e);

/* 0 when the namespace that userns_fd names is a child of own_fd's, as A is; else -EPERM. */
int peer_check_child(int userns_fd, int own_fd, struct err *e);

/*
 * The caller's mount namespace: its id, which no other one ever has (ioctl_nsfs(2), Linux 6.10), or
 * the number that it has among those that are there; 0: not known.
 */
uint64_t peer_own_mounts_id(void);

#endif
