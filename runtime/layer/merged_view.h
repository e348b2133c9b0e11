/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_MERGED_VIEW_H
#define CSBX_RUNTIME_MERGED_VIEW_H

/*
 * The file system of a container that does not run, its image, what lies over that and its kept
 * layer merged, to be read or,
 * where the layer was taken to be used (layer_open()), written: in the container's outer user
 * namespace, so that ids are those the container sees.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct mount_spec;
struct rootfs_spec;

struct merged_view {
	int userns_fd; /* A, from the image server (server/client.h) */
	/* Its files or directories and the layers over them. */
	const struct rootfs_spec *root;
	const int *image_fds;   /* detached trees of the files, the lowest first */
	int layer_fd;           /* directory of the kept layer, held by layer_read(); -1: none */
	const char *layer_path; /* its path */
	bool is_writable;       /* there is a layer, and it takes changes */
	/*
	 * The binds and volumes among these are seen as a start would mount them. One whose source
	 * is gone, or whose place there is not and cannot be made, is left out.
	 */
	const struct mount_spec *mounts;
	size_t n_mounts;
	/* Called after each of these, before the place of the next is looked for; NULL: not. */
	int (*hide)(void *arg, int root, struct err *e);
	void *hide_arg;
};

/*
 * Moves the calling process, which must have one thread, for good into the user namespace and a
 * mount namespace of its own. Paths still resolve as before, the working directory is another;
 * nothing is mounted outside. Returns the merged root, O_RDONLY|O_DIRECTORY.
 */
int merged_view_enter(const struct merged_view *v, struct err *e);

#endif
