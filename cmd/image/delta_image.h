/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_IMAGE_DELTA_IMAGE_H
#define CSBX_CMD_IMAGE_DELTA_IMAGE_H

/*
 * An image that is another one and a small file over it, or several: the files of upper directories
 * become each of them, and csbx links the files of the image below.
 *
 * In: the upper directories, what lies below them, names. Out: an image of the table. The layer is
 * read twice: as the tar that its diff_id is the digest of, and into the squashfs; the same tar can
 * be made of the file again (image/squash/unsquash.h).
 * Must: run in the user namespace in which the files have the owners that containers see.
 */

#include <stdbool.h>
#include <stdint.h>

#include "image/layer/uppers.h"
#include "image/model/digest.h"
#include "image/table/table.h"
#include "runtime/spec/spec.h"

struct err;
struct image_source;
struct import_options;
struct strv;

/* The image below the layer: its files, the lowest first. */
struct delta_below {
	struct image_record record;
	char *paths[SPEC_STACK_MAX];
	uint64_t bytes[SPEC_STACK_MAX];
	unsigned n;
};

/* A layer between the image below and the topmost one: a file of its own. */
struct delta_middle {
	struct uppers uppers;
	struct digest diff_id; /* set before configure() is called */
};

struct delta_image {
	int dirfd;       /* the image table */
	const char *ref; /* for provenance and messages: "commit:NAME" */
	const struct delta_below *below;
	struct delta_middle *middle; /* the lowest first; below->n + n_middle < SPEC_STACK_MAX */
	unsigned n_middle;
	struct uppers uppers;
	/* The upper directories hold nothing: their root's attributes count, and the image has the
	 * layers of that below. */
	bool has_no_layer;
	const struct strv *names; /* canonical */
	const struct import_options *options;
	/* Sets src->config; src->layers[0].diff_id is that of the new layer, where there is one. */
	int (*configure)(void *arg, struct image_source *src, struct err *e);
	void *arg;
};

/*
 * root is that of the image id. -EOPNOTSUPP: it is no image of the table any more, no squashfs
 * file, or as high as a stack may be. Freed with delta_below_free() in any case.
 */
int delta_below_find(int dirfd, const char *id, const struct rootfs_spec *root,
		     struct delta_below *ret, struct err *e);
void delta_below_free(struct delta_below *b);

/* -EOPNOTSUPP: the files below cannot be linked. */
int delta_image_add(const struct delta_image *d, char ret_id[IMAGE_ID_BYTES], struct err *e);

#endif
