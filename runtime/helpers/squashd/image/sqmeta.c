/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/helpers/squashd/image/sqmeta.h"

#include <errno.h>
#include <string.h>

#include "runtime/helpers/squashd/image/sqblock.h"

int sqmeta_read(struct sqblocks *b, struct sqcursor *c, void *buf, size_t len)
{
	char *out = buf;

	while (len) {
		const struct sqblock *block;
		size_t take;
		int r = sqblocks_meta(b, c->block, &block);

		if (r < 0)
			return r;
		if (!block->size || c->offset > block->size)
			return -EIO;
		take = block->size - c->offset < len ? block->size - c->offset : len;
		if (out) {
			memcpy(out, block->data + c->offset, take);
			out += take;
		}
		len -= take;
		c->offset += (uint32_t)take;
		if (c->offset == block->size)
			*c = (struct sqcursor){.block = block->next};
	}
	return 0;
}

int sqmeta_table_entry(struct sqblocks *b, uint64_t list, uint64_t index, size_t each, void *buf)
{
	uint64_t per_block = SQMETA_BYTES / each;
	unsigned char position[8];
	struct sqcursor c;
	int r = sqblocks_pread(b, list + index / per_block * 8, position, sizeof(position));

	if (r < 0)
		return r;
	c = (struct sqcursor){.block = sqget(position, 8),
			      .offset = (uint32_t)(index % per_block * each)};
	return sqmeta_read(b, &c, buf, each);
}
