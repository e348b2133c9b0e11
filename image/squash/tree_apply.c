/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "image/squash/tree_priv.h"
#include "runtime/base/err.h"
#include "runtime/base/str.h"

#define WHITEOUT ".wh."
#define AUFS_META ".wh..wh."
#define OPAQUE ".wh..wh..opq"
#define STEPS_PER_ENTRY 64u
#define DEFERRED_ROUNDS 16

struct apply {
	struct tree *t;
	const struct layer_index *x;
	const struct index_entry *entry;
	uint32_t ordinal;
	uint16_t layer;
	uint32_t *deferred; /* ordinals of hard links whose target has not come yet */
	uint32_t n_deferred, cap_deferred;
	struct tree_walk walk;
};

static struct tree_str arena_str(const struct apply *a, uint32_t offset)
{
	const char *p = layer_index_str(a->x, offset);

	return (struct tree_str){p, (uint32_t)strlen(p), a->layer};
}

static struct tree_str entry_name(const struct apply *a)
{
	return (struct tree_str){layer_index_str(a->x, a->entry->name), a->entry->name_len,
				 a->layer};
}

/* Stamps a name and all above it; stops where that was done for this layer already. */
static void touch(struct apply *a, uint32_t dent)
{
	struct tree *t = a->t;
	uint16_t stamp = (uint16_t)(a->layer + 1);

	while (dent != TREE_NONE && t->dents[dent].touched != stamp) {
		t->dents[dent].touched = stamp;
		dent = t->inodes[t->dents[dent].parent].dent;
	}
}

static void set_attributes(const struct apply *a, struct tree_inode *i)
{
	i->mode = a->entry->mode;
	i->uid = a->entry->uid;
	i->gid = a->entry->gid;
	i->mtime_s = a->entry->mtime_s;
	i->xattrs = a->entry->xattrs;
	i->xattr_layer = a->layer;
}

/* A new directory called name in dir, which has no such live name; its inode or -errno. */
static int64_t make_directory(struct apply *a, uint32_t dir, struct tree_str name, struct err *e)
{
	struct tree *t = a->t;
	unsigned depth = t->inodes[dir].depth + 1u;
	int64_t ino, dent;

	if (depth > LAYER_DEPTH_MAX)
		return err_set(e, EBADMSG, "more than %u levels deep", LAYER_DEPTH_MAX);
	ino = tree_new_inode(t, ENTRY_DIRECTORY, e);
	dent = ino < 0 ? ino : tree_add_name(t, dir, name, e);
	if (dent < 0)
		return dent;
	t->dents[dent].inode = (uint32_t)ino;
	t->inodes[ino].dent = (uint32_t)dent;
	t->inodes[ino].depth = (uint16_t)depth;
	touch(a, (uint32_t)dent);
	return ino;
}

/* Removes whatever has this name now. */
static void clear_name(struct apply *a, uint32_t dir, struct tree_str name)
{
	uint32_t d = tree_lookup_live(a->t, dir, name);

	if (d != TREE_NONE)
		tree_kill(a->t, d);
}

static int make_missing(struct apply *a, uint32_t *ret_dir, struct err *e)
{
	int64_t dir = a->walk.dir;

	for (uint32_t i = 0; i < a->walk.n_missing; i++) {
		clear_name(a, (uint32_t)dir, a->walk.missing[i]);
		dir = make_directory(a, (uint32_t)dir, a->walk.missing[i], e);
		if (dir < 0)
			return (int)dir;
	}
	*ret_dir = (uint32_t)dir;
	return 0;
}

/* The directory the current entry goes into, made where it is missing. */
static int entry_dir(struct apply *a, uint32_t *ret_dir, struct err *e)
{
	struct tree *t = a->t;
	int r;

	if (t->cached.inode != TREE_NONE && t->cached.dir_string == a->entry->dir &&
	    t->cached.generation == t->generation) {
		*ret_dir = t->cached.inode;
		return 0;
	}
	r = tree_walk(t, &a->walk, arena_str(a, a->entry->dir), e);
	if (r == 0)
		r = make_missing(a, ret_dir, e);
	if (r < 0)
		return r;
	t->cached.dir_string = a->entry->dir;
	t->cached.generation = t->generation;
	t->cached.inode = *ret_dir;
	return 0;
}

/*
 * Removes what lower layers left below a directory that this layer touched. Directories on the
 * way are chained by `link`, as in tree_kill(); those this layer swept before hold nothing lower.
 */
static void sweep(struct apply *a, uint32_t dir)
{
	struct tree *t = a->t;
	uint16_t stamp = (uint16_t)(a->layer + 1);
	uint32_t work = dir;

	t->inodes[dir].link = TREE_NONE;
	while (work != TREE_NONE) {
		struct tree_inode *i = &t->inodes[work];
		uint32_t *p = &i->first_child;

		work = i->link;
		if (i->swept == stamp)
			continue;
		i->swept = stamp;
		while (*p != TREE_NONE) {
			struct tree_dent *d = &t->dents[*p];
			struct tree_inode *child = &t->inodes[d->inode];

			if (d->live && d->touched != stamp)
				tree_kill(t, *p);
			if (!d->live) {
				d->listed = false;
				*p = d->next;
				continue;
			}
			if (child->type == ENTRY_DIRECTORY) {
				child->link = work;
				work = d->inode;
			}
			p = &d->next;
		}
	}
}

static int apply_opaque(struct apply *a, struct err *e)
{
	int r = tree_walk(a->t, &a->walk, arena_str(a, a->entry->dir), e);

	if (r == 0 && !a->walk.n_missing)
		sweep(a, a->walk.dir);
	return r;
}

static int apply_whiteout(struct apply *a, struct tree_str name, struct err *e)
{
	struct tree *t = a->t;
	uint32_t d;
	int r;

	if (!name.len || str_is_dots(name.p))
		return err_set(e, EBADMSG, "a whiteout without a name");
	r = tree_walk(t, &a->walk, arena_str(a, a->entry->dir), e);
	if (r < 0 || a->walk.n_missing)
		return r;
	d = tree_lookup_live(t, a->walk.dir, name);
	if (d == TREE_NONE)
		return 0;
	if (t->dents[d].touched != a->layer + 1)
		tree_kill(t, d);
	else if (t->inodes[t->dents[d].inode].type == ENTRY_DIRECTORY)
		sweep(a, t->dents[d].inode);
	return 0;
}

/* A directory that exists keeps its children; true when there was one. */
static bool update_directory(struct apply *a, uint32_t dent)
{
	struct tree_inode *i;

	if (dent == TREE_NONE || a->entry->type != ENTRY_DIRECTORY)
		return false;
	i = &a->t->inodes[a->t->dents[dent].inode];
	if (i->type != ENTRY_DIRECTORY)
		return false;
	set_attributes(a, i);
	touch(a, dent);
	return true;
}

static int apply_plain(struct apply *a, struct err *e)
{
	struct tree *t = a->t;
	struct tree_str name = entry_name(a);
	int64_t ino, dent;
	uint32_t dir, old;
	int r = entry_dir(a, &dir, e);

	if (r < 0)
		return r;
	old = tree_lookup_live(t, dir, name);
	if (update_directory(a, old))
		return 0;
	if (old != TREE_NONE)
		tree_kill(t, old);
	if (a->entry->type == ENTRY_DIRECTORY) {
		ino = make_directory(a, dir, name, e);
		if (ino >= 0)
			set_attributes(a, &t->inodes[ino]);
		return ino < 0 ? (int)ino : 0;
	}
	ino = tree_new_inode(t, a->entry->type, e);
	dent = ino < 0 ? ino : tree_add_name(t, dir, name, e);
	if (dent < 0)
		return (int)dent;
	t->dents[dent].inode = (uint32_t)ino;
	touch(a, (uint32_t)dent);
	set_attributes(a, &t->inodes[ino]);
	t->inodes[ino].layer = a->layer;
	t->inodes[ino].ordinal = a->ordinal;
	t->inodes[ino].size_bytes = a->entry->size_bytes;
	t->inodes[ino].link = a->entry->link;
	t->inodes[ino].nlink = 1;
	return 0;
}

/* The inode a hard link points to; 0 and TREE_NONE when there is none (yet). */
static int link_target(struct apply *a, uint32_t *ret_ino, struct err *e)
{
	struct tree_str path = arena_str(a, a->entry->link), dir = path, name;
	const char *slash = strrchr(path.p, '/');
	uint32_t d;
	int r;

	*ret_ino = TREE_NONE;
	if (!path.len)
		return err_set(e, EBADMSG, "a hard link to the root");
	dir.len = slash ? (uint32_t)(slash - path.p) : 0;
	name = (struct tree_str){slash ? slash + 1 : path.p, path.len - dir.len - (slash ? 1 : 0),
				 a->layer};
	r = tree_walk(a->t, &a->walk, dir, e);
	if (r < 0 || a->walk.n_missing)
		return r;
	d = tree_lookup_live(a->t, a->walk.dir, name);
	if (d == TREE_NONE)
		return 0;
	if (a->t->inodes[a->t->dents[d].inode].type == ENTRY_DIRECTORY)
		return err_set(e, EBADMSG, "a hard link to the directory '%.200s'", path.p);
	*ret_ino = a->t->dents[d].inode;
	return 0;
}

static void set_linked_attributes(const struct apply *a, struct tree_inode *i)
{
	uint32_t xattrs = i->xattrs;
	uint16_t xattr_layer = i->xattr_layer;

	set_attributes(a, i);
	if (!a->entry->xattrs) {
		i->xattrs = xattrs;
		i->xattr_layer = xattr_layer;
	}
}

/* Puts the name on the inode, which may lose its last other name on the way. */
static int add_link(struct apply *a, uint32_t ino, struct err *e)
{
	struct tree *t = a->t;
	struct tree_str name = entry_name(a);
	uint32_t dir, old;
	int64_t dent;
	int r;

	t->inodes[ino].nlink++;
	r = entry_dir(a, &dir, e);
	if (r < 0)
		return r;
	old = tree_lookup_live(t, dir, name);
	if (old != TREE_NONE)
		tree_kill(t, old);
	dent = tree_add_name(t, dir, name, e);
	if (dent < 0)
		return (int)dent;
	t->dents[dent].inode = ino;
	touch(a, (uint32_t)dent);
	set_linked_attributes(a, &t->inodes[ino]);
	return 0;
}

static int defer(struct apply *a, struct err *e)
{
	uint32_t dir;
	int r;

	if (a->n_deferred == a->cap_deferred) {
		uint32_t cap = a->cap_deferred ? a->cap_deferred * 2 : 64;
		uint32_t *p = reallocarray(a->deferred, cap, sizeof(*p));

		if (!p)
			return err_oom(e);
		a->deferred = p;
		a->cap_deferred = cap;
	}
	r = entry_dir(a, &dir, e);
	if (r < 0)
		return r;
	clear_name(a, dir,
		   entry_name(a)); /* so that what is there at the end came later, and wins */
	a->deferred[a->n_deferred++] = a->ordinal;
	return 0;
}

static int apply_hard_link(struct apply *a, struct err *e)
{
	uint32_t ino;
	int r = link_target(a, &ino, e);

	if (r < 0)
		return r;
	return ino == TREE_NONE ? defer(a, e) : add_link(a, ino, e);
}

/*
 * One attempt at each deferred link. The links that are left are turned round, so that the next
 * attempt goes through it in the other direction: a chain of links resolves at once whichever way
 * it runs.
 */
static int retry_deferred(struct apply *a, struct err *e)
{
	uint32_t n = a->n_deferred, left = 0, ino, dir;
	int r = 0;

	for (uint32_t k = 0; r == 0 && k < n; k++) {
		uint32_t ordinal = a->deferred[k];

		a->ordinal = ordinal;
		a->entry = &a->x->entries[ordinal];
		r = link_target(a, &ino, e);
		if (r == 0 && ino == TREE_NONE) {
			a->deferred[left++] = ordinal;
			continue;
		}
		if (r == 0)
			r = entry_dir(a, &dir, e);
		if (r == 0 && tree_lookup_live(a->t, dir, entry_name(a)) == TREE_NONE)
			r = add_link(a, ino, e);
	}
	a->n_deferred = left;
	for (uint32_t i = 0; i < left / 2; i++) {
		uint32_t swap = a->deferred[i];

		a->deferred[i] = a->deferred[left - 1 - i];
		a->deferred[left - 1 - i] = swap;
	}
	return r;
}

static int apply_deferred(struct apply *a, struct err *e)
{
	int r = 0;

	for (int round = 0; r == 0 && a->n_deferred && round < DEFERRED_ROUNDS; round++)
		r = retry_deferred(a, e);
	if (r == 0 && a->n_deferred) {
		a->entry = &a->x->entries[a->deferred[0]];
		r = err_set(e, EBADMSG, "a hard link to '%.200s', which is not there",
			    layer_index_str(a->x, a->entry->link));
	}
	return r;
}

/* True where a component of the path is a whiteout's name, which no directory can have. */
static bool has_whiteout_component(const char *dir)
{
	for (const char *p = dir; (p = strstr(p, WHITEOUT)); p++) {
		if (p == dir || p[-1] == '/')
			return true;
	}
	return false;
}

static int apply_entry(struct apply *a, struct err *e)
{
	const char *dir = layer_index_str(a->x, a->entry->dir);
	struct tree_str name = entry_name(a);

	a->t->budget += STEPS_PER_ENTRY + strlen(dir);
	if (!name.len) {
		set_attributes(a, &a->t->inodes[TREE_ROOT]);
		return 0;
	}
	if (has_whiteout_component(dir))
		return strstr(dir, AUFS_META) ? 0 : err_set(e, EBADMSG, "a whiteout with content");
	if (str_eq(name.p, OPAQUE))
		return apply_opaque(a, e);
	if (str_has_prefix(name.p, AUFS_META))
		return 0;
	if (str_has_prefix(name.p, WHITEOUT)) {
		name.p += strlen(WHITEOUT);
		name.len -= (uint32_t)strlen(WHITEOUT);
		return apply_whiteout(a, name, e);
	}
	if (a->entry->type == ENTRY_HARDLINK)
		return apply_hard_link(a, e);
	return apply_plain(a, e);
}

int tree_apply(struct tree *t, const struct layer_index *layer, struct err *e)
{
	struct apply a = {.t = t, .x = layer, .layer = (uint16_t)t->n_layers};
	int r = 0;

	if (t->n_layers == TREE_LAYERS_MAX)
		return err_set(e, E2BIG, "more than %u layers", TREE_LAYERS_MAX);
	t->layers[t->n_layers++] = layer;
	t->cached.inode = TREE_NONE;
	for (uint32_t i = 0; r == 0 && i < layer->n; i++) {
		a.ordinal = i;
		a.entry = &layer->entries[i];
		r = apply_entry(&a, e);
	}
	if (r == 0)
		r = apply_deferred(&a, e);
	free(a.deferred);
	if (r < 0)
		return err_wrap(e, "/%.200s%s%.255s", layer_index_str(layer, a.entry->dir),
				a.entry->dir ? "/" : "", layer_index_str(layer, a.entry->name));
	return 0;
}
