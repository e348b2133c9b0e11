/* SPDX-License-Identifier: Apache-2.0 */
#include "image/layer/index.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/err.h"

static int out_of_memory(struct err *e)
{
	return err_oom(e);
}

static int arena_reserve(struct layer_index *x, size_t more, struct err *e)
{
	uint64_t want = (uint64_t)x->arena_len + more, cap = x->arena_cap ? x->arena_cap : 4096;
	char *p;

	if (want > UINT32_MAX)
		return err_set(e, E2BIG, "names and attributes of a layer exceed 4 GiB");
	if (want <= x->arena_cap)
		return 0;
	while (cap < want)
		cap += cap / 2;
	if (cap > UINT32_MAX)
		cap = UINT32_MAX;
	p = realloc(x->arena, cap);
	if (!p)
		return out_of_memory(e);
	x->arena = p;
	x->arena_cap = (uint32_t)cap;
	return 0;
}

/* Offset 0 is the empty string. */
static int arena_init(struct layer_index *x, struct err *e)
{
	int r = x->arena_len ? 0 : arena_reserve(x, 1, e);

	if (r == 0 && !x->arena_len)
		x->arena[x->arena_len++] = 0;
	return r;
}

static int arena_add(struct layer_index *x, const void *data, size_t len, struct err *e)
{
	int r = arena_reserve(x, len, e);

	if (r == 0 && len) {
		memcpy(x->arena + x->arena_len, data, len);
		x->arena_len += (uint32_t)len;
	}
	return r;
}

static int add_string(struct layer_index *x, const char *s, size_t len, uint32_t *ret,
		      struct err *e)
{
	int r = arena_reserve(x, len + 1, e);

	if (r < 0)
		return r;
	*ret = x->arena_len;
	arena_add(x, s, len, e);
	x->arena[x->arena_len++] = 0;
	return 0;
}

static int add_path(struct layer_index *x, const char *path, struct index_entry *ret, struct err *e)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t dir_len = slash ? (size_t)(slash - path) : 0, name_len = strlen(name);
	const char *last = x->arena + x->last_dir;
	int r = 0;

	if (!dir_len)
		ret->dir = 0;
	else if (strlen(last) == dir_len && !memcmp(last, path, dir_len))
		ret->dir = x->last_dir;
	else
		r = add_string(x, path, dir_len, &ret->dir, e);
	if (r < 0)
		return r;
	x->last_dir = ret->dir;
	ret->name_len = (uint8_t)name_len;
	return name_len ? add_string(x, name, name_len, &ret->name, e) : 0;
}

/* name NUL, u32 length, value; an empty name ends the list. */
static int add_xattrs(struct layer_index *x, const struct layer_entry *entry, uint32_t *ret,
		      struct err *e)
{
	uint32_t start = x->arena_len;
	int r = 0;

	if (!entry->n_xattrs)
		return 0;
	for (size_t i = 0; r == 0 && i < entry->n_xattrs; i++) {
		const struct layer_xattr *a = &entry->xattrs[i];
		uint32_t len = (uint32_t)a->len;

		r = arena_add(x, a->name, strlen(a->name) + 1, e);
		if (r == 0)
			r = arena_add(x, &len, sizeof(len), e);
		if (r == 0)
			r = arena_add(x, a->value, a->len, e);
	}
	if (r == 0)
		r = arena_add(x, "", 1, e);
	*ret = start;
	return r;
}

bool layer_index_next_xattr(const struct layer_index *x, uint32_t *offset, struct layer_xattr *ret)
{
	const char *name = x->arena + *offset;
	size_t name_len = strlen(name);
	uint32_t len;

	if (!*offset || !name_len)
		return false;
	memcpy(&len, name + name_len + 1, sizeof(len));
	*ret = (struct layer_xattr){name, name + name_len + 1 + sizeof(len), len};
	*offset += (uint32_t)(name_len + 1 + sizeof(len)) + len;
	return true;
}

static int entries_reserve(struct layer_index *x, struct err *e)
{
	uint32_t cap = x->cap ? x->cap + x->cap / 2 : 256;
	struct index_entry *p;

	if (x->n < x->cap)
		return 0;
	if (x->n >= LAYER_INDEX_ENTRIES_MAX)
		return err_set(e, E2BIG, "more than %u entries", LAYER_INDEX_ENTRIES_MAX);
	p = reallocarray(x->entries, cap, sizeof(*p));
	if (!p)
		return out_of_memory(e);
	x->entries = p;
	x->cap = cap;
	return 0;
}

int layer_index_add(struct layer_index *x, const struct layer_entry *entry, struct err *e)
{
	struct index_entry n = {
		.size_bytes = entry->size_bytes,
		.uid = entry->uid,
		.gid = entry->gid,
		.mtime_s = entry->mtime_s,
		.mode = entry->mode,
		.type = (uint8_t)entry->type,
	};
	int r = arena_init(x, e);

	if (r == 0)
		r = entries_reserve(x, e);
	if (r == 0)
		r = add_path(x, entry->path, &n, e);
	if (r == 0 && entry->link)
		r = add_string(x, entry->link, strlen(entry->link), &n.link, e);
	if (r == 0)
		r = add_xattrs(x, entry, &n.xattrs, e);
	if (r == 0)
		x->entries[x->n++] = n;
	return r;
}

int layer_index_build(struct layer_index *x, struct layer_reader *l, struct err *e)
{
	struct layer_entry entry;
	int r = arena_init(x, e);

	while (r == 0 && (r = layer_reader_next(l, &entry, e)) > 0)
		r = layer_index_add(x, &entry, e);
	return r < 0 ? r : layer_reader_finish(l, &x->result, e);
}

void layer_index_drop_entries(struct layer_index *x)
{
	free(x->entries);
	x->entries = NULL;
	x->cap = 0;
}

void layer_index_free(struct layer_index *x)
{
	free(x->entries);
	free(x->arena);
	*x = (struct layer_index){0};
}
