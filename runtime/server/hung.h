/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_SERVER_HUNG_H
#define CSBX_RUNTIME_SERVER_HUNG_H

/*
 * Is an image server hung? A task that waits for one cannot be killed, and a server that is killed
 * takes its other containers with it: so it is asked first. It has one thread for everything, so
 * an answer on the container's connection means that requests for files are answered too.
 */

#include <stdbool.h>

/* Asks over the connection of an attached container; never waits. */
void server_ping(int sock);

/* After POLLIN on the connection: true for an answer, false when the server is gone. */
bool server_has_answered(int sock);

/* The connection has ended, and the server with it. sock < 0: there is none that could. */
bool server_is_gone(int sock);

#endif
