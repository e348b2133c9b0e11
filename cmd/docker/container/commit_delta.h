/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_COMMIT_DELTA_H
#define CSBX_CMD_DOCKER_COMMIT_DELTA_H

/*
 * docker commit of a container whose changes lie in a layer over an image of the table: the layer
 * becomes one small file over those of the image (runtime/server/image_stack.h), which are linked,
 * not copied.
 */

#include "cmd/docker/image/tar_image.h"
#include "image/table/table.h"

struct container_found;
struct docker;
struct err;

struct commit_delta {
	const struct container_found *container;
	const struct tar_image *image;
	struct image_change *config; /* of the container; the changes are made to it */
	int dirfd;                   /* the image table */
};

/*
 * -EOPNOTSUPP: its files have to be taken whole, since it has no layer, its image is none of the
 * table or of one file system with it, or the stack is as high as one may be.
 */
int commit_delta(struct docker *d, const struct commit_delta *c, char ret_id[IMAGE_ID_BYTES],
		 struct err *e);

#endif
