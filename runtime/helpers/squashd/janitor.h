/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_SQUASHD_JANITOR_H
#define CSBX_SQUASHD_JANITOR_H

struct err;

/*
 * Without landlock, a confined server may not be given unlinkat(), whose path could lead anywhere.
 * Then a child is forked before the confinement that does nothing but unlink one name when told to,
 * and ends with the server. Returns the descriptor to tell it by.
 */
int janitor_start(int dirfd, const char *name, struct err *e);

/* Returns when the name is gone. */
void janitor_unlink(int fd);

#endif
