/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An index as one flat record. An index that is read must be as layer_index_add() makes it: the
 * merge trusts it, so every offset and every name is looked at again, and a reader of a damaged
 * file is told so instead of reading beyond the arena.
 */
#include "image/layer/index.h"

#include <stdlib.h>
#include <string.h>

#include "image/model/digest.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/flat.h"

#define MAGIC 0x31584c43u /* "CLX1" */
#define VERSION 1u

enum tag { TAG_ENTRIES = 1, TAG_ARENA, TAG_DIFF_ID, TAG_STORED_BYTES, TAG_PLAIN_BYTES, TAG_LAYOUT };

/* Records are not portable between machines whose structs differ. */
#define LAYOUT ((uint64_t)sizeof(struct index_entry) << 32 | offsetof(struct index_entry, name_len))

int layer_index_format(const struct layer_index *x, struct strbuf *out, struct err *e)
{
	char diff_id[DIGEST_TEXT_MAX];
	struct flat_writer w;
	int r;

	flat_begin(&w, MAGIC, VERSION);
	flat_u64(&w, TAG_LAYOUT, LAYOUT);
	flat_u64(&w, TAG_STORED_BYTES, x->result.stored_bytes);
	flat_u64(&w, TAG_PLAIN_BYTES, x->result.plain_bytes);
	flat_str(&w, TAG_DIFF_ID, digest_format(&x->result.diff_id, diff_id));
	flat_bytes(&w, TAG_ARENA, x->arena, x->arena_len);
	flat_bytes(&w, TAG_ENTRIES, x->entries, (size_t)x->n * sizeof(*x->entries));
	r = flat_end(&w, e);
	if (r >= 0)
		strbuf_add(out, w.buf.data, w.buf.len);
	flat_free(&w);
	return r < 0 ? r : strbuf_check(out, e);
}

static int damaged(struct err *e)
{
	return err_set(e, EBADMSG, "index of a layer: damaged");
}

/* A string that begins in the arena, which ends with a NUL. */
static const char *string_at(const struct layer_index *x, uint32_t offset)
{
	return offset < x->arena_len ? x->arena + offset : NULL;
}

static bool is_clean(const char *path, struct strbuf *scratch)
{
	return layer_clean_path(path, scratch, NULL) >= 0 && str_eq(strbuf_str(scratch), path);
}

/* name NUL, u32 length, value; an empty name ends the list. */
static bool xattrs_are_sound(const struct layer_index *x, uint32_t offset)
{
	uint64_t at = offset;

	if (!offset)
		return true;
	while (at < x->arena_len) {
		size_t name_len = strlen(x->arena + at);
		uint32_t len;

		if (!name_len)
			return true;
		if (!layer_keeps_xattr(x->arena + at, true) ||
		    at + name_len + 1 + sizeof(len) > x->arena_len)
			return false;
		memcpy(&len, x->arena + at + name_len + 1, sizeof(len));
		if (len > LAYER_XATTR_VALUE_MAX)
			return false;
		at += name_len + 1 + sizeof(len) + len;
	}
	return false;
}

static bool link_is_sound(const struct index_entry *n, const char *link, struct strbuf *scratch)
{
	if (n->type == ENTRY_HARDLINK)
		return n->link ? is_clean(link, scratch)
			       : true; /* to the root: refused by the merge */
	if (n->type == ENTRY_SYMLINK)
		return *link && strlen(link) <= LAYER_LINK_MAX;
	return !n->link;
}

static bool entry_is_sound(const struct layer_index *x, const struct index_entry *n,
			   uint32_t *checked_dir, struct strbuf *scratch)
{
	const char *dir = string_at(x, n->dir), *name = string_at(x, n->name);
	const char *link = string_at(x, n->link);

	if (!dir || !name || !link || n->type > ENTRY_DEVICE || n->mode > 07777)
		return false;
	if (strlen(name) != n->name_len || strchr(name, '/') ||
	    (n->name_len && !is_clean(name, scratch)))
		return false;
	if (!n->name_len && (n->dir || n->type != ENTRY_DIRECTORY))
		return false;
	if (n->dir && n->dir != *checked_dir && (!*dir || !is_clean(dir, scratch)))
		return false;
	if (strlen(dir) + 1 + n->name_len > LAYER_PATH_MAX)
		return false;
	*checked_dir = n->dir;
	return link_is_sound(n, link, scratch) && xattrs_are_sound(x, n->xattrs) &&
	       (n->type == ENTRY_FILE || !n->size_bytes);
}

static int check(const struct layer_index *x, struct err *e)
{
	_strbuf_ struct strbuf scratch = STRBUF_INIT;
	uint32_t checked_dir = 0;

	/* The byte at 0 is the empty string. */
	if (!x->arena_len || x->arena[0] || x->arena[x->arena_len - 1])
		return damaged(e);
	for (uint32_t i = 0; i < x->n; i++) {
		if (!entry_is_sound(x, &x->entries[i], &checked_dir, &scratch))
			return damaged(e);
	}
	return 0;
}

static int take_entries(struct layer_index *x, const struct flat_field *f, struct err *e)
{
	size_t n = f->len / sizeof(*x->entries);

	if (x->entries || f->len % sizeof(*x->entries) || n > LAYER_INDEX_ENTRIES_MAX)
		return damaged(e);
	x->entries = malloc(f->len + 1);
	if (!x->entries)
		return err_oom(e);
	memcpy(x->entries, f->data, f->len);
	x->n = x->cap = (uint32_t)n;
	return 0;
}

static int take_arena(struct layer_index *x, const struct flat_field *f, struct err *e)
{
	if (x->arena || f->len > UINT32_MAX)
		return damaged(e);
	x->arena = malloc(f->len + 1);
	if (!x->arena)
		return err_oom(e);
	memcpy(x->arena, f->data, f->len);
	x->arena_len = x->arena_cap = (uint32_t)f->len;
	return 0;
}

static int take_field(struct layer_index *x, const struct flat_field *f, struct err *e)
{
	const char *text;
	uint64_t layout;
	int r;

	switch (f->tag) {
	case TAG_LAYOUT:
		r = flat_get_u64(f, &layout, e);
		return r < 0 || layout == LAYOUT ? r : damaged(e);
	case TAG_STORED_BYTES:
		return flat_get_u64(f, &x->result.stored_bytes, e);
	case TAG_PLAIN_BYTES:
		return flat_get_u64(f, &x->result.plain_bytes, e);
	case TAG_DIFF_ID:
		r = flat_get_str(f, &text, e);
		return r < 0 ? r : digest_parse(text, &x->result.diff_id, e);
	case TAG_ARENA:
		return take_arena(x, f, e);
	case TAG_ENTRIES:
		return take_entries(x, f, e);
	}
	return 0;
}

int layer_index_parse(const void *buf, size_t len, struct layer_index *ret, struct err *e)
{
	struct layer_index x = {0};
	struct flat_reader reader;
	struct flat_field f;
	int r = flat_open(&reader, buf, len, MAGIC, VERSION, e);

	while (r >= 0 && (r = flat_next(&reader, &f, e)) > 0)
		r = take_field(&x, &f, e);
	if (r >= 0)
		r = x.arena && digest_is_set(&x.result.diff_id) ? check(&x, e) : damaged(e);
	if (r < 0) {
		layer_index_free(&x);
		return r;
	}
	*ret = x;
	return 0;
}
