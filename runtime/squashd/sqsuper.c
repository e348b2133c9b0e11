/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/squashd/sqsuper.h"

#include <stdbool.h>
#include <string.h>

#define META_BYTES 8192u
#define NO_TABLE UINT64_MAX

/* Offsets of the fields, all little endian. */
enum {
	AT_INODES = 4,
	AT_BLOCK_SIZE = 12,
	AT_FRAGMENTS = 16,
	AT_BLOCK_LOG = 22,
	AT_IDS = 26,
	AT_BYTES_USED = 40,
	AT_ID_TABLE = 48,
	AT_XATTR_TABLE = 56,
	AT_INODE_TABLE = 64,
	AT_DIRECTORY_TABLE = 72,
	AT_FRAGMENT_TABLE = 80,
};

static uint64_t get(const unsigned char *p, unsigned bytes)
{
	uint64_t v = 0;

	while (bytes--)
		v = v << 8 | p[bytes];
	return v;
}

/* n entries in metadata blocks, with a list of 8 bytes a block at `start`. */
static bool table_fits(uint64_t start, uint64_t n, uint64_t each, uint64_t bytes)
{
	uint64_t blocks = (n * each + META_BYTES - 1) / META_BYTES;

	return start >= SQSUPER_BYTES && start < bytes && blocks * 8 <= bytes - start;
}

static bool starts_within(uint64_t start, uint64_t bytes)
{
	return start >= SQSUPER_BYTES && start < bytes;
}

const char *sqsuper_fault(const unsigned char buf[SQSUPER_BYTES], uint64_t file_bytes)
{
	uint64_t bytes = get(buf + AT_BYTES_USED, 8), fragments = get(buf + AT_FRAGMENTS, 4);
	uint64_t ids = get(buf + AT_IDS, 2), log = get(buf + AT_BLOCK_LOG, 2);
	uint64_t inodes = get(buf + AT_INODE_TABLE, 8), dirs = get(buf + AT_DIRECTORY_TABLE, 8);
	uint64_t xattrs = get(buf + AT_XATTR_TABLE, 8);

	if (memcmp(buf, "hsqs", 4) != 0)
		return "not a squashfs image";
	if (bytes > file_bytes)
		return "truncated";
	if (log < 12 || log > 20 || get(buf + AT_BLOCK_SIZE, 4) != 1u << log)
		return "bad block size";
	if (!ids || !table_fits(get(buf + AT_ID_TABLE, 8), ids, 4, bytes))
		return "bad id table";
	if (!get(buf + AT_INODES, 4) || !starts_within(inodes, bytes) ||
	    !starts_within(dirs, bytes) || inodes >= dirs)
		return "bad inode table";
	if (fragments && !table_fits(get(buf + AT_FRAGMENT_TABLE, 8), fragments, 16, bytes))
		return "bad fragment table";
	if (xattrs != NO_TABLE && !starts_within(xattrs, bytes))
		return "bad attribute table";
	return NULL;
}
