/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_SQUASHD_SQMETA_H
#define CSBX_SQUASHD_SQMETA_H

/* Metadata as the format has it: a stream of bytes through consecutive metadata blocks. */

#include <stddef.h>
#include <stdint.h>

struct sqblocks;

struct sqcursor {
	uint64_t block;  /* position of a metadata block in the image */
	uint32_t offset; /* in the unpacked block */
};

/* A reference as stored: block relative to a table << 16 | offset. */
static inline struct sqcursor sqcursor_at(uint64_t table, uint64_t ref)
{
	return (struct sqcursor){.block = table + (ref >> 16), .offset = (uint32_t)(ref & 0xffff)};
}

/* Reads and moves on; buf NULL passes over the bytes. 0 or -errno. */
int sqmeta_read(struct sqblocks *b, struct sqcursor *c, void *buf, size_t len);

/*
 * Entry `index` of a table of entries of `each` bytes (a divisor of the block size) whose list of
 * block positions lies at `list`. The caller checks the index against the table's length.
 */
int sqmeta_table_entry(struct sqblocks *b, uint64_t list, uint64_t index, size_t each, void *buf);

#endif
