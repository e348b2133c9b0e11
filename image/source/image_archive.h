/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_IMAGE_ARCHIVE_H
#define CSBX_IMAGE_IMAGE_ARCHIVE_H

/*
 * All images of one archive, as `docker load` takes them: the tars of `docker save` in their three
 * generations (docker_archive.c) and tarred OCI layouts. The names are the archive's claim.
 */

#include <stddef.h>

#include "image/oci/docker_json.h"
#include "image/oci/fileset.h"
#include "image/oci/json.h"

struct err;
struct image_source;
struct image_wish;

struct image_archive {
	int fd;
	struct fileset files;
	struct docker_images docker; /* where manifest.json lists images, else: */
	struct oci_document index;
	size_t *places; /* of the images in docker or index */
	size_t n;
};

/*
 * fd: a regular file or a pipe, which is not closed; input that cannot be read twice is copied
 * beneath tmp_dirfd. Those entries of a layout are listed that serve the wished platform. -ENOENT:
 * it holds no image.
 */
int image_archive_open(struct image_archive *a, int fd, int tmp_dirfd,
		       const struct image_wish *wish, struct err *e);
void image_archive_close(struct image_archive *a);

/* Canonical names of image i (image_name.h) are added to ret. */
int image_archive_names(const struct image_archive *a, size_t i, struct strv *ret, struct err *e);

/* Image i. The archive must outlive the source. */
int image_archive_source(const struct image_archive *a, size_t i, const struct image_wish *wish,
			 struct image_source *ret, struct err *e);

#endif
