/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_IMAGE_ID_H
#define CSBX_RUNTIME_IMAGE_ID_H

/*
 * The identity of an image's file or directory, by which a later start tells whether it is the
 * same.
 */

#include <stdbool.h>

struct image_id;
struct rootfs_spec;
struct stat;

void image_id_from_stat(struct image_id *ret, const struct stat *st);
/* Device numbers without a device behind them (NFS, btrfs) change at each mount: not compared. */
bool image_id_same(const struct image_id *a, const struct image_id *b);
/*
 * True when a file of the image, the one that was pinned, has another size or time since: who has it
 * mapped reads something else, or nothing. A file that another took the place of is as it was.
 */
bool rootfs_was_changed(const struct rootfs_spec *root);

#endif
