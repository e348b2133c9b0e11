/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_SQUASHD_DEVTREE_H
#define CSBX_SQUASHD_DEVTREE_H

/* The /dev that every container gets a clone of. */

#define DEVTREE_NODES 6

struct err;

/* Detached clones of the host's device nodes, each verified by its number; -1: none. */
struct devtree {
	int nodes[DEVTREE_NODES];
};
#define DEVTREE_INIT                           \
	{                                      \
		{                              \
			-1, -1, -1, -1, -1, -1 \
		}                              \
	}

/* While the host's /dev can still be reached by its path. */
int devtree_open(struct devtree *ret, struct err *e);
void devtree_close(struct devtree *d);

/*
 * Fills the empty tmpfs whose mount is attached at dirfd and makes it read-only: null zero full
 * random urandom tty (the nodes), the usual links, and empty directories pts, shm, mqueue for the
 * container's own mounts.
 */
int devtree_fill(int dirfd, const struct devtree *d, struct err *e);

#endif
