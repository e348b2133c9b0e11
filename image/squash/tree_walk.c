/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Path resolution inside the tree, as the kernel does it in a chroot: ".." stops at the root and
 * absolute links start there. A missing name is taken by its letters alone, so "missing/.." goes
 * nowhere. Links are followed by stacking their targets, never by recursion, and every step is paid
 * from a budget that grows with the size of the input.
 */
#include <string.h>

#include "image/squash/tree_priv.h"
#include "runtime/base/err.h"

struct walk_stack {
	struct tree_str rest[TREE_SYMLINKS_MAX + 1];
	uint32_t depth, links;
};

/* Cuts the next component off the innermost path; false when all are used up. */
static bool next_component(struct walk_stack *s, struct tree_str *ret)
{
	while (s->depth) {
		struct tree_str *top = &s->rest[s->depth - 1];
		const char *end = top->p + top->len, *stop;

		while (top->p < end && *top->p == '/')
			top->p++;
		for (stop = top->p; stop < end && *stop != '/';)
			stop++;
		*ret = (struct tree_str){top->p, (uint32_t)(stop - top->p), top->layer};
		top->p = stop;
		top->len = (uint32_t)(end - stop);
		if (ret->len)
			return true;
		s->depth--;
	}
	return false;
}

static void go_up(const struct tree *t, struct tree_walk *w)
{
	uint32_t dent = t->inodes[w->dir].dent;

	if (w->n_missing)
		w->n_missing--;
	else if (dent != TREE_NONE)
		w->dir = t->dents[dent].parent;
}

static int follow(const struct tree *t, struct tree_walk *w, struct walk_stack *s,
		  const struct tree_inode *link, struct err *e)
{
	const char *target = tree_link(t, link);

	if (s->links++ == TREE_SYMLINKS_MAX || s->depth > TREE_SYMLINKS_MAX)
		return err_set(e, ELOOP, "too many symlinks on the way, last to '%.80s'", target);
	if (target[0] == '/')
		w->dir = TREE_ROOT;
	s->rest[s->depth++] = (struct tree_str){target, (uint32_t)strlen(target), link->layer};
	return 0;
}

static int add_missing(struct tree_walk *w, struct tree_str name, struct err *e)
{
	if (name.len > LAYER_NAME_MAX)
		return err_set(e, ENAMETOOLONG, "a symlink leads to a name of %u bytes", name.len);
	if (w->n_missing == LAYER_DEPTH_MAX)
		return err_set(e, EBADMSG, "more than %u levels deep", LAYER_DEPTH_MAX);
	w->missing[w->n_missing++] = name;
	return 0;
}

static int step(struct tree *t, struct tree_walk *w, struct walk_stack *s, struct tree_str name,
		struct err *e)
{
	const struct tree_inode *ino;
	uint32_t d;

	if (name.len == 1 && name.p[0] == '.')
		return 0;
	if (name.len == 2 && name.p[0] == '.' && name.p[1] == '.') {
		go_up(t, w);
		return 0;
	}
	d = w->n_missing ? TREE_NONE : tree_lookup_live(t, w->dir, name);
	if (d == TREE_NONE)
		return add_missing(w, name, e);
	ino = &t->inodes[t->dents[d].inode];
	if (ino->type == ENTRY_SYMLINK)
		return follow(t, w, s, ino, e);
	if (ino->type != ENTRY_DIRECTORY)
		return add_missing(w, name, e);
	w->dir = t->dents[d].inode;
	return 0;
}

int tree_walk(struct tree *t, struct tree_walk *w, struct tree_str path, struct err *e)
{
	struct walk_stack s = {.rest = {path}, .depth = 1};
	struct tree_str name;
	int r = 0;

	w->dir = TREE_ROOT;
	w->n_missing = 0;
	while (r == 0 && next_component(&s, &name)) {
		if (!t->budget--)
			return err_set(e, ELOOP, "symlinks make the paths of this image too long");
		r = step(t, w, &s, name, e);
	}
	return r;
}

uint32_t tree_find(struct tree *t, const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	struct tree_walk w;
	uint32_t d;

	if (tree_walk(t, &w, (struct tree_str){path, (uint32_t)(name - path), 0}, NULL) < 0 ||
	    w.n_missing)
		return TREE_NONE;
	d = tree_lookup_live(t, w.dir, (struct tree_str){name, (uint32_t)strlen(name), 0});
	return d == TREE_NONE ? TREE_NONE : t->dents[d].inode;
}
