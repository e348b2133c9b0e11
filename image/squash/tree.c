/* SPDX-License-Identifier: Apache-2.0 */
#include "image/squash/tree.h"

#include <stdlib.h>
#include <string.h>

#include "image/squash/tree_priv.h"
#include "runtime/base/err.h"

#define BUDGET_START 1000000u

static uint64_t rotl(uint64_t v, int n)
{
	return v << n | v >> (64 - n);
}

static void sip_round(uint64_t v[4])
{
	v[0] += v[1];
	v[1] = rotl(v[1], 13) ^ v[0];
	v[0] = rotl(v[0], 32);
	v[2] += v[3];
	v[3] = rotl(v[3], 16) ^ v[2];
	v[0] += v[3];
	v[3] = rotl(v[3], 21) ^ v[0];
	v[2] += v[1];
	v[1] = rotl(v[1], 17) ^ v[2];
	v[2] = rotl(v[2], 32);
}

/* SipHash-1-3 (Aumasson, Bernstein) of the directory's number and the name. */
static uint32_t hash_name(const struct tree *t, uint32_t dir, const char *name, size_t len)
{
	uint64_t v[4] = {t->seed[0] ^ 0x736f6d6570736575ull, t->seed[1] ^ 0x646f72616e646f6dull,
			 t->seed[0] ^ 0x6c7967656e657261ull, t->seed[1] ^ 0x7465646279746573ull};
	uint64_t m = dir | (uint64_t)len << 32;

	for (;;) {
		v[3] ^= m;
		sip_round(v);
		v[0] ^= m;
		if (!len)
			break;
		m = 0;
		memcpy(&m, name, len < 8 ? len : 8);
		name += len < 8 ? len : 8;
		len -= len < 8 ? len : 8;
	}
	v[2] ^= 0xff;
	for (int i = 0; i < 3; i++)
		sip_round(v);
	m = v[0] ^ v[1] ^ v[2] ^ v[3];
	return (uint32_t)(m ^ m >> 32);
}

/* The slot that holds the name or, when it is absent, the free one where it belongs. */
static uint32_t *find_slot(const struct tree *t, uint32_t dir, const char *name, size_t len)
{
	uint32_t i = hash_name(t, dir, name, len) & (t->n_slots - 1);

	for (; t->slots[i]; i = (i + 1) & (t->n_slots - 1)) {
		const struct tree_dent *d = &t->dents[t->slots[i] - 1];

		if (d->parent == dir && d->name_len == len && !memcmp(tree_name(t, d), name, len))
			break;
	}
	return &t->slots[i];
}

static int grow_slots(struct tree *t, struct err *e)
{
	uint32_t *old = t->slots, n = t->n_slots ? t->n_slots * 2 : 1024;

	if (t->n_slots && (uint64_t)t->n_dents * 4 < (uint64_t)t->n_slots * 3)
		return 0;
	t->slots = n ? calloc(n, sizeof(*t->slots)) : NULL;
	if (!t->slots) {
		t->slots = old;
		return err_oom(e);
	}
	t->n_slots = n;
	free(old);
	for (uint32_t i = 0; i < t->n_dents; i++) {
		const struct tree_dent *d = &t->dents[i];

		*find_slot(t, d->parent, tree_name(t, d), d->name_len) = i + 1;
	}
	return 0;
}

/* Makes room for one more element of an array that grows by half. */
static int grow(void **p, uint32_t n, uint32_t *cap, size_t size, struct err *e)
{
	uint64_t want = *cap ? (uint64_t)*cap + *cap / 2 : 256;
	void *q;

	if (n < *cap)
		return 0;
	if (want >= TREE_NONE)
		return err_set(e, E2BIG, "too many names");
	q = reallocarray(*p, want, size);
	if (!q)
		return err_oom(e);
	*p = q;
	*cap = (uint32_t)want;
	return 0;
}

int64_t tree_new_inode(struct tree *t, enum entry_type type, struct err *e)
{
	int r = grow((void **)&t->inodes, t->n_inodes, &t->cap_inodes, sizeof(*t->inodes), e);

	if (r < 0)
		return r;
	t->inodes[t->n_inodes] = (struct tree_inode){
		.mode = type == ENTRY_DIRECTORY ? 0755 : 0,
		.type = (uint8_t)type,
		.first_child = TREE_NONE,
		.dent = TREE_NONE,
	};
	return t->n_inodes++;
}

uint32_t tree_lookup(const struct tree *t, uint32_t dir, const char *name, size_t len)
{
	uint32_t slot = *find_slot(t, dir, name, len);

	return slot ? slot - 1 : TREE_NONE;
}

uint32_t tree_lookup_live(const struct tree *t, uint32_t dir, struct tree_str name)
{
	uint32_t d = tree_lookup(t, dir, name.p, name.len);

	return d != TREE_NONE && t->dents[d].live ? d : TREE_NONE;
}

int64_t tree_add_name(struct tree *t, uint32_t dir, struct tree_str name, struct err *e)
{
	uint32_t d = tree_lookup(t, dir, name.p, name.len);
	int r = 0;

	if (d == TREE_NONE) {
		r = grow((void **)&t->dents, t->n_dents, &t->cap_dents, sizeof(*t->dents), e);
		if (r == 0)
			r = grow_slots(t, e);
		if (r < 0)
			return r;
		d = t->n_dents++;
		t->dents[d] = (struct tree_dent){
			.parent = dir,
			.name = (uint32_t)(name.p - t->layers[name.layer]->arena),
			.name_layer = name.layer,
			.name_len = (uint8_t)name.len,
		};
		*find_slot(t, dir, name.p, name.len) = d + 1;
	}
	if (!t->dents[d].listed) {
		t->dents[d].next = t->inodes[dir].first_child;
		t->dents[d].listed = true;
		t->inodes[dir].first_child = d;
	}
	t->dents[d].live = true;
	return d;
}

/*
 * Directories still to be gone through are chained by their inodes' `link`, which has no other
 * use in a directory: neither recursion nor memory for a hostile depth.
 */
static void kill_one(struct tree *t, uint32_t dent, uint32_t *work)
{
	uint32_t ino = t->dents[dent].inode;
	struct tree_inode *i = &t->inodes[ino];

	t->dents[dent].live = false;
	if (i->type == ENTRY_DIRECTORY || i->type == ENTRY_SYMLINK)
		t->generation++;
	if (i->type == ENTRY_DIRECTORY) {
		i->link = *work;
		*work = ino;
	} else {
		i->nlink--;
	}
}

void tree_kill(struct tree *t, uint32_t dent)
{
	uint32_t work = TREE_NONE;

	kill_one(t, dent, &work);
	while (work != TREE_NONE) {
		const struct tree_inode *dir = &t->inodes[work];

		work = dir->link;
		for (uint32_t c = dir->first_child; c != TREE_NONE; c = t->dents[c].next) {
			if (t->dents[c].live)
				kill_one(t, c, &work);
		}
	}
}

int tree_init(struct tree *t, const uint64_t seed[2], struct err *e)
{
	int64_t root;
	int r;

	*t = (struct tree){.seed = {seed[0], seed[1]}, .budget = BUDGET_START};
	t->cached.inode = TREE_NONE;
	r = grow_slots(t, e);
	if (r < 0)
		return r;
	root = tree_new_inode(t, ENTRY_DIRECTORY, e);
	return root < 0 ? (int)root : 0;
}

void tree_free(struct tree *t)
{
	free(t->inodes);
	free(t->dents);
	free(t->slots);
	*t = (struct tree){0};
}

void tree_set_owner(struct tree *t, uint32_t uid, uint32_t gid)
{
	for (uint32_t i = 0; i < t->n_inodes; i++) {
		t->inodes[i].uid = uid;
		t->inodes[i].gid = gid;
	}
}

int tree_data_map(const struct tree *t, uint32_t layer, uint32_t **ret, struct err *e)
{
	uint32_t n = t->layers[layer]->n;
	uint32_t *map = malloc(n ? (size_t)n * sizeof(*map) : 1);

	if (!map)
		return err_oom(e);
	memset(map, 0xff, (size_t)n * sizeof(*map));
	for (uint32_t i = 0; i < t->n_inodes; i++) {
		const struct tree_inode *ino = &t->inodes[i];

		if (ino->type == ENTRY_FILE && ino->nlink && ino->layer == layer)
			map[ino->ordinal] = i;
	}
	*ret = map;
	return 0;
}

uint64_t tree_total_bytes(const struct tree *t)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < t->n_inodes; i++) {
		const struct tree_inode *ino = &t->inodes[i];

		if (ino->type == ENTRY_FILE && ino->nlink &&
		    __builtin_add_overflow(sum, ino->size_bytes, &sum))
			return UINT64_MAX;
	}
	return sum;
}

static int compare_names(const void *a, const void *b, void *arg)
{
	const struct tree *t = arg;
	const struct tree_dent *x = &t->dents[*(const uint32_t *)a],
			       *y = &t->dents[*(const uint32_t *)b];
	size_t n = x->name_len < y->name_len ? x->name_len : y->name_len;
	int r = memcmp(tree_name(t, x), tree_name(t, y), n);

	return r ? r : (int)x->name_len - (int)y->name_len;
}

int tree_children(const struct tree *t, uint32_t dir, struct tree_list *list, struct err *e)
{
	list->n = 0;
	for (uint32_t d = t->inodes[dir].first_child; d != TREE_NONE; d = t->dents[d].next) {
		int r = grow((void **)&list->dents, list->n, &list->cap, sizeof(*list->dents), e);

		if (r < 0)
			return r;
		if (t->dents[d].live && t->inodes[t->dents[d].inode].type != ENTRY_DEVICE)
			list->dents[list->n++] = d;
	}
	if (list->n)
		qsort_r(list->dents, list->n, sizeof(*list->dents), compare_names,
			(void *)(uintptr_t)t);
	return 0;
}
