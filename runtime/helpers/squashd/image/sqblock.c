/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/helpers/squashd/image/sqblock.h"

#include <errno.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define META_HEADER_BYTES 2
#define META_STORED 0x8000u /* not compressed */

/*
 * The parts of a large image that a start touches fit: metadata of some ten thousand files, and of
 * fragments, in which small files lie together, as many as FRAGMENT_BYTES hold. Data goes on to the
 * kernel's page cache and is asked for once where a file is read from its beginning. If it is
 * mapped, as programs and libraries are, the kernel asks for the pages around each fault, which
 * begin and end within blocks: each is asked for several times within a few milliseconds.
 */
#define META_BLOCKS 64
#define DATA_BYTES (4u << 20)
#define FRAGMENT_BYTES (8u << 20)
#define LARGE_BLOCKS_MAX 64

static int cache_init(struct sqcache *c, unsigned n)
{
	c->n = n;
	c->keys = calloc(n, sizeof(*c->keys));
	c->used = calloc(n, sizeof(*c->used));
	c->blocks = calloc(n, sizeof(*c->blocks));
	return c->keys && c->used && c->blocks ? 0 : -ENOMEM;
}

static void cache_free(struct sqcache *c)
{
	for (unsigned i = 0; c->blocks && i < c->n; i++)
		free(c->blocks[i].data);
	free(c->keys);
	free(c->used);
	free(c->blocks);
}

/* As many of the image's blocks as there is memory for: 4 at least, they have 1 MiB at most. */
static int cache_init_large(struct sqcache *c, unsigned bytes, const struct sqsuper *super)
{
	unsigned n = bytes / super->block_bytes;

	return cache_init(c, n < LARGE_BLOCKS_MAX ? n : LARGE_BLOCKS_MAX);
}

int sqblocks_init(struct sqblocks *b, int fd, uint64_t base, const struct sqsuper *super)
{
	int r;

	sqblock_keep_memory();
	memset(b, 0, sizeof(*b));
	b->fd = fd;
	b->base = base;
	b->super = *super;
	r = squnpack_new(super->compression, &b->unpack);
	b->packed = malloc(super->block_bytes > SQMETA_BYTES ? super->block_bytes : SQMETA_BYTES);
	if (r >= 0 && (!b->packed || cache_init(&b->caches[SQCACHE_META], META_BLOCKS) < 0 ||
		       cache_init_large(&b->caches[SQCACHE_DATA], DATA_BYTES, super) < 0 ||
		       cache_init_large(&b->caches[SQCACHE_FRAGMENT], FRAGMENT_BYTES, super) < 0))
		r = -ENOMEM;
	if (r < 0)
		sqblocks_free(b);
	return r;
}

void sqblocks_free(struct sqblocks *b)
{
	for (int i = 0; i < SQCACHE_KINDS; i++)
		cache_free(&b->caches[i]);
	free(b->packed);
	squnpack_free(b->unpack);
	squnpack_free(b->unpack_ahead);
	memset(b, 0, sizeof(*b));
}

static bool lies_within(const struct sqblocks *b, uint64_t pos, size_t len)
{
	return pos < b->super.bytes_used && len <= b->super.bytes_used - pos;
}

int sqblocks_pread(const struct sqblocks *b, uint64_t pos, void *buf, size_t len)
{
	char *p = buf;

	if (!lies_within(b, pos, len))
		return -EIO;
	while (len) {
		ssize_t n = pread(b->fd, p, len, (off_t)(b->base + pos));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) /* cut while in use */
			return -EIO;
		p += n;
		pos += (uint64_t)n;
		len -= (size_t)n;
	}
	return 0;
}

static struct sqblock *cache_find(struct sqcache *c, uint64_t key)
{
	for (unsigned i = 0; i < c->n; i++) {
		if (c->keys[i] == key) {
			c->used[i] = ++c->tick;
			return &c->blocks[i];
		}
	}
	return NULL;
}

static unsigned oldest_slot(const struct sqcache *c)
{
	unsigned oldest = 0;

	for (unsigned i = 1; i < c->n; i++) {
		if (c->used[i] < c->used[oldest])
			oldest = i;
	}
	return oldest;
}

/* The part of the image that a block is made of. */
struct extent {
	uint64_t key, pos; /* name in the cache; where the bytes are */
	uint32_t bytes;
	bool is_stored;
	size_t max; /* unpacked */
};

/* Only those members of b are used that do not change after it was opened: two threads do this. */
static int make_block(const struct sqblocks *b, struct squnpack *unpack, void *packed,
		      const struct extent *x, unsigned char *out, size_t *out_bytes)
{
	int r;

	*out_bytes = x->is_stored ? x->bytes : x->max;
	r = sqblocks_pread(b, x->pos, x->is_stored ? out : packed, x->bytes);
	if (r >= 0 && !x->is_stored)
		r = squnpack_block(unpack, packed, x->bytes, out, out_bytes);
	return r >= 0 && *out_bytes > x->max ? -EIO : r;
}

static int make_ahead(void *arg, void *packed, uint64_t pos, uint32_t bytes, unsigned char *out,
		      size_t *out_bytes)
{
	const struct sqblocks *b = arg;
	struct extent x = {.pos = pos, .bytes = bytes, .max = b->super.block_bytes};

	return make_block(b, b->unpack_ahead, packed, &x, out, out_bytes);
}

static int cache_fill(struct sqblocks *b, struct sqcache *c, const struct extent *x,
		      struct sqblock **ret)
{
	unsigned i = oldest_slot(c);
	struct sqblock *block = &c->blocks[i];

	c->keys[i] = 0;
	if (!x->bytes || x->bytes > x->max)
		return -EIO;
	if (c != &b->caches[SQCACHE_DATA] || !b->ahead ||
	    !sqahead_take(b->ahead, x->pos, &block->data, &block->size)) {
		int r;

		if (!block->data)
			block->data = sqblock_memory(x->max);
		if (!block->data)
			return -ENOMEM;
		r = make_block(b, b->unpack, b->packed, x, block->data, &block->size);
		if (r < 0)
			return r;
	}
	block->next = x->pos + x->bytes;
	c->keys[i] = x->key;
	c->used[i] = ++c->tick;
	*ret = block;
	return 0;
}

int sqblocks_meta(struct sqblocks *b, uint64_t pos, const struct sqblock **ret)
{
	struct sqcache *c = &b->caches[SQCACHE_META];
	unsigned char header[META_HEADER_BYTES];
	struct sqblock *block;
	struct extent x;
	int r;

	if (pos < SQSUPER_BYTES) /* and so never 0, which marks an empty slot */
		return -EIO;
	block = cache_find(c, pos);
	if (block) {
		*ret = block;
		return 0;
	}
	r = sqblocks_pread(b, pos, header, sizeof(header));
	if (r < 0)
		return r;
	x = (struct extent){.key = pos, .pos = pos + sizeof(header), .max = SQMETA_BYTES};
	x.is_stored = sqget(header, 2) & META_STORED;
	x.bytes = (uint32_t)sqget(header, 2) & ~META_STORED;
	r = cache_fill(b, c, &x, &block);
	*ret = block;
	return r;
}

int sqblocks_data(struct sqblocks *b, enum sqcache_kind kind, uint64_t pos, uint32_t header,
		  const struct sqblock **ret)
{
	struct extent x = {.key = pos, .pos = pos, .max = b->super.block_bytes};
	struct sqblock *block;
	int r;

	if (pos < SQSUPER_BYTES)
		return -EIO;
	block = cache_find(&b->caches[kind], pos);
	if (block) {
		*ret = block;
		return 0;
	}
	x.is_stored = SQDATA_IS_STORED(header);
	x.bytes = SQDATA_SIZE(header);
	r = cache_fill(b, &b->caches[kind], &x, &block);
	*ret = block;
	return r;
}

int sqblocks_stored(const struct sqblocks *b, uint64_t pos, uint32_t header, size_t skip, void *buf,
		    size_t len)
{
	if (pos < SQSUPER_BYTES || SQDATA_SIZE(header) > b->super.block_bytes ||
	    !lies_within(b, pos, SQDATA_SIZE(header)))
		return -EIO;
	return sqblocks_pread(b, pos + skip, buf, len);
}

void sqblocks_want(struct sqblocks *b, uint64_t pos, uint32_t header)
{
	uint32_t bytes = SQDATA_SIZE(header);

	if (b->ahead && bytes && bytes <= b->super.block_bytes && pos >= SQSUPER_BYTES &&
	    !SQDATA_IS_STORED(header) && !cache_find(&b->caches[SQCACHE_DATA], pos))
		sqahead_want(b->ahead, pos, bytes);
}

void sqblocks_set_ahead(struct sqblocks *b, struct sqahead *ahead)
{
	const struct sqahead_source source = {
		.make = make_ahead, .arg = b, .max = b->super.block_bytes};

	if (ahead && squnpack_new(b->super.compression, &b->unpack_ahead) >= 0 &&
	    sqahead_set_source(ahead, &source) >= 0)
		b->ahead = ahead;
}
