/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_LAYER_INDEX_H
#define CSBX_IMAGE_LAYER_INDEX_H

/*
 * The part of one layer that the merge needs: its entries in order, without their data, about 60
 * bytes each. Strings live in one arena and are named by offset; a directory's path is stored once
 * for a run of neighbours, which also lets the merge resolve it once.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/layer/layer.h"

struct err;

#define LAYER_INDEX_ENTRIES_MAX 20000000u

/* Offsets are into the arena; 0 is the empty string and stands for "none". */
struct index_entry {
	uint64_t size_bytes;
	uint32_t dir, name; /* path = dir "/" name; the root has neither */
	uint32_t link, xattrs;
	uint32_t uid, gid, mtime_s;
	uint16_t mode;
	uint8_t type; /* enum entry_type */
	uint8_t name_len;
};

struct layer_index {
	struct index_entry *entries;
	uint32_t n, cap;
	char *arena;
	uint32_t arena_len, arena_cap;
	uint32_t last_dir;
	struct layer_result result; /* filled by layer_index_build() */
};

/* Appends one entry; needs no layer, so that tests and generated layers can use it. */
int layer_index_add(struct layer_index *x, const struct layer_entry *entry, struct err *e);

/* Reads a layer to its end. */
int layer_index_build(struct layer_index *x, struct layer_reader *l, struct err *e);

static inline const char *layer_index_str(const struct layer_index *x, uint32_t offset)
{
	return x->arena + offset;
}

/* Walks the attributes at *offset (an index_entry's xattrs); false after the last one. */
bool layer_index_next_xattr(const struct layer_index *x, uint32_t *offset, struct layer_xattr *ret);

/*
 * An index with its result as bytes, and back: pure. layer_index_parse() accepts only an index as
 * sound as those of layer_index_build(); anything else is -EBADMSG. Machines that lay structs out
 * differently do not understand each other's.
 */
struct strbuf;
int layer_index_format(const struct layer_index *x, struct strbuf *out, struct err *e);
int layer_index_parse(const void *buf, size_t len, struct layer_index *ret, struct err *e);

/* Gives the entries back and keeps the arena, which a merged tree points into. */
void layer_index_drop_entries(struct layer_index *x);
void layer_index_free(struct layer_index *x);

#endif
