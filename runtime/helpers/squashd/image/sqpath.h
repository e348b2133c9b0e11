/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_SQUASHD_SQPATH_H
#define CSBX_SQUASHD_SQPATH_H

#include "runtime/helpers/squashd/image/sqimage.h"

/*
 * Finds what path leads to within the image: symlinks are followed from the image's own root, at
 * most 40 of them. 0, -ENOENT, -ENOTDIR, -ELOOP, -ENAMETOOLONG or -EIO.
 */
int sqpath_resolve(struct sqimage *img, const char *path, struct sqnode *ret);

#endif
