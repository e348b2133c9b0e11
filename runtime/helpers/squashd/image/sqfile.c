/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A file's data: blocks that lie one after the other, their sizes in a list behind the inode (0 is
 * a hole), and the tail, if it is short, in a fragment that many files share.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/helpers/squashd/image/sqpriv.h"

#define FRAGMENT_ENTRY_BYTES 16
#define AHEAD_BLOCKS 2

void sqmaps_free(struct sqimage *img)
{
	for (int i = 0; i < SQMAPS; i++)
		free(img->maps[i].marks);
}

static struct sqmap *find_map(struct sqimage *img, uint64_t id)
{
	struct sqmap *m;

	for (int i = 0; i < SQMAPS; i++) {
		if (img->maps[i].in_use && img->maps[i].id == id)
			return &img->maps[i];
	}
	m = &img->maps[img->next_map++ % SQMAPS];
	m->id = id;
	m->in_use = true;
	m->n = 0;
	return m;
}

/* Losing a mark for want of memory only costs time. */
static void add_mark(struct sqmap *m, const struct sqmark *mark)
{
	if (m->n == m->cap) {
		size_t cap = m->cap ? m->cap * 2 : 16;
		struct sqmark *grown = realloc(m->marks, cap * sizeof(*grown));

		if (!grown)
			return;
		m->marks = grown;
		m->cap = cap;
	}
	m->marks[m->n++] = *mark;
}

/* A walk along the block list. */
struct block_walk {
	struct sqmark at;
	uint64_t index, n_blocks;
};

static int next_size(struct sqimage *img, struct block_walk *w, uint32_t *ret_header)
{
	unsigned char p[4];
	int r = sqmeta_read(&img->blocks, &w->at.list, p, sizeof(p));

	if (r < 0)
		return r;
	*ret_header = (uint32_t)sqget(p, 4);
	return 0;
}

static int step(struct sqimage *img, struct block_walk *w)
{
	uint32_t header;
	int r = next_size(img, w, &header);

	if (r < 0)
		return r;
	if (w->at.pos > img->blocks.super.bytes_used) /* before it wraps around */
		return -EIO;
	w->at.pos += SQDATA_SIZE(header);
	w->index++;
	return 0;
}

/* Before block `index`; from the nearest mark, leaving marks on the way. */
static int walk_to(struct sqimage *img, const struct sqnode *file, uint64_t index,
		   struct block_walk *w)
{
	uint64_t bytes = img->blocks.super.block_bytes;
	struct sqmap *m;
	size_t have;

	*w = (struct block_walk){.at = {.list = file->next, .pos = file->start}};
	w->n_blocks = file->size / bytes;
	if (file->fragment == SQNO_FRAGMENT && file->size % bytes)
		w->n_blocks++;
	if (index > w->n_blocks)
		index = w->n_blocks;
	if (index < SQMARK_BLOCKS) {
		while (w->index < index) {
			int r = step(img, w);

			if (r < 0)
				return r;
		}
		return 0;
	}
	m = find_map(img, file->id);
	have = m->n < index / SQMARK_BLOCKS ? m->n : (size_t)(index / SQMARK_BLOCKS);
	if (have) {
		w->at = m->marks[have - 1];
		w->index = (uint64_t)have * SQMARK_BLOCKS;
	}
	while (w->index < index) {
		int r = step(img, w);

		if (r < 0)
			return r;
		if (w->index == (m->n + 1) * (uint64_t)SQMARK_BLOCKS)
			add_mark(m, &w->at);
	}
	return 0;
}

/* Most reads go on to the next block. The nearest is wished for last: it is made first. */
static void want_next(struct sqimage *img, const struct block_walk *w)
{
	struct block_walk at = *w;
	struct {
		uint64_t pos;
		uint32_t header;
	} next[AHEAD_BLOCKS];
	unsigned n = 0;

	while (n < AHEAD_BLOCKS && at.index < at.n_blocks) {
		next[n].pos = at.at.pos;
		if (next_size(img, &at, &next[n].header) < 0)
			break;
		at.at.pos += SQDATA_SIZE(next[n].header);
		at.index++;
		n++;
	}
	while (n--)
		sqblocks_want(&img->blocks, next[n].pos, next[n].header);
}

/*
 * The part of a read in one block: the file has `want` bytes of it, `take` are asked for, from
 * `skip` on.
 */
struct piece {
	size_t skip, want, take;
};

static void copy_piece(const struct piece *p, const unsigned char *block, void *buf)
{
	if (block)
		memcpy(buf, block + p->skip, p->take);
	else
		memset(buf, 0, p->take); /* a hole */
}

/* Only the wanted part of a block that is not compressed is read, and nothing is kept. */
static int block_piece(struct sqimage *img, struct block_walk *w, const struct piece *p, void *buf)
{
	const struct sqblock *block = NULL;
	uint64_t pos = w->at.pos;
	uint32_t header;
	int r = next_size(img, w, &header);

	if (r < 0)
		return r;
	w->at.pos += SQDATA_SIZE(header);
	w->index++;
	want_next(img, w);
	if (SQDATA_IS_STORED(header) && SQDATA_SIZE(header)) {
		if (p->want > SQDATA_SIZE(header))
			return -EIO;
		return sqblocks_stored(&img->blocks, pos, header, p->skip, buf, p->take);
	}
	if (SQDATA_SIZE(header)) {
		r = sqblocks_data(&img->blocks, SQCACHE_DATA, pos, header, &block);
		if (r < 0 || p->want > block->size)
			return r < 0 ? r : -EIO;
	}
	copy_piece(p, block ? block->data : NULL, buf);
	return 0;
}

static int fragment_piece(struct sqimage *img, const struct sqnode *file, const struct piece *p,
			  void *buf)
{
	unsigned char entry[FRAGMENT_ENTRY_BYTES];
	const struct sqblock *block;
	int r;

	if (file->fragment >= img->blocks.super.fragments)
		return -EIO;
	r = sqmeta_table_entry(&img->blocks, img->blocks.super.fragment_table, file->fragment,
			       sizeof(entry), entry);
	if (r >= 0)
		r = sqblocks_data(&img->blocks, SQCACHE_FRAGMENT, sqget(entry, 8),
				  (uint32_t)sqget(entry + 8, 4), &block);
	if (r < 0)
		return r;
	if (file->fragment_offset > block->size || p->want > block->size - file->fragment_offset)
		return -EIO;
	copy_piece(p, block->data + file->fragment_offset, buf);
	return 0;
}

ssize_t sqimage_read(struct sqimage *img, const struct sqnode *file, uint64_t offset, void *buf,
		     size_t len)
{
	uint64_t bytes = img->blocks.super.block_bytes;
	struct block_walk w;
	size_t done = 0;
	int r;

	if (!S_ISREG(file->mode))
		return S_ISDIR(file->mode) ? -EISDIR : -EINVAL;
	if (offset >= file->size)
		return 0;
	if (len > file->size - offset)
		len = (size_t)(file->size - offset);
	r = walk_to(img, file, offset / bytes, &w);
	while (r >= 0 && done < len) {
		uint64_t at = offset + done, start = at - at % bytes, left = file->size - start;
		struct piece p = {.skip = (size_t)(at - start)};

		p.want = (size_t)(left < bytes ? left : bytes);
		p.take = p.want - p.skip < len - done ? p.want - p.skip : len - done;
		r = w.index < w.n_blocks ? block_piece(img, &w, &p, (char *)buf + done)
					 : fragment_piece(img, file, &p, (char *)buf + done);
		done += p.take;
	}
	return r < 0 ? r : (ssize_t)done;
}
