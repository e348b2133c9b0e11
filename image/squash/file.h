/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_SQUASH_FILE_H
#define CSBX_IMAGE_SQUASH_FILE_H

/* The file that libsquashfs writes an image to: sqfs_file_t of <sqfs/io.h> over a descriptor. */

struct sqfs_file_t;

/*
 * fd: an empty file open for reading and writing, which stays the caller's. sqfs_destroy() ends it;
 * NULL: out of memory.
 */
struct sqfs_file_t *squash_file_new(int fd);

/* The errno of what failed last, which the library's own codes cannot carry; 0: nothing did. */
int squash_file_errno(const struct sqfs_file_t *f);

#endif
