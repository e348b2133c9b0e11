/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_SPARE_PLACE_H
#define CSBX_RUNTIME_SPARE_PLACE_H

/*
 * $CSBX_RUNTIME_PATH/spares: HEX.lock, held by the maker of that key as long as it lives, and, while
 * a spare waits, the socket HEX.sock. Makers that were killed leave both, for the next maker or gc.
 */

struct err;
struct paths;

int spare_place_open(const struct paths *paths, struct err *e);
/* The lock of the key's one maker; below 0: there is one, or many of other keys. name: of the socket. */
int spare_place_take(int dirfd, const char *name, struct err *e);
void spare_place_leave(int dirfd, const char *name);
/* Takes away what dead makers have left, and counts those that live. */
unsigned spare_place_sweep(int dirfd);

#endif
