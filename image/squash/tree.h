/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_TREE_H
#define CSBX_IMAGE_TREE_H

/*
 * The merged file system of an image: names and inodes in memory, no data.
 *
 * Layers are applied bottom to top, each entry in order, as if it were unpacked onto what is
 * there (image-spec layer.md; where that is silent, what containerd and umoci do):
 *
 * - a directory over a directory replaces its attributes and keeps its children; any other
 *   meeting of two entries removes the old subtree, also within a layer;
 * - `.wh.NAME` removes NAME of lower layers, `.wh..wh..opq` all lower children of its directory,
 *   wherever in the layer they stand; other `.wh..wh.` names are aufs's own and passed over;
 * - parents that no entry describes are made 0755, root's, of 1970; a symlink among the parents is
 *   followed inside the image; anything else in the way of a directory is removed;
 * - a hard link joins the inode its target has at that point, of whatever layer; a target that
 *   comes later in the same layer is found at the end of the layer; an inode lives as long as one
 *   name does, also when the target's own name is hidden again. As in the unpackers named above,
 *   the link's own mode, owner and time apply to the inode, and its attributes when it has any.
 *
 * The merge is a pure function of the indexes and costs O(entries + bytes of their paths):
 * an entry is stamped, with its ancestors, by the layer that touched it, so that a whiteout knows
 * what is lower; a directory swept for one layer is not swept again for the same one. The tree
 * points into the indexes' arenas; they must outlive it.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/layer/index.h"

struct err;

#define TREE_NONE UINT32_MAX
#define TREE_ROOT 0u
#define TREE_LAYERS_MAX 1000u

struct tree_inode {
	uint64_t size_bytes;
	uint32_t uid, gid, mtime_s;
	uint32_t link;        /* symlink: target, in the arena of `layer` */
	uint32_t xattrs;      /* in the arena of `xattr_layer` */
	uint32_t nlink;       /* names, for all but directories */
	uint32_t ordinal;     /* regular file: index of its entry in `layer` */
	uint32_t first_child; /* directory: a dent or TREE_NONE */
	uint32_t dent;        /* directory: its own name; TREE_NONE for the root */
	uint16_t layer, xattr_layer;
	uint16_t mode;  /* permission bits */
	uint16_t depth; /* directory: components of its path */
	uint16_t swept; /* directory: 1 + the last layer whose sweep went through it */
	uint8_t type;   /* enum entry_type, never ENTRY_HARDLINK */
};

struct tree_dent {
	uint32_t parent; /* inode */
	uint32_t inode;
	uint32_t next; /* sibling */
	uint32_t name; /* in the arena of name_layer, not NUL-terminated */
	uint16_t name_layer;
	uint16_t touched; /* 1 + the last layer that wrote it or something below it */
	uint8_t name_len;
	bool live, listed;
};

struct tree {
	struct tree_inode *inodes;
	struct tree_dent *dents;
	uint32_t n_inodes, cap_inodes, n_dents, cap_dents;
	uint32_t *slots; /* open addressing: 1 + dent, 0 free */
	uint32_t n_slots;
	uint64_t seed[2];
	const struct layer_index *layers[TREE_LAYERS_MAX];
	uint32_t n_layers;
	uint64_t budget; /* steps of path resolution left; foreign symlinks cannot burn more */
	uint32_t generation;
	struct {
		uint32_t dir_string, generation, inode;
		bool skip;
	} cached;
};

/* The seed keeps hostile names from colliding in the hash; it does not show in the result. */
int tree_init(struct tree *t, const uint64_t seed[2], struct err *e);
void tree_free(struct tree *t);
#define _tree_ __attribute__((cleanup(tree_free)))

/* Puts one more layer on top. After an error the tree is fit for tree_free() only. */
int tree_apply(struct tree *t, const struct layer_index *layer, struct err *e);

/* Follows path with all symlinks but a last one; the inode or TREE_NONE. For generated layers. */
uint32_t tree_find(struct tree *t, const char *path);

/* All inodes to one owner. */
void tree_set_owner(struct tree *t, uint32_t uid, uint32_t gid);

/*
 * For every entry of a layer the inode whose data it holds, TREE_NONE for all others. The caller
 * frees the array, which has as many elements as the layer has entries.
 */
int tree_data_map(const struct tree *t, uint32_t layer, uint32_t **ret, struct err *e);

/* Sum of the sizes of all regular files that have a name. */
uint64_t tree_total_bytes(const struct tree *t);

/*
 * The names of a directory that are written out, sorted by bytes: dents in *buf, which grows as
 * needed and is the caller's to free. Devices are left out: a container gets its own, and an
 * ordinary user could not unpack them.
 */
struct tree_list {
	uint32_t *dents;
	uint32_t n, cap;
};
int tree_children(const struct tree *t, uint32_t dir, struct tree_list *list, struct err *e);

static inline const char *tree_name(const struct tree *t, const struct tree_dent *d)
{
	return layer_index_str(t->layers[d->name_layer], d->name);
}

static inline const char *tree_link(const struct tree *t, const struct tree_inode *i)
{
	return layer_index_str(t->layers[i->layer], i->link);
}

#endif
