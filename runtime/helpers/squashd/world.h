/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_SQUASHD_WORLD_H
#define CSBX_SQUASHD_WORLD_H

/* The namespaces an image server lives in and what it hands out of them. */

#include <stdbool.h>

#include "runtime/helpers/squashd/devtree.h"
#include "runtime/server/proto.h"

struct err;

struct world {
	bool lacks_xattrs; /* of tmpfs: no user attributes */
	int userns_fd;     /* A */
	int uid_map_fd;    /* that of A in /proc, until those beside the server are there */
	int mntns_fd;      /* its own mount namespace, for those who add a file to it */
	int root_fd;       /* root of the root's mount, while the world is made */
	int gone_rd;       /* end of file: the host's tree is dropped, or its process dead */
	int gone_wr;
	int dev_fd;        /* root of the /dev template's mount */
	int image_fd;      /* root of the FUSE mount, -1 for a directory root */
	int fuse_fd;       /* /dev/fuse, opened inside A; -1 likewise */
	int fuse_last_fd;  /* fuse_held_last() of it */
	int init_fd;       /* csbx-init */
	bool init_is_file; /* not sealed: the installed file itself */
	struct devtree dev;
};
#define WORLD_INIT                                                                               \
	{                                                                                        \
		.userns_fd = -1, .uid_map_fd = -1, .mntns_fd = -1, .root_fd = -1, .gone_rd = -1, \
		.gone_wr = -1, .dev_fd = -1, .image_fd = -1, .fuse_fd = -1, .fuse_last_fd = -1,  \
		.init_fd = -1, .dev = DEVTREE_INIT                                               \
	}

/*
 * Makes A, or enters it where it is made with id ranges, and the mount namespace, and pivots into
 * an empty root. Only once in a process's life, single-threaded. Until it is finished, A may have
 * no ids and the host's tree is still mounted.
 */
int world_begin(const struct squashd_key *key, struct world *ret, struct err *e);

/*
 * Takes the host's tree down, in a process forked after world_begin(), which then closes all that
 * it has of the world.
 */
void world_drop_host(void);

/* Waits for that and for the maps. Afterwards nothing of the host can be reached by a path. */
int world_settle(const struct squashd_key *key, struct world *w, struct err *e);

/* Fills the root with /dev and the FUSE mount. */
int world_fill(const struct squashd_key *key, struct world *w, struct err *e);

#endif
