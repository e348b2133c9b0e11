/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_SQUASHD_DEVTREE_H
#define CSBX_SQUASHD_DEVTREE_H

/* The /dev that every container gets a clone of. */

struct err;

/*
 * Fills the empty tmpfs whose mount is attached at dirfd and makes it read-only: null zero full
 * random urandom tty (binds of the host's nodes, each verified by its number), the usual links,
 * and empty directories pts, shm, mqueue for the container's own mounts.
 */
int devtree_fill(int dirfd, struct err *e);

#endif
