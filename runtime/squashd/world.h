/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_SQUASHD_WORLD_H
#define CSBX_SQUASHD_WORLD_H

/* The namespaces an image server lives in and what it hands out of them. */

#include <stdbool.h>

#include "runtime/squashd_proto.h"

struct err;

struct world {
	bool lacks_xattrs; /* of tmpfs: no user attributes */
	int userns_fd;     /* A */
	int dev_fd;        /* root of the /dev template's mount */
	int image_fd;      /* root of the FUSE mount, -1 for a directory root */
	int fuse_fd;       /* /dev/fuse, opened inside A; -1 likewise */
	int init_fd;       /* csbx-init */
	bool init_is_file; /* not sealed: the installed file itself */
};
#define WORLD_INIT                                                                          \
	{                                                                                   \
		.userns_fd = -1, .dev_fd = -1, .image_fd = -1, .fuse_fd = -1, .init_fd = -1 \
	}

/*
 * Makes A and the mount namespace, fills both and pivots into the latter. Afterwards nothing of
 * the host can be reached by a path. Only once in a process's life, single-threaded.
 */
int world_make(const struct squashd_key *key, struct world *ret, struct err *e);

#endif
