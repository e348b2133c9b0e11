/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_TREE_PRIV_H
#define CSBX_IMAGE_TREE_PRIV_H

/* Shared by tree.c (memory, names), tree_walk.c (paths) and tree_apply.c (the merge proper). */

#include "image/squash/tree.h"

#define TREE_SYMLINKS_MAX 40u /* as the kernel's MAXSYMLINKS */

/* A name or a path: bytes in the arena of a layer, or, for look-ups only, anywhere. */
struct tree_str {
	const char *p;
	uint32_t len;
	uint16_t layer;
};

/* Adds an inode of a type; its index or -errno. */
int64_t tree_new_inode(struct tree *t, enum entry_type type, struct err *e);

/* The dent of this name, live or not; TREE_NONE when there never was one. */
uint32_t tree_lookup(const struct tree *t, uint32_t dir, const char *name, size_t len);

/* The same, live ones only. */
uint32_t tree_lookup_live(const struct tree *t, uint32_t dir, struct tree_str name);

/* Gives dir a name, revived or new, that is not live; its dent or -errno. */
int64_t tree_add_name(struct tree *t, uint32_t dir, struct tree_str name, struct err *e);

/* Removes a name and all below it. */
void tree_kill(struct tree *t, uint32_t dent);

/*
 * Follows a path of directories. `dir` is the last one that exists, `missing` the components
 * after it, the first of which may exist as something that is not a directory.
 */
struct tree_walk {
	uint32_t dir, n_missing;
	struct tree_str missing[LAYER_DEPTH_MAX];
};
int tree_walk(struct tree *t, struct tree_walk *w, struct tree_str path, struct err *e);

#endif
