/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_SQUASHD_SOURCE_TREE_H
#define CSBX_SQUASHD_SOURCE_TREE_H

/*
 * A container's root before it is one: a squashfs image or a directory. Paths are resolved as
 * inside a container: symlinks, absolute ones too, and ".." stay in the tree.
 */

#include <stdbool.h>
#include <stddef.h>

struct err;
struct sqimage;
struct strbuf;

struct source_tree {
	struct sqimage *image; /* NULL for a directory */
	int dirfd;
};

int source_tree_open(int fd, bool is_dir, struct source_tree *ret, struct err *e);
void source_tree_close(struct source_tree *t);

/*
 * Appends a regular file. 1 and its content; 0 if there is none or it is something else; -EFBIG
 * past max, -EIO for damage.
 */
int source_tree_read(struct source_tree *t, const char *path, size_t max, struct strbuf *out,
		     struct err *e);

/* True if the image, laid over another in a stack, hides directory/name of that and has none. */
bool source_tree_hides(struct source_tree *t, const char *directory, const char *name);

/* True if path leads to a regular file that somebody may execute. */
bool source_tree_is_program(struct source_tree *t, const char *path);

#endif
