/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_DOCKER_JSON_H
#define CSBX_IMAGE_DOCKER_JSON_H

/* manifest.json of `docker save` (moby image-spec v1.2), which lists the images of an archive. */

#include <stddef.h>

#include "runtime/base/str.h"

struct err;

struct docker_image {
	char *config; /* a member of the archive, as are the layers; foreign text */
	struct strv repo_tags, layers;
};

struct docker_images {
	struct docker_image *items;
	size_t n;
};

/* null and [] are lists of no images: docker 25 writes them. */
int docker_images_parse(const void *text, size_t len, struct docker_images *ret, struct err *e);
void docker_images_free(struct docker_images *l);
#define _docker_images_ __attribute__((cleanup(docker_images_free)))

#endif
