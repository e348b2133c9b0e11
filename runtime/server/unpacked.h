/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_UNPACKED_H
#define CSBX_RUNTIME_UNPACKED_H

/*
 * $CSBX_CACHE_PATH/unpacked/<dev>-<ino>-<size>-<mtime_ns>/: an image unpacked once, for hosts
 * whose /dev/fuse is missing or closed. Unpacking runs in the confined reader (csbx-squashd
 * --unpack); the tree is built under a temporary name and renamed when it is whole. Files belong
 * to the caller there, so in a container all of them are the main user's.
 */

#include <stdbool.h>

#include "runtime/spec/spec.h"

struct err;
struct paths;

#define UNPACKED_AGE_S (30 * 24 * 3600) /* not used for so long, a tree is given up */

struct unpacked {
	struct rootfs_spec root;   /* the directories and their identities */
	int locks[SPEC_STACK_MAX]; /* keep gc off the trees */
};
#define UNPACKED_INIT                                       \
	{                                                   \
		.locks = { -1, -1, -1, -1, -1, -1, -1, -1 } \
	}

/* True where images cannot be mounted for sure: /dev/fuse is missing or not ours to open. */
bool unpacked_is_needed(void);

/*
 * The tree of each file of an image, made when no start has done so yet; concurrent starts wait
 * for one unpacking. They stay as long as ret is open, whose layers are those of image.
 */
int unpacked_open(const struct paths *p, const struct rootfs_spec *image, struct unpacked *ret,
		  struct err *e);
void unpacked_close(struct unpacked *u);

/*
 * For gc: true when no process uses the tree of that name in unpacked/ and no process will, since
 * its image is gone or changed or it was not used for UNPACKED_AGE_S, or there is no tree to the
 * lock. *ret_lock keeps users out until tree and <key>.lock have been removed.
 */
bool unpacked_is_stale(int dirfd, const char *key, int *ret_lock);
/* The same for a tree that was not used for unused_s seconds; 0: it is only not used now. */
bool unpacked_is_unused(int dirfd, const char *key, uint64_t unused_s, int *ret_lock);

#endif
