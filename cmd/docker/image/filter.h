/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_IMAGE_FILTER_H
#define CSBX_CMD_DOCKER_IMAGE_FILTER_H

/*
 * --filter of images and of image prune: "key=value" each (ps_filter_set()). Terms of one key are
 * alternatives, but labels must all be there.
 */

#include <stdbool.h>
#include <stdint.h>

struct err;
struct image_item;
struct image_list;
struct strv;

/* -EINVAL for what is no filter, in docker's words. keys: those allowed, NULL-terminated. */
int image_filter_check(const struct strv *filters, const char *const *keys, struct err *e);

/* "true" or "false" of dangling=: 1, 0, or -ENOENT where it is not asked for. */
int image_filter_dangling(const struct strv *filters);

/* before= and since=, label=, label!=, until=: the filters that ask for the image, not for a name
 * of it. */
int image_filter_image(const struct strv *filters, struct image_list *all,
		       const struct image_item *item, uint64_t now_s, struct err *e);

/* reference=: whether a canonical name is asked for; any is where there is no such filter. */
bool image_filter_name(const struct strv *filters, const char *canonical);
/* Those names of the image that are asked for; 0: the image is not. */
int image_filter_names(const struct strv *filters, const struct image_item *item, struct strv *ret,
		       struct err *e);
bool image_filter_has(const struct strv *filters, const char *key);

#endif
