/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_SQUASHD_SQPRIV_H
#define CSBX_SQUASHD_SQPRIV_H

/* Shared by the files sq*.c: an open image. */

#include "runtime/helpers/squashd/image/sqblock.h"
#include "runtime/helpers/squashd/image/sqimage.h"

/*
 * The places of the blocks of a large file: sizes are listed one after the other, so without marks
 * the place of the last block would cost reading the whole list.
 */
#define SQMARK_BLOCKS 1024u
#define SQMAPS 8

struct sqmark {
	struct sqcursor list;
	uint64_t pos;
};

struct sqmap {
	uint64_t id; /* of the file */
	bool in_use;
	struct sqmark *marks; /* mark i: before block (i + 1) * SQMARK_BLOCKS */
	size_t n, cap;
};

struct sqimage {
	struct sqblocks blocks;
	uint32_t *ids; /* the id table, unpacked */
	struct sqmap maps[SQMAPS];
	unsigned next_map;
	uint64_t xattr_data; /* where attributes lie; SQNO_TABLE for none */
	uint32_t n_xattrs;
	bool lies_above; /* another image, in a stack */
};

/* Reads the header of the attribute table. */
int sqxattr_init(struct sqimage *img);

void sqmaps_free(struct sqimage *img);

#endif
