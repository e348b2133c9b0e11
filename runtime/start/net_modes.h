/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_NET_MODES_H
#define CSBX_RUNTIME_NET_MODES_H

/*
 * Modes and owners of the files below /proc/PID/net. They are the network namespace's and no
 * mount's: a program that changes one changes it for all that are in the namespace later. Each look
 * finds them anew; an open file shows those of the moment when it was opened.
 */

#include <stdbool.h>

struct id_map;
struct strbuf;

/*
 * Before a program has run: can one whose ids are of the map be the owner of any? Owners are the
 * kernel's own root where the namespace was made in a user namespace without ids, else the root of
 * A. True where it cannot be told.
 */
bool net_modes_can_change(int dir, const struct id_map *map);

/* Appends name, type, mode and owners of each entry below the directory. 0, or -errno. */
int net_modes_add(int dir, struct strbuf *out);

#endif
