/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/helpers/squashd/image/sqpath.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/base/str.h"

#define LINKS_MAX 40
#define DEPTH_MAX 128

struct walk {
	struct sqimage *img;
	char rest[PATH_MAX];         /* what is still to be walked */
	struct sqnode node;          /* where we are */
	uint64_t parents[DEPTH_MAX]; /* directories above it, for ".." */
	unsigned depth, links;
};

/* Takes the first component off rest into name. False at the end. */
static bool next_component(struct walk *w, char *name, size_t size)
{
	size_t skip = strspn(w->rest, "/"), len = strcspn(w->rest + skip, "/");

	if (!len)
		return false;
	if (len < size)
		memcpy(name, w->rest + skip, len);
	name[len < size ? len : 0] = 0;
	memmove(w->rest, w->rest + skip + len, strlen(w->rest + skip + len) + 1);
	return true;
}

static int go_root(struct walk *w)
{
	w->depth = 0;
	return sqimage_node(w->img, sqimage_root(w->img), &w->node);
}

/* The link's target takes its place before what is still to be walked. */
static int follow(struct walk *w, const struct sqnode *link)
{
	char target[SQLINK_MAX + 1];
	ssize_t len = sqimage_readlink(w->img, link, target);
	size_t rest = strlen(w->rest);

	if (len < 0)
		return (int)len;
	if (++w->links > LINKS_MAX)
		return -ELOOP;
	if (!len)
		return -ENOENT;
	if ((size_t)len + rest + 2 > sizeof(w->rest))
		return -ENAMETOOLONG;
	memmove(w->rest + len + 1, w->rest, rest + 1);
	memcpy(w->rest, target, (size_t)len);
	w->rest[len] = '/';
	return *target == '/' ? go_root(w) : 0;
}

static int step(struct walk *w, const char *name)
{
	struct sqnode next;
	uint64_t id;
	int r;

	if (!S_ISDIR(w->node.mode))
		return -ENOTDIR;
	if (!*name)
		return -ENAMETOOLONG;
	if (str_eq(name, "."))
		return 0;
	if (str_eq(name, ".."))
		return w->depth ? sqimage_node(w->img, w->parents[--w->depth], &w->node) : 0;
	r = sqimage_lookup(w->img, &w->node, name, &id);
	if (r <= 0)
		return r < 0 ? r : -ENOENT;
	r = sqimage_node(w->img, id, &next);
	if (r < 0)
		return r;
	if (S_ISLNK(next.mode))
		return follow(w, &next);
	if (w->depth == DEPTH_MAX)
		return -ENAMETOOLONG;
	w->parents[w->depth++] = w->node.id;
	w->node = next;
	return 0;
}

int sqpath_resolve(struct sqimage *img, const char *path, struct sqnode *ret)
{
	char name[SQNAME_MAX + 1];
	struct walk w;
	int r;

	if (strlen(path) >= sizeof(w.rest))
		return -ENAMETOOLONG;
	memset(&w, 0, sizeof(w));
	w.img = img;
	memcpy(w.rest, path, strlen(path) + 1);
	r = go_root(&w);
	while (r >= 0 && next_component(&w, name, sizeof(name)))
		r = step(&w, name);
	if (r >= 0)
		*ret = w.node;
	return r < 0 ? r : 0;
}
