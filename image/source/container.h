/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_CONTAINER_SOURCE_H
#define CSBX_IMAGE_CONTAINER_SOURCE_H

/*
 * The root of a container, as it sees it, as an image source: one layer, the directory, and the
 * configuration its image was imported with, from /.csbx/config.json in it. All of it belongs to
 * the container: it is opened in its root, and only so much of it is read.
 */

#include "image/model/source.h"

struct err;

#define CONTAINER_CONFIG_MAX (8u << 20)

/*
 * root: O_RDONLY directory, the source's on success. name: the container's, for provenance
 * ("export:NAME"). source_close() as for any other.
 */
int container_source_open(struct image_source *s, int root, const char *name, struct err *e);

#endif
