/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_UNIX_BROKER_H
#define CSBX_RUNTIME_UNIX_BROKER_H

/*
 * Makes the UNIX sockets of a container that has the host's network, in a network namespace of its
 * own: abstract names are one namespace's (unix(7)), so none of the host's is in reach, nor is one
 * of the container's for the host. seccomp_unotify(2); the filter is runtime/child/unix_sockets.c's.
 */

struct err;

/*
 * Starts the process that answers, once there is something to answer: it is no child of the
 * caller's, and ends when no process is left that the filter is for. listener: of the filter,
 * stays the caller's. userns_fd: A. -EAGAIN: the user has as many processes as may be.
 */
int unix_broker_start(int listener, int userns_fd, struct err *e);

#endif
