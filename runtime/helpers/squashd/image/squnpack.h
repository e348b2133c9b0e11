/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_SQUASHD_SQUNPACK_H
#define CSBX_SQUASHD_SQUNPACK_H

/*
 * Decompresses the blocks of one image, one after the other: gzip, lzo, xz and lz4 by
 * libsquashfuse's decompressors, zstd by its own library (zstd.h). Not thread-safe: each thread has
 * its own.
 */

#include <stddef.h>

struct squnpack;

/* compression: the superblock's number. -ENOTSUP for one that the libraries lack, -ENOMEM. */
int squnpack_new(unsigned compression, struct squnpack **ret);
void squnpack_free(struct squnpack *u);

/* *out_bytes: room at out, then what was written there. -EIO: damaged, or larger than that. */
int squnpack_block(struct squnpack *u, const void *in, size_t in_bytes, void *out,
		   size_t *out_bytes);

#endif
