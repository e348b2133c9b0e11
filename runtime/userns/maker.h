/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_USERNS_MAKER_H
#define CSBX_RUNTIME_USERNS_MAKER_H

/*
 * A user namespace with id ranges, made by a process of its own. newuidmap and newgidmap take
 * longer than their caller needs to start and to do what needs no ids, so they run
 * beside. The maker tells twice, by a socket: the namespace is there; its ids are.
 */

#include "runtime/userns/userns.h"

/* Forks the maker, which ends by itself. Returns the socket, or -errno. */
int userns_maker_start(const struct id_map *map);

/* Waits for the namespace: a descriptor to setns(2) to, which gives every capability over it. */
int userns_maker_take(int sock, int *ret_userns_fd, struct err *e);

/* After that: waits for its ids. */
int userns_maker_finish(int sock, struct err *e);

#endif
