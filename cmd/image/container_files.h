/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_IMAGE_CONTAINER_FILES_H
#define CSBX_CMD_IMAGE_CONTAINER_FILES_H

/*
 * The files of a container that does not run: csbx finds and holds its parts from outside, as a
 * start does it; a process then enters its user namespace for good and sees them merged.
 */

#include <stdbool.h>

#include "cmd/options/resolve.h"
#include "runtime/layer/layer.h"
#include "runtime/spec/name.h"
#include "runtime/server/client.h"
#include "runtime/server/unpacked.h"
#include "runtime/userns/userns.h"

struct cmd;
struct container_spec;
struct err;
struct run_opts;

struct container_files {
	/* Set before open: the kept layer is taken, or made, to be changed; or it is only looked at
	 * and may be in use. */
	bool is_writable, only_looks;
	const struct paths *paths;
	char name[NAME_BYTES_MAX + 1];
	struct subject subject;
	struct layer layer;
	struct unpacked unpacked; /* in place of the image where it cannot be mounted */
	struct squashd_link link;
	struct id_map map;
};
#define CONTAINER_FILES_INIT                                                              \
	{                                                                                 \
		.layer = LAYER_INIT, .unpacked = UNPACKED_INIT, .link = SQUASHD_LINK_INIT \
	}

/* o: which ids there are; its spec is filled. -ENOENT: no container has that name or id. -EBUSY: it
 * runs with its kept layer. */
int container_files_open(struct cmd *c, const char *operand, struct run_opts *o,
			 struct container_files *f, struct err *e);

/* The same of an image file alone: no layer; its main user is root. */
int container_files_of_image(struct cmd *c, const char *path, struct run_opts *o,
			     struct container_files *f, struct err *e);

/* In the process that has one thread: the merged root, O_RDONLY|O_DIRECTORY (merged_view.h). */
int container_files_enter(const struct container_files *f, const struct container_spec *s,
			  struct err *e);

/*
 * Asked after the work: -ENOENT when the container was removed meanwhile. Its remover may not have
 * seen a layer that was made here, and so that goes as well.
 */
int container_files_check(struct cmd *c, struct container_files *f, struct err *e);

/* Written files are on disk, the layer is whole; no process uses it any more. */
int container_files_sync(struct container_files *f, struct err *e);
void container_files_close(struct container_files *f);

#endif
