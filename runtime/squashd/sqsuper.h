/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_SQUASHD_SQSUPER_H
#define CSBX_SQUASHD_SQSUPER_H

#include <stdint.h>

#define SQSUPER_BYTES 96

/*
 * Judges a squashfs 4.0 super block (kernel: fs/squashfs/squashfs_fs.h) before a library believes
 * it: magic, block size, and that every table lies within the image. NULL if it will do, else
 * what is wrong in a few words. Pure.
 */
const char *sqsuper_fault(const unsigned char buf[SQSUPER_BYTES], uint64_t file_bytes);

#endif
