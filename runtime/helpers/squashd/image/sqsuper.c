/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/helpers/squashd/image/sqsuper.h"

#include <stdbool.h>
#include <string.h>

/* n entries in metadata blocks, with a list of 8 bytes a block at `start`. */
static bool table_fits(uint64_t start, uint64_t n, uint64_t each, uint64_t bytes)
{
	uint64_t blocks = (n * each + SQMETA_BYTES - 1) / SQMETA_BYTES;

	return start >= SQSUPER_BYTES && start < bytes && blocks * 8 <= bytes - start;
}

static bool starts_within(uint64_t start, uint64_t bytes)
{
	return start >= SQSUPER_BYTES && start < bytes;
}

static void read_fields(const unsigned char *p, struct sqsuper *s)
{
	s->inodes = (uint32_t)sqget(p + 4, 4);
	s->block_bytes = (uint32_t)sqget(p + 12, 4);
	s->fragments = (uint32_t)sqget(p + 16, 4);
	s->compression = (uint32_t)sqget(p + 20, 2);
	s->ids = (uint32_t)sqget(p + 26, 2);
	s->root = sqget(p + 32, 8);
	s->bytes_used = sqget(p + 40, 8);
	s->id_table = sqget(p + 48, 8);
	s->xattr_table = sqget(p + 56, 8);
	s->inode_table = sqget(p + 64, 8);
	s->directory_table = sqget(p + 72, 8);
	s->fragment_table = sqget(p + 80, 8);
}

const char *sqsuper_parse(const unsigned char buf[SQSUPER_BYTES], uint64_t file_bytes,
			  struct sqsuper *s)
{
	uint64_t log = sqget(buf + 22, 2);

	if (memcmp(buf, "hsqs", 4) != 0)
		return "not a squashfs image";
	if (sqget(buf + 28, 2) != 4 || sqget(buf + 30, 2) != 0)
		return "squashfs of a version that is not supported";
	read_fields(buf, s);
	if (s->bytes_used > file_bytes || s->bytes_used > INT64_MAX)
		return "truncated";
	if (log < 12 || log > 20 || s->block_bytes != 1u << log)
		return "bad block size";
	if (!s->ids || !table_fits(s->id_table, s->ids, 4, s->bytes_used))
		return "bad id table";
	if (!s->inodes || !starts_within(s->inode_table, s->bytes_used) ||
	    !starts_within(s->directory_table, s->bytes_used) ||
	    s->inode_table >= s->directory_table)
		return "bad inode table";
	if (s->fragments && !table_fits(s->fragment_table, s->fragments, 16, s->bytes_used))
		return "bad fragment table";
	if (s->xattr_table != SQNO_TABLE && !starts_within(s->xattr_table, s->bytes_used))
		return "bad attribute table";
	return NULL;
}
