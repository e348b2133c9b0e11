/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_IMAGE_FIND_H
#define CSBX_CMD_IMAGE_FIND_H

/* The image table (image/table/table.h) as the verbs see it. */

#include <stdbool.h>

struct err;
struct gc_report;
struct image_entry;
struct paths;

/* Opens $CSBX_DATA_PATH/images. */
int images_open(const struct paths *p, struct err *e);

/*
 * An image by its name or id, and the absolute path of its file, caller frees. -ENOENT, -ENOTUNIQ
 * and -EINVAL as image_table_find(); -ENOENT also when the image is known but its file is gone.
 */
int image_find(const struct paths *p, const char *operand, struct image_entry *ret, char **ret_path,
	       struct err *e);

/* Sweeps the table (image_table_sweep()) and adds what went to the report. */
int images_sweep(const struct paths *p, bool dry_run, struct gc_report *report, struct err *e);

/* True when an operand that names no container and no file may be tried as an image's name. */
bool image_may_be_meant(const char *operand);

/* True for "python:3.12", "ghcr.io/some/image@sha256:...": the name of an image in a registry. */
bool image_has_tag(const char *operand);
/* The error for one that is not here, with the commands that fetch it: -ENOENT. */
int image_missing(const char *operand, struct err *e);

#endif
