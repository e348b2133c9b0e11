/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_IMAGE_SAVE_H
#define CSBX_IMAGE_IMAGE_SAVE_H

/*
 * The room image/save. Images of the table as an archive.
 *
 * In: records and image files. Out: one tar that docker and podman load.
 *
 *	save.h			the archive
 *	index.h			its documents
 *
 * Must: give blobs of the store as they came where they are there.
 * Mustn't: write a name that was not asked for.
 */

/*
 * Images of the table as one archive, as docker 25 and later save them: an OCI layout with
 * manifest.json beside index.json, layers as plain tars.
 *
 * Which layers those are, layers.h says. The layers of several images are in it once each.
 */

#include "image/save/layers.h"
#include "image/table/table.h"

struct err;

struct image_save_item {
	const struct image_record *record;
	struct strv names; /* canonical, without those by digest */
};

struct image_save {
	struct image_content content;
	struct image_save_item *items;
	size_t n;
};

int image_save(const struct image_save *s, int out_fd, struct err *e);

#endif
