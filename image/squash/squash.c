/* SPDX-License-Identifier: Apache-2.0 */
#include "image/squash/squash.h"

#include <fcntl.h>
#include <sqfs/block.h>
#include <sqfs/block_processor.h>
#include <sqfs/block_writer.h>
#include <sqfs/compressor.h>
#include <sqfs/dir_writer.h>
#include <sqfs/error.h>
#include <sqfs/frag_table.h>
#include <sqfs/id_table.h>
#include <sqfs/inode.h>
#include <sqfs/io.h>
#include <sqfs/meta_writer.h>
#include <sqfs/super.h>
#include <sqfs/xattr_writer.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image/squash/comp.h"
#include "image/squash/file.h"
#include "image/squash/start_files.h"
#include "image/squash/tree.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/str.h"

#define NO_XATTRS UINT32_MAX
#define DEVBLK_BYTES 4096u

struct squash {
	const struct tree *tree;
	struct squash_options options;
	int fd;
	sqfs_file_t *file; /* over fd */
	sqfs_super_t super;
	sqfs_compressor_t *cmp, *uncmp;
	sqfs_block_writer_t *blocks;
	sqfs_frag_table_t *frags;
	sqfs_block_processor_t *data;
	sqfs_id_table_t *ids;
	sqfs_xattr_writer_t *xattrs;
	sqfs_meta_writer_t *inodes, *dirs;
	sqfs_dir_writer_t *dir;
	sqfs_inode_generic_t *
		*nodes;   /* by tree inode until written; the library writes to the slots */
	uint32_t *number; /* by tree inode: squashfs inode number, 0 = none yet */
	uint32_t *order;  /* tree inode by squashfs number - 1 */
	uint64_t *refs;   /* by tree inode: where its squashfs inode lies */
	uint32_t n_numbered;
	bool *is_start_file; /* by tree inode */
	struct tree_list list;
};

static int fail(struct squash *s, int code, struct err *e)
{
	if (s->file && squash_file_errno(s->file)) {
		errno = squash_file_errno(s->file);
		return io_write_failed(s->fd, "write the image", e);
	}
	switch (code) {
	case SQFS_ERROR_ALLOC:
		return err_oom(e);
	case SQFS_ERROR_OVERFLOW:
		return err_set(e, EOVERFLOW,
			       "more than squashfs can hold (65535 different owners, say)");
	}
	return err_set(e, EIO, "libsquashfs: error %d", code);
}

static int write_super(struct squash *s, struct err *e)
{
	int r = sqfs_super_init(&s->super, SQUASH_BLOCK_BYTES, 0,
				(SQFS_COMPRESSOR)squash_comp_id(s->options.comp));

	if (r == 0)
		r = sqfs_super_write(&s->super, s->file);
	if (r == 0) {
		r = s->cmp->write_options(s->cmp, s->file);
		if (r > 0) {
			s->super.flags |= SQFS_FLAG_COMPRESSOR_OPTIONS;
			r = 0;
		}
	}
	if (s->options.comp == SQUASH_NONE)
		s->super.flags |= SQFS_FLAG_UNCOMPRESSED_INODES | SQFS_FLAG_UNCOMPRESSED_DATA |
				  SQFS_FLAG_UNCOMPRESSED_FRAGMENTS | SQFS_FLAG_UNCOMPRESSED_IDS |
				  SQFS_FLAG_UNCOMPRESSED_XATTRS;
	return r ? fail(s, r, e) : 0;
}

static int create_writers(struct squash *s, struct err *e)
{
	sqfs_block_processor_desc_t desc = {
		.size = sizeof(desc),
		.max_block_size = SQUASH_BLOCK_BYTES,
		.num_workers = s->options.threads,
		.max_backlog = 10 * s->options.threads,
		.cmp = s->cmp,
		.file = s->file,
		.uncmp = s->uncmp,
	};
	int r;

	s->blocks = desc.wr = sqfs_block_writer_create(s->file, DEVBLK_BYTES, 0);
	s->frags = desc.tbl = sqfs_frag_table_create(0);
	s->ids = sqfs_id_table_create(0);
	s->xattrs = sqfs_xattr_writer_create(0);
	s->inodes = sqfs_meta_writer_create(s->file, s->cmp, 0);
	s->dirs = sqfs_meta_writer_create(s->file, s->cmp, SQFS_META_WRITER_KEEP_IN_MEMORY);
	s->dir = s->dirs ? sqfs_dir_writer_create(s->dirs, 0) : NULL;
	s->nodes = calloc(s->tree->n_inodes, sizeof(*s->nodes));
	if (!s->blocks || !s->frags || !s->ids || !s->xattrs || !s->inodes || !s->dir || !s->nodes)
		return fail(s, SQFS_ERROR_ALLOC, e);
	r = sqfs_block_processor_create_ex(&desc, &s->data);
	return r ? fail(s, r, e) : 0;
}

int squash_open(struct squash **ret, int fd, const struct tree *t, const struct squash_options *o,
		struct err *e)
{
	_squash_ struct squash *s = calloc(1, sizeof(*s));
	int r;

	if (!s)
		return err_oom(e);
	s->tree = t;
	s->options = *o;
	s->fd = fd;
	s->file = squash_file_new(fd);
	if (!s->file)
		return err_oom(e);
	r = squash_comp_new(o->comp, o->level, false, &s->cmp, e);
	if (r == 0)
		r = squash_comp_new(o->comp, o->level, true, &s->uncmp, e);
	if (r == 0)
		r = write_super(s, e);
	if (r == 0)
		r = create_writers(s, e);
	if (r == 0)
		r = start_files_find(t, &s->is_start_file, e);
	if (r == 0)
		*ret = take_ptr(s);
	return r;
}

/* A big file's tail stays a block of its own: one read less for each of them. */
static sqfs_u32 block_flags(const struct squash *s, uint32_t inode)
{
	if (s->is_start_file[inode])
		return SQFS_BLK_DONT_FRAGMENT | SQFS_BLK_DONT_COMPRESS;
	return s->tree->inodes[inode].size_bytes > SQUASH_BLOCK_BYTES ? SQFS_BLK_DONT_FRAGMENT : 0;
}

int squash_begin_file(struct squash *s, uint32_t inode, struct err *e)
{
	int r;

	if (s->nodes[inode])
		return err_set(e, EINVAL, "a file's data came twice");
	r = sqfs_block_processor_begin_file(s->data, &s->nodes[inode], NULL, block_flags(s, inode));
	return r ? fail(s, r, e) : 0;
}

int squash_append(struct squash *s, const void *data, size_t len, struct err *e)
{
	int r = sqfs_block_processor_append(s->data, data, len);

	return r ? fail(s, r, e) : 0;
}

int squash_append_zeros(struct squash *s, uint64_t len, struct err *e)
{
	static const char zeros[64 << 10];
	int r = 0;

	while (r == 0 && len) {
		size_t n = len < sizeof(zeros) ? (size_t)len : sizeof(zeros);

		r = squash_append(s, zeros, n, e);
		len -= n;
	}
	return r;
}

int squash_end_file(struct squash *s, struct err *e)
{
	int r = sqfs_block_processor_end_file(s->data);

	return r ? fail(s, r, e) : 0;
}

static void assign_number(struct squash *s, uint32_t inode)
{
	if (s->number[inode])
		return;
	s->order[s->n_numbered++] = inode;
	s->number[inode] = s->n_numbered;
}

/* All directories, each before the ones below it. */
static int list_directories(struct squash *s, struct tree_list *all, struct err *e)
{
	struct tree_list stack = {0};
	uint32_t n_dirs = 0;
	int r = 0;

	for (uint32_t i = 0; i < s->tree->n_inodes; i++)
		n_dirs += s->tree->inodes[i].type == ENTRY_DIRECTORY;
	stack.dents = malloc(n_dirs * sizeof(uint32_t));
	all->dents = malloc(n_dirs * sizeof(uint32_t));
	if (!stack.dents || !all->dents)
		r = err_oom(e);
	else
		stack.dents[stack.n++] = TREE_ROOT;
	while (r == 0 && stack.n) {
		uint32_t dir = stack.dents[--stack.n];

		all->dents[all->n++] = dir;
		r = tree_children(s->tree, dir, &s->list, e);
		for (uint32_t i = 0; r == 0 && i < s->list.n; i++) {
			uint32_t child = s->tree->dents[s->list.dents[i]].inode;

			if (s->tree->inodes[child].type == ENTRY_DIRECTORY)
				stack.dents[stack.n++] = child;
		}
	}
	free(stack.dents);
	return r;
}

/*
 * Numbers run in post-order: the children of a directory get theirs together, after everything
 * below them, and the root comes last. So an inode is on disk before a directory names it, and
 * the numbers in one directory lie close together, as its format wants them.
 */
static int number_inodes(struct squash *s, struct err *e)
{
	struct tree_list all = {0};
	size_t n = s->tree->n_inodes;
	int r;

	s->number = calloc(n, sizeof(*s->number));
	s->order = calloc(n, sizeof(*s->order));
	s->refs = calloc(n, sizeof(*s->refs));
	if (!s->number || !s->order || !s->refs)
		return err_oom(e);
	r = list_directories(s, &all, e);
	while (r == 0 && all.n) {
		r = tree_children(s->tree, all.dents[--all.n], &s->list, e);
		for (uint32_t i = 0; r == 0 && i < s->list.n; i++)
			assign_number(s, s->tree->dents[s->list.dents[i]].inode);
	}
	free(all.dents);
	if (r == 0)
		assign_number(s, TREE_ROOT);
	return r;
}

static int write_xattrs(struct squash *s, const struct tree_inode *i, uint32_t *ret, struct err *e)
{
	uint32_t offset = i->xattrs;
	struct layer_xattr x;
	int r;

	*ret = NO_XATTRS;
	if (!offset)
		return 0;
	r = sqfs_xattr_writer_begin(s->xattrs, 0);
	while (r == 0 && layer_index_next_xattr(s->tree->layers[i->xattr_layer], &offset, &x))
		r = sqfs_xattr_writer_add(s->xattrs, x.name, x.value, x.len);
	if (r == 0)
		r = sqfs_xattr_writer_end(s->xattrs, ret);
	return r ? fail(s, r, e) : 0;
}

static uint16_t node_mode(const struct tree_inode *i)
{
	static const uint16_t types[] = {
		[ENTRY_FILE] = S_IFREG, [ENTRY_DIRECTORY] = S_IFDIR, [ENTRY_SYMLINK] = S_IFLNK,
		[ENTRY_FIFO] = S_IFIFO, [ENTRY_SOCKET] = S_IFSOCK,   [ENTRY_WHITEOUT] = S_IFCHR,
	};

	return types[i->type] | (i->type == ENTRY_SYMLINK ? 0777 : i->mode);
}

static int write_directory(struct squash *s, uint32_t inode, uint32_t xattrs, struct err *e)
{
	const struct tree *t = s->tree;
	uint32_t dent = t->inodes[inode].dent, n_dirs = 0, parent;
	char name[LAYER_NAME_MAX + 1];
	int r = tree_children(t, inode, &s->list, e);

	if (r < 0)
		return r;
	r = sqfs_dir_writer_begin(s->dir, 0);
	for (uint32_t i = 0; r == 0 && i < s->list.n; i++) {
		const struct tree_dent *d = &t->dents[s->list.dents[i]];

		memcpy(name, tree_name(t, d), d->name_len);
		name[d->name_len] = 0;
		r = sqfs_dir_writer_add_entry(s->dir, name, s->number[d->inode], s->refs[d->inode],
					      node_mode(&t->inodes[d->inode]));
		n_dirs += t->inodes[d->inode].type == ENTRY_DIRECTORY;
	}
	if (r == 0)
		r = sqfs_dir_writer_end(s->dir);
	if (r)
		return fail(s, r, e);
	parent = dent == TREE_NONE ? s->n_numbered + 1 : s->number[t->dents[dent].parent];
	s->nodes[inode] = sqfs_dir_writer_create_inode(s->dir, 0, xattrs, parent);
	if (!s->nodes[inode])
		return fail(s, SQFS_ERROR_ALLOC, e);
	/*
	 * The library counts every entry as a link; only directories below have one (their "..").
	 */
	if (s->nodes[inode]->base.type == SQFS_INODE_DIR)
		s->nodes[inode]->data.dir.nlink = 2 + n_dirs;
	else
		s->nodes[inode]->data.dir_ext.nlink = 2 + n_dirs;
	return 0;
}

static int make_special(struct squash *s, uint32_t inode, struct err *e)
{
	const struct tree_inode *i = &s->tree->inodes[inode];
	size_t len = i->type == ENTRY_SYMLINK ? strlen(tree_link(s->tree, i)) : 0;
	sqfs_inode_generic_t *node = calloc(1, sizeof(*node) + len);

	if (!node)
		return fail(s, SQFS_ERROR_ALLOC, e);
	if (i->type == ENTRY_SYMLINK) {
		node->base.type = SQFS_INODE_SLINK;
		node->data.slink.nlink = i->nlink;
		node->data.slink.target_size = (sqfs_u32)len;
		memcpy(node->extra, tree_link(s->tree, i), len);
	} else if (i->type == ENTRY_WHITEOUT) {
		/* Device 0:0, which overlayfs takes for one (kernel, overlayfs.rst). */
		node->base.type = SQFS_INODE_CDEV;
		node->data.dev.nlink = i->nlink;
	} else {
		node->base.type = i->type == ENTRY_FIFO ? SQFS_INODE_FIFO : SQFS_INODE_SOCKET;
		node->data.ipc.nlink = i->nlink;
	}
	s->nodes[inode] = node;
	return 0;
}

static int set_common(struct squash *s, uint32_t inode, struct err *e)
{
	const struct tree_inode *i = &s->tree->inodes[inode];
	sqfs_inode_t *base = &s->nodes[inode]->base;
	int r;

	base->mode = node_mode(i);
	base->mod_time = i->mtime_s;
	base->inode_number = s->number[inode];
	r = sqfs_id_table_id_to_index(s->ids, i->uid, &base->uid_idx);
	if (r == 0)
		r = sqfs_id_table_id_to_index(s->ids, i->gid, &base->gid_idx);
	return r ? fail(s, r, e) : 0;
}

static int write_inode(struct squash *s, uint32_t inode, struct err *e)
{
	const struct tree_inode *i = &s->tree->inodes[inode];
	uint32_t xattrs, offset;
	sqfs_u64 block;
	int r = write_xattrs(s, i, &xattrs, e);

	if (r == 0 && i->type == ENTRY_DIRECTORY)
		r = write_directory(s, inode, xattrs, e);
	else if (r == 0 && i->type != ENTRY_FILE)
		r = make_special(s, inode, e);
	else if (r == 0 && !s->nodes[inode])
		r = err_set(e, EINVAL, "a file's data did not come");
	if (r == 0)
		r = set_common(s, inode, e);
	if (r < 0)
		return r;
	if (i->type == ENTRY_FILE && i->nlink > 1) {
		r = sqfs_inode_make_extended(s->nodes[inode]);
		s->nodes[inode]->data.file_ext.nlink = i->nlink;
	}
	if (r == 0 && i->type != ENTRY_DIRECTORY && xattrs != NO_XATTRS)
		r = sqfs_inode_set_xattr_index(s->nodes[inode], xattrs);
	sqfs_meta_writer_get_position(s->inodes, &block, &offset);
	s->refs[inode] = block << 16 | offset;
	if (r == 0)
		r = sqfs_meta_writer_write_inode(s->inodes, s->nodes[inode]);
	sqfs_free(s->nodes[inode]);
	s->nodes[inode] = NULL;
	return r ? fail(s, r, e) : 0;
}

static int write_tables(struct squash *s, struct err *e)
{
	sqfs_file_t *f = s->file;
	uint64_t size;
	int r = sqfs_meta_writer_flush(s->inodes);

	if (r == 0)
		r = sqfs_meta_writer_flush(s->dirs);
	s->super.root_inode_ref = s->refs[TREE_ROOT];
	s->super.directory_table_start = f->get_size(f);
	if (r == 0)
		r = sqfs_meta_write_write_to_file(s->dirs);
	if (r == 0)
		r = sqfs_frag_table_write(s->frags, f, &s->super, s->cmp);
	if (r == 0)
		r = sqfs_id_table_write(s->ids, f, &s->super, s->cmp);
	if (r == 0)
		r = sqfs_xattr_writer_flush(s->xattrs, f, &s->super, s->cmp);
	s->super.inode_count = s->n_numbered;
	size = s->super.bytes_used = f->get_size(f);
	if (r == 0)
		r = sqfs_super_write(&s->super, f);
	if (r == 0 && size % DEVBLK_BYTES)
		r = f->truncate(f, size + DEVBLK_BYTES - size % DEVBLK_BYTES);
	return r ? fail(s, r, e) : 0;
}

int squash_finish(struct squash *s, uint64_t *ret_bytes_used, struct err *e)
{
	int r = sqfs_block_processor_finish(s->data);

	if (r)
		return fail(s, r, e);
	r = number_inodes(s, e);
	s->super.inode_table_start = s->file->get_size(s->file);
	for (uint32_t i = 0; r == 0 && i < s->n_numbered; i++)
		r = write_inode(s, s->order[i], e);
	if (r == 0)
		r = write_tables(s, e);
	*ret_bytes_used = s->super.bytes_used;
	return r;
}

void squash_close(struct squash **sp)
{
	struct squash *s = *sp;

	*sp = NULL;
	if (!s)
		return;
	sqfs_destroy(s->data); /* joins the workers, which use the ones below */
	sqfs_destroy(s->dir);
	sqfs_destroy(s->dirs);
	sqfs_destroy(s->inodes);
	sqfs_destroy(s->xattrs);
	sqfs_destroy(s->ids);
	sqfs_destroy(s->frags);
	sqfs_destroy(s->blocks);
	sqfs_destroy(s->cmp);
	sqfs_destroy(s->uncmp);
	sqfs_destroy(s->file);
	for (uint32_t i = 0; s->nodes && i < s->tree->n_inodes; i++)
		sqfs_free(s->nodes[i]);
	free(s->nodes);
	free(s->number);
	free(s->order);
	free(s->refs);
	free(s->is_start_file);
	free(s->list.dents);
	free(s);
}
