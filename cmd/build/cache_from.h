/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_BUILD_CACHE_FROM_H
#define CSBX_CMD_BUILD_CACHE_FROM_H

/*
 * Images as a cache. --cache-to type=inline (or the build argument BUILDKIT_INLINE_CACHE=1) has the
 * image tell its steps and keep the files of each as a layer; a build that names that image with
 * --cache-from finds the steps, and puts the files of a layer into its own cache under the name the
 * step had, so that the keys of those that follow are the same again. An image is believed.
 */

#include <stdbool.h>
#include <stddef.h>

#include "cmd/build/config/inline_cache.h"
#include "image/table/table.h"

struct build;
struct build_args;
struct build_stage;
struct build_step;
struct err;

struct cache_source {
	char id[IMAGE_ID_BYTES];
	struct image_record record;
	struct inline_cache cache;
};

struct cache_from {
	struct cache_source *items;
	size_t n;
};

/* -EINVAL: a word of --cache-from or --cache-to that is not done. */
int cache_words_check(const struct build_args *a, struct err *e);
/* The image is to tell its steps. */
bool cache_is_told(const struct build_args *a);

/* Finds the images, and says which of them are none or tell no steps: the build goes on. */
int cache_from_open(struct build *b, struct err *e);
void cache_from_close(struct cache_from *c);

/*
 * 1: the files of the step, which is to be made, are there, as an image has them. 0: no image has
 * the step.
 */
int cache_from_make(struct build *b, const struct build_stage *s, struct build_step *step,
		    struct err *e);
/* The id of the image that has this last key; NULL. */
const char *cache_from_image(const struct build *b, const char *key);

#endif
