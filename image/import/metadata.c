/* SPDX-License-Identifier: Apache-2.0 */
#include "image/import/metadata.h"

#include <stdio.h>

#include "image/model/digest.h"
#include "image/model/source.h"
#include "image/squash/tree.h"
#include "runtime/base/err.h"

static int add_directory(struct metadata *m, const char *path, struct err *e)
{
	struct layer_entry entry = {.type = ENTRY_DIRECTORY, .path = path, .mode = 0755};

	return layer_index_add(&m->index, &entry, e);
}

static int add_file(struct metadata *m, const char *path, uint16_t mode,
		    const struct strbuf *content, struct err *e)
{
	struct layer_entry entry = {
		.type = ENTRY_FILE, .path = path, .mode = mode, .size_bytes = content->len};

	if (m->index.n >= sizeof(m->data) / sizeof(m->data[0]))
		return err_set(e, E2BIG, "too many files of our own");
	m->data[m->index.n] = content;
	return layer_index_add(&m->index, &entry, e);
}

static int add_whiteout(struct metadata *m, const char *path, struct err *e)
{
	struct layer_entry entry = {.type = ENTRY_FILE, .path = path};

	return layer_index_add(&m->index, &entry, e);
}

static int format_diff_ids(struct metadata *m, const struct image_source *src,
			   const struct layer_index *layers, struct err *e)
{
	char text[DIGEST_TEXT_MAX];

	strbuf_addch(&m->diff_ids, '[');
	for (size_t i = 0, n = 0; i < src->n_layers; i++) {
		/* A directory has none. */
		if (digest_is_set(&layers[i].result.diff_id))
			strbuf_addf(&m->diff_ids, "%s\"%s\"", n++ ? ", " : "",
				    digest_format(&layers[i].result.diff_id, text));
	}
	strbuf_addstr(&m->diff_ids, "]\n");
	return strbuf_check(&m->diff_ids, e);
}

static int add_config(struct metadata *m, const struct image_source *src,
		      const struct layer_index *layers, struct err *e)
{
	int r = format_diff_ids(m, src, layers, e);

	if (r == 0 && !src->is_our_image)
		r = add_whiteout(m, ".wh..csbx", e);
	if (r == 0)
		r = add_directory(m, ".csbx", e);
	if (r == 0)
		r = add_file(m, ".csbx/config.json", 0644, &src->config, e);
	if (r == 0)
		r = add_file(m, ".csbx/diff_ids.json", 0644, &m->diff_ids, e);
	return r;
}

/* A second name for what the image has at path, before ours takes the first one. */
static int keep_original(struct metadata *m, const struct tree_inode *i, const char *path,
			 struct err *e)
{
	char copy[64];
	struct layer_entry entry = {
		.type = ENTRY_HARDLINK,
		.path = copy,
		.link = path,
		.mode = i->mode,
		.uid = i->uid,
		.gid = i->gid,
		.mtime_s = i->mtime_s,
	};

	snprintf(copy, sizeof(copy), ".csbx/orig/%s", path);
	return layer_index_add(&m->index, &entry, e);
}

/*
 * There even if no original is: it says that enroot's files are not the image's own. No process may
 * lead it elsewhere by a symlink: an entry that is no directory makes room.
 */
static int add_orig_directories(struct metadata *m, struct err *e)
{
	int r = add_directory(m, ".csbx", e);

	if (r == 0)
		r = add_directory(m, ".csbx/orig", e);
	return r == 0 ? add_directory(m, ".csbx/orig/etc", e) : r;
}

/* The image has lost its own file of that name: an older original must not come back for it. */
static int drop_original(struct metadata *m, const char *path, struct err *e)
{
	char whiteout[64];

	snprintf(whiteout, sizeof(whiteout), ".csbx/orig/etc/.wh.%s", path + strlen("etc/"));
	return add_whiteout(m, whiteout, e);
}

struct enroot_layer {
	const struct image_source *src;
	struct tree *tree;
	bool keeps_originals;
};

static int add_enroot_file(struct metadata *m, const struct enroot_layer *l,
			   const struct enroot_file *f, bool is_ours, struct err *e)
{
	uint32_t ino = tree_find(l->tree, f->path);
	int r = 0;

	if (ino != TREE_NONE && !is_ours) {
		const struct tree_inode *i = &l->tree->inodes[ino];

		/* A directory stays: enroot has no use for such an image anyway. */
		if (!l->keeps_originals || i->type == ENTRY_DIRECTORY)
			return 0;
		r = keep_original(m, i, f->path, e);
		/* Without a config there is nothing to tell enroot that the file does not. */
		if (!l->src->config.len)
			return r;
	} else if (ino == TREE_NONE && l->src->is_our_image) {
		r = drop_original(m, f->path, e);
	}
	return r == 0 ? add_file(m, f->path, f->mode, f->content, e) : r;
}

static int add_enroot(struct metadata *m, const struct image_source *src, struct tree *t,
		      struct err *e)
{
	/* A tree with a /.csbx and no config is the unpacked form of another image: left alone. */
	struct enroot_layer l = {.src = src,
				 .tree = t,
				 .keeps_originals =
					 src->config.len || tree_find(t, ".csbx") == TREE_NONE};
	struct enroot_file files[ENROOT_FILES];
	int r = enroot_meta_build(src, &m->enroot, e);

	if (r == 0 && l.keeps_originals)
		r = add_orig_directories(m, e);
	enroot_meta_list(&m->enroot, files);
	for (unsigned i = 0; r == 0 && i < ENROOT_FILES; i++)
		r = add_enroot_file(m, &l, &files[i], src->our_enroot_files >> i & 1, e);
	return r;
}

int metadata_build(struct metadata *m, const struct image_source *src,
		   const struct layer_index *layers, struct tree *t, bool with_enroot,
		   struct err *e)
{
	int r = 0;

	if (src->config.len)
		r = add_config(m, src, layers, e);
	if (r == 0 && with_enroot)
		r = add_enroot(m, src, t, e);
	return r;
}

void metadata_free(struct metadata *m)
{
	layer_index_free(&m->index);
	strbuf_free(&m->diff_ids);
	enroot_meta_free(&m->enroot);
}
