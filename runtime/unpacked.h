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

struct container_spec;
struct err;
struct paths;
struct rootfs_spec;

/* True where images cannot be mounted: /dev/fuse is missing or not ours to open. */
bool unpacked_is_needed(void);

/*
 * Fills ret (path and identity of the directory; the caller frees ret->path) from spec's image,
 * unpacking it when no start has done so yet. Concurrent starts wait for one unpacking.
 */
int unpacked_open(const struct paths *p, const struct rootfs_spec *image, struct rootfs_spec *ret,
		  struct err *e);

#endif
