/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_SQUASHD_SQSUPER_H
#define CSBX_SQUASHD_SQSUPER_H

#include <stdint.h>

#define SQSUPER_BYTES 96
#define SQMETA_BYTES 8192u /* a metadata block, unpacked, is at most this long */
#define SQNO_TABLE UINT64_MAX

struct sqsuper {
	uint32_t inodes, block_bytes, fragments, ids, compression;
	uint64_t root, bytes_used;
	uint64_t id_table, xattr_table, inode_table, directory_table, fragment_table;
};

/*
 * A squashfs 4.0 super block (kernel: Documentation/filesystems/squashfs.rst, squashfs_fs.h):
 * magic, version, block size, and that every table starts and fits within the image. NULL and
 * the values if it will do, else what is wrong in a few words. Pure.
 */
const char *sqsuper_parse(const unsigned char buf[SQSUPER_BYTES], uint64_t file_bytes,
			  struct sqsuper *ret);

/* Little-endian numbers of 1 to 8 bytes. */
static inline uint64_t sqget(const unsigned char *p, unsigned bytes)
{
	uint64_t v = 0;

	while (bytes--)
		v = v << 8 | p[bytes];
	return v;
}

#endif
