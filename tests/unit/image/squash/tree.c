/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The merge, as a table. A layer is written as entries between ';', layers between '|':
 *
 *	d PATH		directory	f PATH SIZE	file (a whiteout is a file, too)
 *	l PATH TARGET	symlink		h PATH TARGET	hard link
 *	p PATH		fifo		c PATH		device
 *
 * The result is every name in order: "a/" a directory, "a=7" a file of 7 bytes, "a=7*2" the same
 * with two names, "a>t" a symlink, "a|" a fifo. "!text" is an error that contains text.
 */
#include "image/squash/tree.h"

#include <stdio.h>
#include <stdlib.h>

#include "runtime/base/err.h"
#include "runtime/base/str.h"
#include "tests/unit/tap.h"

struct merge_case {
	const char *name, *layers, *want;
};

static const struct merge_case merge_cases[] = {
	{"one layer", "d a;f a/b 1;l c a;p q", "a/ a/b=1 c>a q|"},
	{"order in the tar does not matter", "f a/b 1;d a", "a/ a/b=1"},
	{"no entries at all", "|", ""},
	{"names sort by bytes", "f b 1;f B 1;f a.b 1;f a 1;f \xc3\xa9 1;f a/c 1",
	 "B=1 a/ a/c=1 a.b=1 b=1 \xc3\xa9=1"},

	/* whiteouts */
	{"a whiteout removes the lower name", "f a 1;f b 1|f .wh.a 0", "b=1"},
	{"and a whole tree", "d a;f a/b 1;d a/c;f a/c/d 1|f .wh.a 0", ""},
	{"not the name of its own layer, before", "f a 1|f .wh.a 0;f a 2", "a=2"},
	{"nor after it", "f a 1|f a 2;f .wh.a 0", "a=2"},
	{"of a touched directory only what is lower", "f a/b 1;f a/c 1|f a/d 2;f .wh.a 0",
	 "a/ a/d=2"},
	{"deep down too", "f a/x/b 1;f a/x/c 1;f a/y 1|f a/x/d 2;f .wh.a 0", "a/ a/x/ a/x/d=2"},
	{"a whiteout of nothing", "f a 1|f .wh.b 0", "a=1"},
	{"in a directory that is not there", "f a 1|f no/such/.wh.b 0", "a=1"},
	{"below a file", "f a 1|f a/.wh.b 0", "a=1"},
	{"of a symlink, not of its target", "d t;f t/x 1;l s t|f .wh.s 0", "t/ t/x=1"},
	{"through a symlink", "d t;f t/x 1;l s t|f s/.wh.x 0", "s>t t/"},
	{"in the lowest layer", "f .wh.a 0;f b 1", "b=1"},
	{"two layers later", "f a 1|f b 1|f .wh.a 0", "b=1"},
	{"and back again", "f a 1|f .wh.a 0|f a 3", "a=3"},
	{"a removed directory comes back empty", "f a/b 1|f .wh.a 0|f a/c 2", "a/ a/c=2"},
	{"even in one layer", "f a/b 1|f .wh.a 0;f a/c 2", "a/ a/c=2"},
	{"one name, not its prefix", "f a 1;f ab 1|f .wh.a 0", "ab=1"},
	{"a directory may be the whiteout", "f a 1|d .wh.a", ""},

	/* opaque directories */
	{"opaque hides all lower children", "f a/b 1;f a/c/d 1|d a;f a/.wh..wh..opq 0", "a/"},
	{"but none of its own layer", "f a/b 1|f a/x 2;f a/.wh..wh..opq 0;f a/y 2",
	 "a/ a/x=2 a/y=2"},
	{"nor below them, of its own", "f a/c/d 1|f a/c/e 2;f a/.wh..wh..opq 0", "a/ a/c/ a/c/e=2"},
	{"last in the layer", "f a/b 1|d a;f a/b 2;f a/c 2;f a/.wh..wh..opq 0", "a/ a/b=2 a/c=2"},
	{"twice", "f a/b 1|f a/.wh..wh..opq 0;f a/c 2;f a/.wh..wh..opq 0", "a/ a/c=2"},
	{"in each of two layers", "f a/b 1|f a/.wh..wh..opq 0;f a/c 2|f a/.wh..wh..opq 0;f a/d 3",
	 "a/ a/d=3"},
	{"inner, then outer", "f a/b/c 1;f a/d 1|f a/b/.wh..wh..opq 0;f a/.wh..wh..opq 0", "a/"},
	{"outer, then inner", "f a/b/c 1;f a/d 1|d a/b;f a/.wh..wh..opq 0;f a/b/.wh..wh..opq 0",
	 "a/ a/b/"},
	{"of the root", "f a 1;d b|f .wh..wh..opq 0;f c 2", "c=2"},
	{"as a directory", "f a/b 1|d a/.wh..wh..opq", "a/"},
	{"where nothing is", "f a 1|f no/.wh..wh..opq 0", "a=1"},
	{"below a file", "f a 1|f a/.wh..wh..opq 0", "a=1"},

	/* names of whiteouts that mean nothing, or nonsense */
	{"aufs's own names", "f .wh..wh.aufs 0;f .wh..wh.plnk/1.2 5;d .wh..wh.orph;f a 1", "a=1"},
	{"without a name", "f .wh. 0", "!whiteout without a name"},
	{"of the directory itself", "f a/.wh.. 0;d a", "!whiteout without a name"},
	{"of the parent", "d a|f a/.wh... 0", "!whiteout without a name"},
	{"with content", "f .wh.a/b 1", "!whiteout with content"},
	{"a name that only contains it", "f a.wh.b 1;f a.wh.c/d 1", "a.wh.b=1 a.wh.c/ a.wh.c/d=1"},

	/* meetings */
	{"file over file", "f a 1|f a 2", "a=2"},
	{"directory over directory keeps children", "f a/b 1|d a", "a/ a/b=1"},
	{"file over directory", "f a/b 1;f a/c/d 1|f a 2", "a=2"},
	{"directory over file", "f a 1|d a", "a/"},
	{"directory over symlink", "d t;f t/x 1;l a t|d a", "a/ t/ t/x=1"},
	{"symlink over directory", "f a/b 1;d t|l a t", "a>t t/"},
	{"then a file through it", "f a/b 1;d t|l a t;f a/c 2", "a>t t/ t/c=2"},
	{"symlink over symlink", "l a x|l a y", "a>y"},
	{"twice in a layer: the last", "f a 1;f a 2", "a=2"},
	{"file, then directory, in a layer", "f a 1;d a;f a/b 2", "a/ a/b=2"},
	{"directory with content, then file", "f a/b 1;f a 2", "a=2"},
	{"a removed and remade directory has no old names", "f a/b 1|f a 2|d a|f a/c 3",
	 "a/ a/c=3"},
	{"a device hides what is below", "f a 1;f b/c 1|c a;c b", ""},
	{"a device and its links are left out", "c dev/null;h dev/n2 dev/null;f a 1", "a=1 dev/"},
	{"a file over a device", "c a|f a 1", "a=1"},
	{"a fifo", "p a|f b 1", "a| b=1"},

	/* parents */
	{"implied parents", "f a/b/c 1", "a/ a/b/ a/b/c=1"},
	{"a file in the way", "f a 1|f a/b 2", "a/ a/b=2"},
	{"a fifo in the way", "p a|f a/b/c 2", "a/ a/b/ a/b/c=2"},
	{"a symlink is followed", "d usr/lib;l lib usr/lib|f lib/x 1",
	 "lib>usr/lib usr/ usr/lib/ usr/lib/x=1"},
	{"an absolute one stays inside", "d t;l a /t|f a/x 1", "a>/t t/ t/x=1"},
	{"one with too many ..", "d t;l a ../../../t|f a/x 1", "a>../../../t t/ t/x=1"},
	{"relative to its directory", "d d/t;l d/a t|f d/a/x 1", "d/ d/a>t d/t/ d/t/x=1"},
	{"with .. in the middle", "d d/t;d u;l d/a t/../../u|f d/a/x 1",
	 "d/ d/a>t/../../u d/t/ u/ u/x=1"},
	{"a chain", "d t;l a b;l b c;l c t|f a/x 1", "a>b b>c c>t t/ t/x=1"},
	{"dangling: the target is made", "l a t/u|f a/x 1", "a>t/u t/ t/u/ t/u/x=1"},
	{"dangling with ..: by the letters", "l a no/../t|f a/x 1", "a>no/../t t/ t/x=1"},
	{"to a file, which gives way", "f t 1;l a t|f a/x 2", "a>t t/ t/x=2"},
	{"in the same layer", "l a t;f a/x 1", "a>t t/ t/x=1"},
	{"a loop", "l a b;l b a|f a/x 1", "!too many symlinks"},
	{"to itself", "l a a|f a/x 1", "!too many symlinks"},
	{"a symlink replaced between two entries", "d t;d u;l a t|f a/x 1;l a u;f a/y 1",
	 "a>u t/ t/x=1 u/ u/y=1"},
	{"a directory replaced between two entries", "f a/x 1;f a 2;f a/y 3", "a/ a/y=3"},

	/* hard links */
	{"in a layer", "f a 1;h b a", "a=1*2 b=1*2"},
	{"to a lower layer", "f a 1|h b a", "a=1*2 b=1*2"},
	{"whose target is hidden later", "f a 1;h b a|f .wh.a 0", "b=1"},
	{"in the same layer", "f a 1|h b a;f .wh.a 0", "b=1"},
	{"whose target is replaced later", "f a 1;h b a|f a 2", "a=2 b=1"},
	{"in the same layer as well", "f a 1;h b a;f a 2", "a=2 b=1"},
	{"target comes later", "h b a;f a 1", "a=1*2 b=1*2"},
	{"a chain, backwards", "h d c;h c b;h b a;f a 1", "a=1*4 b=1*4 c=1*4 d=1*4"},
	{"a chain, forwards", "h b c;h c d;h d a;f a 1", "a=1*4 b=1*4 c=1*4 d=1*4"},
	{"the lower target, when there is one", "f a 1|h b a;f a 2", "a=2 b=1"},
	{"a late link gives way to what came after it", "h b a;f b 5;f a 1", "a=1 b=5"},
	{"but hides what is lower", "f b 5|h b a;f a 1", "a=1*2 b=1*2"},
	{"over a directory that holds its target", "f d/x 1;h d d/x", "d=1"},
	{"over a directory", "f a 1;f d/x 1|h d a", "a=1*2 d=1*2"},
	{"to itself", "f a 1;h a a", "a=1"},
	{"to a symlink", "l s t;h b s", "b>t*2 s>t*2"},
	{"through symlinks", "f t/x 1;l s t|h s/b s/x", "s>t t/ t/b=1*2 t/x=1*2"},
	{"to a directory", "d a;h b a", "!hard link to the directory"},
	{"to the root", "h b /", "!hard link to the root"},
	{"to nothing", "f a 1;h b c", "!which is not there"},
	{"to what a whiteout removed", "f a 1|f .wh.a 0;h b a", "!which is not there"},
	{"to itself alone", "h a a", "!which is not there"},
	{"in a ring", "h a b;h b a", "!which is not there"},
	{"all names hidden", "f a 1;h b a|f .wh.a 0;f .wh.b 0", ""},
	{"a name revived for another", "f a 1;f b 2|f .wh.a 0|h a b", "a=2*2 b=2*2"},
};

/*
 * --- writing layers ----------------------------------------------------------------------------
 */

static void add_entry(struct layer_index *x, const char *text)
{
	char path[256] = "", link[256] = "", kind = 0;
	struct layer_entry entry = {.path = path};
	int n = sscanf(text, " %c %255s %255s", &kind, path, link);

	if (n < 2)
		return;
	entry.mode = 0644;
	switch (kind) {
	case 'd':
		entry.type = ENTRY_DIRECTORY;
		entry.mode = 0750;
		break;
	case 'f':
		entry.type = ENTRY_FILE;
		entry.size_bytes = (uint64_t)atoi(link);
		break;
	case 'l':
		entry.type = ENTRY_SYMLINK;
		entry.link = link;
		break;
	case 'h':
		entry.type = ENTRY_HARDLINK;
		entry.link = link[0] == '/' ? "" : link;
		break;
	case 'p':
		entry.type = ENTRY_FIFO;
		break;
	case 'c':
		entry.type = ENTRY_DEVICE;
		break;
	}
	layer_index_add(x, &entry, NULL);
}

struct stack {
	struct layer_index layers[8];
	struct tree tree;
	struct err e;
};

static int merge(struct stack *s, const char *text)
{
	uint64_t seed[2] = {1, 2};
	char copy[1024], *rest = copy, *layer, *entry;
	size_t n = 0;
	int r;

	memset(s, 0, sizeof(*s));
	snprintf(copy, sizeof(copy), "%s", text);
	r = tree_init(&s->tree, seed, &s->e);
	while (r == 0 && (layer = strsep(&rest, "|"))) {
		struct layer_index *x = &s->layers[n++];

		while ((entry = strsep(&layer, ";")))
			add_entry(x, entry);
		r = tree_apply(&s->tree, x, &s->e);
	}
	return r;
}

static void free_stack(struct stack *s)
{
	tree_free(&s->tree);
	for (size_t i = 0; i < 8; i++)
		layer_index_free(&s->layers[i]);
}

/*
 * --- reading trees -----------------------------------------------------------------------------
 */

static void describe_one(const struct tree *t, uint32_t dent, const char *dir, struct strbuf *out)
{
	const struct tree_dent *d = &t->dents[dent];
	const struct tree_inode *i = &t->inodes[d->inode];

	strbuf_addf(out, "%s%s%.*s", out->len ? " " : "", dir, d->name_len, tree_name(t, d));
	if (i->type == ENTRY_DIRECTORY)
		strbuf_addch(out, '/');
	else if (i->type == ENTRY_FILE)
		strbuf_addf(out, "=%u", (unsigned)i->size_bytes);
	else if (i->type == ENTRY_SYMLINK)
		strbuf_addf(out, ">%s", tree_link(t, i));
	else if (i->type == ENTRY_FIFO)
		strbuf_addch(out, '|');
	if (i->type != ENTRY_DIRECTORY && i->nlink != 1)
		strbuf_addf(out, "*%u", i->nlink);
}

static void describe(const struct tree *t, uint32_t dir, const char *path, struct strbuf *out)
{
	struct tree_list list = {0};

	tree_children(t, dir, &list, NULL);
	for (uint32_t i = 0; i < list.n; i++) {
		const struct tree_dent *d = &t->dents[list.dents[i]];
		char below[512];

		describe_one(t, list.dents[i], path, out);
		snprintf(below, sizeof(below), "%s%.*s/", path, d->name_len, tree_name(t, d));
		if (t->inodes[d->inode].type == ENTRY_DIRECTORY)
			describe(t, d->inode, below, out);
	}
	free(list.dents);
}

static void test_case(const struct merge_case *c)
{
	_strbuf_ struct strbuf got = STRBUF_INIT;
	struct stack s;
	int r = merge(&s, c->layers);

	if (c->want[0] == '!') {
		ok(r < 0 && strstr(s.e.msg, c->want + 1), "%s: %s", c->name, s.e.msg);
	} else {
		describe(&s.tree, TREE_ROOT, "", &got);
		is_str(r < 0 ? s.e.msg : strbuf_str(&got), c->want, "%s", c->name);
	}
	free_stack(&s);
}

/*
 * --- what the table does not show --------------------------------------------------------------
 */

static const struct tree_inode *inode_at(struct tree *t, const char *path)
{
	static const struct tree_inode none;
	uint32_t i = path[0] ? tree_find(t, path) : TREE_ROOT;

	return i == TREE_NONE ? &none : &t->inodes[i];
}

static void test_attributes(void)
{
	static const struct layer_xattr lower = {"user.a", "1", 1}, upper = {"user.b", "22", 2};
	struct layer_index a = {0}, b = {0};
	uint64_t seed[2] = {0};
	struct layer_xattr x;
	struct tree t;
	uint32_t offset;

	layer_index_add(
		&a, &(struct layer_entry){ENTRY_DIRECTORY, "d", NULL, 0700, 1, 2, 3, 0, &lower, 1},
		NULL);
	layer_index_add(
		&a, &(struct layer_entry){ENTRY_FILE, "d/f", NULL, 04755, 1, 2, 3, 9, &lower, 1},
		NULL);
	layer_index_add(&a, &(struct layer_entry){ENTRY_FILE, "i/m/f", NULL, 0600, 1, 2, 3, 9},
			NULL);
	layer_index_add(
		&b, &(struct layer_entry){ENTRY_DIRECTORY, "d", NULL, 01777, 4, 5, 6, 0, &upper, 1},
		NULL);
	layer_index_add(&b, &(struct layer_entry){ENTRY_HARDLINK, "h", "d/f", 0644, 7, 8, 9}, NULL);
	layer_index_add(&b, &(struct layer_entry){ENTRY_DIRECTORY, "", NULL, 0711, 10, 11, 12},
			NULL);
	ok(!tree_init(&t, seed, NULL) && !tree_apply(&t, &a, NULL), "the lower layer");
	is_int(inode_at(&t, "")->mode, 0755, "a root nobody describes is 0755");
	ok(inode_at(&t, "i/m")->mode == 0755 && !inode_at(&t, "i/m")->uid &&
		   !inode_at(&t, "i")->mtime_s,
	   "implied parents are root's, 0755, of 1970");
	ok(inode_at(&t, "d/f")->mode == 04755 && inode_at(&t, "d/f")->gid == 2,
	   "mode bits and ids are kept");
	ok(!tree_apply(&t, &b, NULL), "the upper layer");
	ok(inode_at(&t, "d")->mode == 01777 && inode_at(&t, "d")->uid == 4 &&
		   inode_at(&t, "d")->mtime_s == 6,
	   "a directory over a directory: attributes of the upper");
	offset = inode_at(&t, "d")->xattrs;
	ok(layer_index_next_xattr(t.layers[inode_at(&t, "d")->xattr_layer], &offset, &x) &&
		   str_eq(x.name, "user.b") && x.len == 2 && !memcmp(x.value, "22", 2),
	   "extended attributes are replaced");
	ok(!layer_index_next_xattr(t.layers[1], &offset, &x), "not merged");
	ok(inode_at(&t, "d/f")->mode == 0644 && inode_at(&t, "d/f")->uid == 7 &&
		   inode_at(&t, "h")->mtime_s == 9,
	   "a hard link's attributes are the inode's");
	offset = inode_at(&t, "h")->xattrs;
	ok(layer_index_next_xattr(t.layers[inode_at(&t, "h")->xattr_layer], &offset, &x) &&
		   str_eq(x.name, "user.a"),
	   "without extended ones it leaves those of the inode");
	ok(inode_at(&t, "")->mode == 0711 && inode_at(&t, "")->gid == 11, "the root's own entry");
	tree_set_owner(&t, 0, 0);
	ok(!inode_at(&t, "d")->uid && !inode_at(&t, "h")->gid, "all to root");
	tree_free(&t);
	layer_index_free(&a);
	layer_index_free(&b);
}

static void test_data_map(void)
{
	struct stack s;
	uint32_t *map[3] = {0};

	is_int(merge(&s, "f a 1;f b 2;f c 4;d d|f b 8;f .wh.c 0|h e a;f .wh.a 0;f g 16;f g 32"), 0,
	       "three layers");
	for (uint32_t i = 0; i < 3; i++)
		tree_data_map(&s.tree, i, &map[i], NULL);
	ok(map[0][0] == tree_find(&s.tree, "e") && map[0][0] != TREE_NONE,
	   "a hidden name's data is wanted for the link");
	ok(map[0][1] == TREE_NONE && map[0][2] == TREE_NONE && map[0][3] == TREE_NONE,
	   "what is replaced, removed or no file is not");
	ok(map[1][0] == tree_find(&s.tree, "b") && map[1][1] == TREE_NONE, "the upper file's is");
	ok(map[2][2] == TREE_NONE && map[2][3] == tree_find(&s.tree, "g"), "of two, the last's");
	is_int(tree_total_bytes(&s.tree), 1 + 8 + 32, "sum of what is visible");
	for (uint32_t i = 0; i < 3; i++)
		free(map[i]);
	free_stack(&s);
}

/* Hostile shapes; a quadratic step among these shows as a timeout. */
static void test_scale(void)
{
	struct layer_index a = {0}, b = {0}, c = {0};
	uint64_t seed[2] = {3, 4};
	char path[LAYER_PATH_MAX];
	struct err e = ERR_INIT;
	struct tree t;
	int r = 0;

	for (unsigned i = 0; i < 200000; i++) {
		snprintf(path, sizeof(path), "d/%u", i);
		layer_index_add(&a, &(struct layer_entry){ENTRY_FILE, path}, NULL);
		snprintf(path, sizeof(path), i % 2 ? "d/.wh..wh..opq" : "d/.wh.%u", i);
		layer_index_add(&b, &(struct layer_entry){ENTRY_FILE, path}, NULL);
		snprintf(path, sizeof(path), "d/l%u", i);
		layer_index_add(&c, &(struct layer_entry){ENTRY_HARDLINK, path, "d/target"}, NULL);
	}
	layer_index_add(&c, &(struct layer_entry){ENTRY_FILE, "d/target"}, NULL);
	tree_init(&t, seed, NULL);
	r = tree_apply(&t, &a, &e) | tree_apply(&t, &b, &e) | tree_apply(&t, &a, &e) |
	    tree_apply(&t, &b, &e) | tree_apply(&t, &c, &e);
	is_int(r, 0, "opaque and link storms: %s", e.msg);
	is_int(inode_at(&t, "d/l199999")->nlink, 200001, "all links are one inode");
	ok(tree_find(&t, "d/0") == TREE_NONE, "all files are gone");
	tree_free(&t);
	layer_index_free(&a);
	layer_index_free(&b);
	layer_index_free(&c);
}

static void test_depth(void)
{
	_strbuf_ struct strbuf path = STRBUF_INIT;
	struct layer_index a = {0}, b = {0}, c = {0};
	uint64_t seed[2] = {0};
	struct err e = ERR_INIT;
	struct tree t;

	for (unsigned i = 0; i < LAYER_DEPTH_MAX; i++)
		strbuf_addf(&path, "%sd", i ? "/" : "");
	layer_index_add(&a, &(struct layer_entry){ENTRY_DIRECTORY, path.data, .mode = 0700}, NULL);
	layer_index_add(&a, &(struct layer_entry){ENTRY_SYMLINK, "deep", path.data}, NULL);
	layer_index_add(&b, &(struct layer_entry){ENTRY_FILE, "deep/.wh..wh..opq"}, NULL);
	layer_index_add(&b, &(struct layer_entry){ENTRY_FILE, ".wh.d"}, NULL);
	layer_index_add(&c, &(struct layer_entry){ENTRY_FILE, "deep/x/y"}, NULL);
	tree_init(&t, seed, NULL);
	is_int(tree_apply(&t, &a, &e), 0, "1024 levels: %s", e.msg);
	is_int(tree_apply(&t, &c, &e), -EBADMSG, "no deeper through a symlink: %s", e.msg);
	tree_free(&t);
	tree_init(&t, seed, NULL);
	ok(!tree_apply(&t, &a, &e) && !tree_apply(&t, &b, &e) && tree_find(&t, "d") == TREE_NONE,
	   "and away with them");
	tree_free(&t);
	layer_index_free(&a);
	layer_index_free(&b);
	layer_index_free(&c);
}

/* Symlinks that make every path thousands of steps long are stopped, not walked. */
static void test_budget(void)
{
	char target[LAYER_LINK_MAX + 1] = "", path[32];
	struct layer_index a = {0};
	uint64_t seed[2] = {0};
	struct err e = ERR_INIT;
	struct tree t;

	for (size_t i = 0; i + 2 < sizeof(target); i += 2)
		memcpy(target + i, "./", 3);
	for (int i = 0; i < 39; i++) {
		snprintf(path, sizeof(path), "l%d", i);
		snprintf(target + 4000, 16, "/l%d", i + 1);
		layer_index_add(&a, &(struct layer_entry){ENTRY_SYMLINK, path, target}, NULL);
	}
	for (int i = 0; i < 20000; i++) {
		snprintf(path, sizeof(path), "l%d/f%d", i % 2, i);
		layer_index_add(&a, &(struct layer_entry){ENTRY_FILE, path}, NULL);
	}
	tree_init(&t, seed, NULL);
	is_int(tree_apply(&t, &a, &e), -ELOOP, "%s", e.msg);
	tree_free(&t);
	layer_index_free(&a);
}

int main(void)
{
	for (size_t i = 0; i < sizeof(merge_cases) / sizeof(merge_cases[0]); i++)
		test_case(&merge_cases[i]);
	test_attributes();
	test_data_map();
	test_scale();
	test_depth();
	test_budget();
	return done_testing();
}
