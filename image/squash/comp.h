/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_SQUASH_COMP_H
#define CSBX_IMAGE_SQUASH_COMP_H

/* The compressors of an image, as libsquashfs wants them. For image/squash/squash.c. */

#include <stdbool.h>

#include "image/squash/squash.h"

struct err;
struct sqfs_compressor_t;

/* Number of the compressor in the super block. */
unsigned squash_comp_id(enum squash_comp comp);

/*
 * level 0: the default. Data that this compresses never grows: it is said to be incompressible
 * then. uncompress: the other direction. The library's sqfs_destroy() frees it.
 */
int squash_comp_new(enum squash_comp comp, int level, bool uncompress,
		    struct sqfs_compressor_t **ret, struct err *e);

#endif
