/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_STORE_SURVEY_H
#define CSBX_IMAGE_STORE_SURVEY_H

/* Finds the blobs of the store and the images that have each of them; for the report and for
 * pruning. */

#include "image/store/store.h"

struct survey_blob {
	struct digest digest;
	char name[16 + 1 + DIGEST_HEX_MAX + 1]; /* "sha256-HEX" */
	uint64_t bytes;
	uint64_t used_s;
	unsigned refs;  /* images that have it */
	bool had_image; /* some image has it, or had before survey_drop() */
	bool in_use;    /* somebody reads it at the moment */
};

struct survey_image {
	struct store_usage usage; /* its strings are those of the list the survey was made of */
	size_t place;             /* in that list */
	uint32_t *blobs;          /* in survey.blobs, each once */
	size_t n_blobs;
};

struct survey {
	struct survey_blob *blobs; /* by name */
	size_t n_blobs;
	struct survey_image *images; /* last used first */
	size_t n_images;
};

int survey_make(struct survey *v, struct store *s, const struct store_images *l, struct err *e);
void survey_free(struct survey *v);

/* NULL: there is none. */
struct survey_blob *survey_find(const struct survey *v, const char *name);

/* The sum of all blobs that some image has. */
uint64_t survey_bytes(const struct survey *v);

/* The image has no blobs any more. */
void survey_drop(struct survey *v, struct survey_image *image);

#endif
