/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_IMAGE_FILE_H
#define CSBX_RUNTIME_IMAGE_FILE_H

/*
 * A root file system as the user names it: a squashfs file or a directory; its kind, and its
 * identity, by which a later start tells whether it still is the same.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "runtime/spec/spec.h"

struct err;

/*
 * Opens an image: O_RDONLY for a file, which must look like a squashfs, O_PATH for a directory.
 * -EINVAL says what it is not.
 */
int image_open(const char *path, enum rootfs_kind *ret_kind, struct image_id *ret_id,
	       struct err *e);

/*
 * The superblock of squashfs 4.0 (Documentation/filesystems/squashfs.rst, squashfs_fs.h), a pure
 * function of the file's first bytes and its length.
 */
#define IMAGE_HEAD_BYTES 96
int image_sniff(const void *head, size_t len, uint64_t file_bytes, struct err *e);

#endif
