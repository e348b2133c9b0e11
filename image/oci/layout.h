/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_LAYOUT_H
#define CSBX_IMAGE_LAYOUT_H

/*
 * Images in a directory or a tar: OCI layouts (image-spec image-layout.md), the tars of
 * `docker save` in their three generations, and the directories of skopeo's dir: transport.
 * Each picks one image by u's selection and fills s; files that were opened before an error stay in
 * s for source_close().
 */

#include <stdbool.h>

struct docker_images;
struct err;
struct fileset;
struct image_source;
struct image_wish;
struct oci_descriptor;
struct oci_document;
struct source_uri;

int layout_load(const struct fileset *f, const struct source_uri *u, const struct image_wish *wish,
		struct image_source *s, struct err *e);

int docker_archive_load(const struct fileset *f, const struct source_uri *u,
			const struct image_wish *wish, struct image_source *s, struct err *e);

/* index.json of a layout; its entries may be attestations, which are no images. */
int layout_read_index(const struct fileset *f, struct oci_document *ret, struct err *e);
bool layout_is_image(const struct oci_descriptor *d);

/* manifest.json of a docker archive. -ENOENT with docker's words: it is none. */
int docker_archive_images(const struct fileset *f, struct docker_images *ret, struct err *e);

int skopeo_dir_load(const struct fileset *f, const struct image_wish *wish, struct image_source *s,
		    struct err *e);

#endif
