/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_SERVER_LIST_H
#define CSBX_RUNTIME_SERVER_LIST_H

#include "runtime/server/proto.h"

struct err;
struct paths;

/*
 * Calls fn for each image server, with its socket's name and its status: of one that is stopped or
 * too busy to answer code is ETIMEDOUT and only server_pid is known. fn returns -errno to stop.
 * Sockets without a listener are passed over; they are gc's.
 */
int server_each(const struct paths *p,
		int (*fn)(void *arg, const char *name, const struct squashd_reply *reply),
		void *arg, struct err *e);

/*
 * Removes the sockets without a listener. A server that ends removes its own; one that was killed
 * cannot. Does nothing while a server is being started: the next start replaces the socket.
 */
void server_forget_dead(const struct paths *p);

#endif
