/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_ENGINE_SPARE_H
#define CSBX_CMD_ENGINE_SPARE_H

/* See spare.c. A listener has one spare process at most: none at its limit, or where fork fails. */

#include <stdbool.h>

struct cmd;
struct engine_listener;

typedef void spare_child(struct cmd *c, struct engine_listener *l, int listener);

/* Where there is none; child runs in it, and does not return. */
void spare_make(struct cmd *c, struct engine_listener *l, spare_child *child);
/* In it: the connection, -1: none will come. Closes listener. */
int spare_take(int listener);
/* True: it serves that connection now, and is a child like others; fd stays the caller's. */
bool spare_give(struct engine_listener *l, int fd);
void spare_end(struct engine_listener *l);

#endif
