/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_SQUASHD_SQBLOCK_H
#define CSBX_SQUASHD_SQBLOCK_H

/*
 * Blocks of an image: read, decompressed (squnpack.h) and kept in caches, the least recently used
 * one leaving first. Every position and size is checked against the image before it is used.
 */

#include <stddef.h>
#include <stdint.h>

#include "runtime/helpers/squashd/image/sqahead.h"
#include "runtime/helpers/squashd/image/sqsuper.h"
#include "runtime/helpers/squashd/image/squnpack.h"

enum sqcache_kind { SQCACHE_META, SQCACHE_DATA, SQCACHE_FRAGMENT, SQCACHE_KINDS };

struct sqcache {
	unsigned n;
	uint64_t tick;
	uint64_t *keys, *used; /* position in the image (0: empty slot); tick of the last use */
	struct sqblock *blocks;
};

/* Valid until the next block of the same kind is asked for. */
struct sqblock {
	unsigned char *data;
	size_t size;
	uint64_t next; /* metadata: position of the block after it */
};

struct sqblocks {
	int fd;
	uint64_t base; /* where the image begins in the file */
	struct sqsuper super;
	struct squnpack *unpack;
	unsigned char *packed;         /* a block as it lies in the image */
	struct sqahead *ahead;         /* not ours; NULL: everything is made when it is asked for */
	struct squnpack *unpack_ahead; /* for its thread */
	struct sqcache caches[SQCACHE_KINDS];
};

/* -ENOTSUP for a compression the library lacks. fd and super stay as they are. */
int sqblocks_init(struct sqblocks *b, int fd, uint64_t base, const struct sqsuper *super);
void sqblocks_free(struct sqblocks *b);

/* For malloc's free(): memory for a block, all of which is about to be written to. */
unsigned char *sqblock_memory(size_t bytes);
/* Once, before the first block: freed memory stays with the process. */
void sqblock_keep_memory(void);

/* Raw bytes; -EIO unless all of them lie in the image. */
int sqblocks_pread(const struct sqblocks *b, uint64_t pos, void *buf, size_t len);

/* A metadata block with its 2-byte header at pos. */
int sqblocks_meta(struct sqblocks *b, uint64_t pos, const struct sqblock **ret);

/* The image's header of a data or fragment block: 24 bits of size, bit 24 for not compressed. */
#define SQDATA_SIZE(header) ((header)&0xffffffu)
#define SQDATA_IS_STORED(header) (((header) >> 24) & 1)

int sqblocks_data(struct sqblocks *b, enum sqcache_kind kind, uint64_t pos, uint32_t header,
		  const struct sqblock **ret);
/* Reads len bytes from skip on of a data block that is not compressed; they lie in it. */
int sqblocks_stored(const struct sqblocks *b, uint64_t pos, uint32_t header, size_t skip, void *buf,
		    size_t len);
/*
 * Has it made beside what is made now, if it is compressed and not there. Wrong values are ignored.
 */
void sqblocks_want(struct sqblocks *b, uint64_t pos, uint32_t header);
/* From now on there is somebody who does; it must outlive the blocks. */
void sqblocks_set_ahead(struct sqblocks *b, struct sqahead *ahead);

#endif
