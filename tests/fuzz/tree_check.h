/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_TESTS_TREE_CHECK_H
#define CSBX_TESTS_TREE_CHECK_H

/* Checks of facts that must hold for every merged tree, whatever the layers were. */

#include <stdlib.h>
#include <string.h>

#include "image/squash/tree.h"
#include "tests/fuzz/fuzz.h"

static inline void tree_check_name(const struct tree *t, const struct tree_dent *d)
{
	const char *name = tree_name(t, d);

	FUZZ_ASSERT(d->name_len && !memchr(name, '/', d->name_len) &&
		    !memchr(name, 0, d->name_len));
	FUZZ_ASSERT(!(d->name_len == 1 && name[0] == '.'));
	FUZZ_ASSERT(!(d->name_len == 2 && name[0] == '.' && name[1] == '.'));
	FUZZ_ASSERT(!(d->name_len >= 4 && !memcmp(name, ".wh.", 4)));
}

/* Counts live names and checks that each hangs on a chain of live directories up to the root. */
static inline void tree_check_dents(const struct tree *t, uint32_t *names)
{
	for (uint32_t i = 0; i < t->n_dents; i++) {
		const struct tree_dent *d = &t->dents[i];
		const struct tree_inode *parent = &t->inodes[d->parent];
		uint32_t up = parent->dent;

		if (!d->live)
			continue;
		tree_check_name(t, d);
		FUZZ_ASSERT(d->listed && parent->type == ENTRY_DIRECTORY);
		FUZZ_ASSERT(parent->depth < LAYER_DEPTH_MAX);
		names[d->inode]++;
		if (d->parent == TREE_ROOT)
			continue;
		FUZZ_ASSERT(t->dents[up].live && t->dents[up].inode == d->parent);
	}
}

static inline void tree_check_inodes(const struct tree *t, const uint32_t *names)
{
	for (uint32_t i = 0; i < t->n_inodes; i++) {
		const struct tree_inode *n = &t->inodes[i];

		FUZZ_ASSERT(n->type != ENTRY_HARDLINK);
		if (n->type == ENTRY_DIRECTORY)
			FUZZ_ASSERT(names[i] <= 1);
		else
			FUZZ_ASSERT(names[i] == n->nlink);
		if (n->type == ENTRY_SYMLINK)
			FUZZ_ASSERT(n->link && strlen(tree_link(t, n)) <= LAYER_LINK_MAX);
	}
}

/* Every child list holds each live name once, sorted. */
static inline void tree_check_lists(const struct tree *t)
{
	struct tree_list list = {0};
	uint32_t seen = 0, live = 0;

	for (uint32_t i = 0; i < t->n_dents; i++)
		live += t->dents[i].live && t->inodes[t->dents[i].inode].type != ENTRY_DEVICE;
	for (uint32_t dir = 0; dir < t->n_inodes; dir++) {
		const struct tree_inode *n = &t->inodes[dir];

		if (n->type != ENTRY_DIRECTORY || (dir != TREE_ROOT && !t->dents[n->dent].live) ||
		    (dir != TREE_ROOT && t->dents[n->dent].inode != dir))
			continue;
		FUZZ_ASSERT(tree_children(t, dir, &list, NULL) == 0);
		for (uint32_t i = 0; i < list.n; i++) {
			const struct tree_dent *d = &t->dents[list.dents[i]];
			const struct tree_dent *p = i ? &t->dents[list.dents[i - 1]] : NULL;

			FUZZ_ASSERT(d->live && d->parent == dir);
			if (p)
				FUZZ_ASSERT(p->name_len != d->name_len ||
					    memcmp(tree_name(t, p), tree_name(t, d), d->name_len));
		}
		seen += list.n;
	}
	FUZZ_ASSERT(seen == live);
	free(list.dents);
}

static inline void tree_check(const struct tree *t)
{
	uint32_t *names = calloc(t->n_inodes, sizeof(*names));

	FUZZ_ASSERT(names && t->inodes[TREE_ROOT].type == ENTRY_DIRECTORY);
	tree_check_dents(t, names);
	tree_check_inodes(t, names);
	tree_check_lists(t);
	free(names);
}

#endif
