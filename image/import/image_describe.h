/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_IMAGE_DESCRIBE_H
#define CSBX_IMAGE_IMAGE_DESCRIBE_H

/* From an image source that was imported to its record in the image table. */

#include <stdint.h>

struct err;
struct image_record;
struct image_source;
struct import_result;
struct strv;

/* "sha256:HEX" of the config: the image's id. */
int image_describe_id(const struct image_source *src, char **ret, struct err *e);

/* The record, to be freed with image_record_free(). */
int image_describe(const struct image_source *src, const struct import_result *res,
		   uint64_t loaded_ns, struct image_record *ret, struct err *e);

/* Ids of layers with all below them (image-spec config.md, "Layer ChainID"). */
int image_chain_ids(const struct strv *diff_ids, struct strv *ret, struct err *e);

#endif
