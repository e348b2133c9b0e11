/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_LAYER_DIR_H
#define CSBX_IMAGE_LAYER_DIR_H

/*
 * A directory of the host as a layer, or several upper directories as one (uppers.h): what layer.h
 * promises, read beneath their descriptors without following a single symlink. Other file systems
 * mounted in them show as empty directories, unless options.cross_mounts. Used by layer.c and
 * pack/tree.c.
 */

#include "image/layer/layer.h"
#include "image/layer/uppers.h"

struct layer_dir;

int layer_dir_open(struct layer_dir **ret, const struct uppers *dirs, const struct layer_options *o,
		   struct err *e);
int layer_dir_next(struct layer_dir *d, struct layer_entry *ret, struct err *e);
int layer_dir_read(struct layer_dir *d, const void **ret_data, size_t *ret_len,
		   uint64_t *ret_offset, struct err *e);
uint64_t layer_dir_position(const struct layer_dir *d);
void layer_dir_close(struct layer_dir **d);

#endif
