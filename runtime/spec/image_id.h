/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_IMAGE_ID_H
#define CSBX_RUNTIME_IMAGE_ID_H

/*
 * The identity of an image's file or directory, by which a later start tells whether it is the
 * same.
 */

#include <stdbool.h>

struct image_id;
struct stat;

void image_id_from_stat(struct image_id *ret, const struct stat *st);
/* Device numbers without a device behind them (NFS, btrfs) change at each mount: not compared. */
bool image_id_same(const struct image_id *a, const struct image_id *b);

#endif
