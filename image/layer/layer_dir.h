/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_LAYER_DIR_H
#define CSBX_IMAGE_LAYER_DIR_H

/*
 * A directory of the host as a layer: what layer.h promises, read by openat2(2) beneath the
 * directory's descriptor without following a single symlink. Other file systems mounted in it
 * show as empty directories, unless options.cross_mounts. Used by layer.c and tree_pack.c.
 */

#include "image/layer/layer.h"

struct layer_dir;

int layer_dir_open(struct layer_dir **ret, int dirfd, const struct layer_options *o, struct err *e);
int layer_dir_next(struct layer_dir *d, struct layer_entry *ret, struct err *e);
int layer_dir_read(struct layer_dir *d, const void **ret_data, size_t *ret_len,
		   uint64_t *ret_offset, struct err *e);
uint64_t layer_dir_position(const struct layer_dir *d);
void layer_dir_close(struct layer_dir **d);

#endif
