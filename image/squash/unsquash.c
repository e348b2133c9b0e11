/* SPDX-License-Identifier: Apache-2.0 */
#include "image/squash/unsquash.h"

#include <sqfs/compressor.h>
#include <sqfs/data_reader.h>
#include <sqfs/dir_reader.h>
#include <sqfs/error.h>
#include <sqfs/id_table.h>
#include <sqfs/inode.h>
#include <sqfs/io.h>
#include <sqfs/super.h>
#include <sqfs/xattr.h>
#include <sqfs/xattr_reader.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "image/layer/uppers.h"
#include "image/pack/tar_out.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"

#define CHUNK (256u << 10)
#define XATTRS_MAX 1024u /* of one file */
#define OUR_DIRECTORY ".csbx"

struct unsquash {
	sqfs_file_t *file;
	sqfs_super_t super;
	sqfs_compressor_t *cmp;
	sqfs_id_table_t *ids;
	sqfs_dir_reader_t *dirs;
	sqfs_data_reader_t *data;
	sqfs_xattr_reader_t *xattrs;
	sqfs_tree_node_t *root;
	char **first; /* by inode number: the path it had first, where it has several */
	char *buf;
	bool as_layer; /* whiteouts tell the names that the file hides */
	struct tar_out out;
};

static int failed(int code, const char *what, struct err *e)
{
	return code == SQFS_ERROR_ALLOC
		       ? err_oom(e)
		       : err_set(e, EBADMSG, "image file: %s: cannot be read (%d)", what, code);
}

static int open_tables(struct unsquash *u, struct err *e)
{
	sqfs_compressor_config_t config;
	int r;

	sqfs_compressor_config_init(&config, u->super.compression_id, u->super.block_size,
				    SQFS_COMP_FLAG_UNCOMPRESS);
	r = sqfs_compressor_create(&config, &u->cmp);
	if (r)
		return failed(r, "compressor", e);
	u->ids = sqfs_id_table_create(0);
	r = u->ids ? sqfs_id_table_read(u->ids, u->file, &u->super, u->cmp) : SQFS_ERROR_ALLOC;
	if (r)
		return failed(r, "owners", e);
	u->xattrs = sqfs_xattr_reader_create(0);
	r = u->xattrs ? sqfs_xattr_reader_load(u->xattrs, &u->super, u->file, u->cmp)
		      : SQFS_ERROR_ALLOC;
	if (r)
		return failed(r, "attributes", e);
	u->data = sqfs_data_reader_create(u->file, u->super.block_size, u->cmp, 0);
	r = u->data ? sqfs_data_reader_load_fragment_table(u->data, &u->super) : SQFS_ERROR_ALLOC;
	if (r)
		return failed(r, "data", e);
	u->dirs = sqfs_dir_reader_create(&u->super, u->cmp, u->file, 0);
	r = u->dirs ? sqfs_dir_reader_get_full_hierarchy(u->dirs, u->ids, NULL, 0, &u->root)
		    : SQFS_ERROR_ALLOC;
	return r ? failed(r, "names", e) : 0;
}

static int open_image(struct unsquash *u, int fd, struct err *e)
{
	char path[32];
	int r;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	u->file = sqfs_open_file(path, SQFS_FILE_OPEN_READ_ONLY);
	if (!u->file)
		return err_sys(e, "image file");
	r = sqfs_super_read(&u->super, u->file);
	if (r)
		return failed(r, "super block", e);
	u->first = calloc((size_t)u->super.inode_count + 1, sizeof(*u->first));
	u->buf = malloc(CHUNK);
	if (!u->first || !u->buf)
		return err_oom(e);
	return open_tables(u, e);
}

static void close_image(struct unsquash *u)
{
	if (u->root)
		sqfs_dir_tree_destroy(u->root);
	sqfs_destroy(u->dirs);
	sqfs_destroy(u->data);
	sqfs_destroy(u->xattrs);
	sqfs_destroy(u->ids);
	sqfs_destroy(u->cmp);
	sqfs_destroy(u->file);
	for (size_t i = 0; u->first && i <= u->super.inode_count; i++)
		free(u->first[i]);
	free(u->first);
	free(u->buf);
}

/* --- entries ------------------------------------------------------------------------------ */

struct xattr {
	sqfs_xattr_entry_t *key;
	sqfs_xattr_value_t *value;
};

static int compare_keys(const void *a, const void *b)
{
	const struct xattr *x = a, *y = b;

	return strcmp((const char *)x->key->key, (const char *)y->key->key);
}

static int read_xattrs(struct unsquash *u, struct xattr *list, sqfs_u32 n)
{
	int r = 0;

	for (sqfs_u32 i = 0; !r && i < n; i++) {
		r = sqfs_xattr_reader_read_key(u->xattrs, &list[i].key);
		if (!r)
			r = sqfs_xattr_reader_read_value(u->xattrs, list[i].key, &list[i].value);
	}
	return r;
}

static bool is_mark(const struct xattr *x)
{
	return str_eq((const char *)x->key->key, UPPERS_OPAQUE);
}

/* By name, as tree_pack() has them. */
static void pass_xattrs(struct unsquash *u, struct xattr *list, sqfs_u32 n, bool *ret_opaque)
{
	qsort(list, n, sizeof(*list), compare_keys);
	for (sqfs_u32 i = 0; i < n; i++) {
		if (u->as_layer && is_mark(&list[i]))
			*ret_opaque = true;
		else
			tar_out_xattr(&u->out, (const char *)list[i].key->key, list[i].value->value,
				      list[i].value->size);
	}
}

static int add_xattrs(struct unsquash *u, const sqfs_inode_generic_t *inode, bool *ret_opaque,
		      struct err *e)
{
	_free_ struct xattr *list = NULL;
	sqfs_xattr_id_t desc;
	sqfs_u32 index;
	int r = sqfs_inode_get_xattr_index(inode, &index);

	if (r || index == UINT32_MAX)
		return 0;
	r = sqfs_xattr_reader_get_desc(u->xattrs, index, &desc);
	if (!r)
		r = sqfs_xattr_reader_seek_kv(u->xattrs, &desc);
	if (r || desc.count > XATTRS_MAX)
		return failed(r, "attributes", e);
	list = calloc(desc.count + 1u, sizeof(*list));
	r = list ? read_xattrs(u, list, desc.count) : SQFS_ERROR_ALLOC;
	if (!r)
		pass_xattrs(u, list, desc.count, ret_opaque);
	for (sqfs_u32 i = 0; list && i < desc.count; i++) {
		sqfs_free(list[i].key);
		sqfs_free(list[i].value);
	}
	return r ? failed(r, "attributes", e) : 0;
}

static int copy_data(struct unsquash *u, const sqfs_inode_generic_t *inode, uint64_t size_bytes,
		     struct err *e)
{
	for (uint64_t at = 0; at < size_bytes;) {
		size_t want = size_bytes - at < CHUNK ? (size_t)(size_bytes - at) : CHUNK;
		sqfs_s32 n = sqfs_data_reader_read(u->data, inode, at, u->buf, (sqfs_u32)want);
		int r;

		if (n <= 0)
			return failed(n, "content", e);
		r = tar_out_data(&u->out, u->buf, (size_t)n, e);
		if (r < 0)
			return r;
		at += (uint64_t)n;
	}
	return 0;
}

/* The path that an inode has already, or NULL: then this is the first. */
static const char *linked_to(struct unsquash *u, const sqfs_inode_generic_t *inode,
			     const char *path)
{
	uint32_t number = inode->base.inode_number;

	if (number > u->super.inode_count)
		return NULL;
	if (u->first[number])
		return u->first[number];
	u->first[number] = strdup(path);
	return NULL;
}

/*
 * A whiteout of the image specification (layer.md): an empty file beside, or in, what it is about.
 */
static int add_mark(struct unsquash *u, const char *dir, size_t dir_len, const char *name,
		    struct err *e)
{
	_free_ char *path = str_printf("%.*s%s", (int)dir_len, dir, name);
	const struct tar_header h = {.path = path, .mode = S_IFREG};

	return path ? tar_out_member(&u->out, &h, e) : err_oom(e);
}

static bool is_whiteout(const sqfs_inode_generic_t *inode)
{
	switch (inode->base.type) {
	case SQFS_INODE_CDEV:
		return !inode->data.dev.devno;
	case SQFS_INODE_EXT_CDEV:
		return !inode->data.dev_ext.devno;
	default:
		return false;
	}
}

static int add_whiteout(struct unsquash *u, const char *path, struct err *e)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	_free_ char *name = str_printf(".wh.%s", base);

	return name ? add_mark(u, path, (size_t)(base - path), name, e) : err_oom(e);
}

static int add_node(struct unsquash *u, const sqfs_tree_node_t *node, const char *path,
		    struct err *e)
{
	const sqfs_inode_generic_t *inode = node->inode;
	bool is_dir = S_ISDIR(inode->base.mode), is_file = S_ISREG(inode->base.mode);
	_free_ char *name = str_printf("%s%s", path, is_dir ? "/" : "");
	_free_ char *target = NULL;
	struct tar_header h = {
		.path = name,
		.mode = inode->base.mode,
		.uid = node->uid,
		.gid = node->gid,
		.mtime_s = inode->base.mod_time,
	};
	bool is_opaque = false;
	sqfs_u64 bytes = 0;
	int r;

	if (!name)
		return err_oom(e);
	if (u->as_layer && is_whiteout(inode))
		return add_whiteout(u, path, e);
	/* Devices and sockets: csbx imports none. */
	if (!is_dir && !is_file && !S_ISLNK(h.mode) && !S_ISFIFO(h.mode))
		return 0;
	h.hardlink = is_dir ? NULL : linked_to(u, inode, path);
	if (h.hardlink)
		return tar_out_member(&u->out, &h, e);
	if (S_ISLNK(h.mode)) {
		target = strndup((const char *)inode->extra, inode->data.slink.target_size);
		if (!target)
			return err_oom(e);
		h.symlink = target;
	}
	if (is_file)
		sqfs_inode_get_file_size(inode, &bytes);
	h.size_bytes = (int64_t)bytes;
	r = add_xattrs(u, inode, &is_opaque, e);
	if (r >= 0)
		r = tar_out_member(&u->out, &h, e);
	if (r >= 0 && is_opaque)
		r = add_mark(u, name, strlen(name), ".wh..wh..opq", e);
	return r < 0 || !is_file ? r : copy_data(u, inode, bytes, e);
}

static bool is_ours(const struct unsquash *u, const sqfs_tree_node_t *node)
{
	return node->parent == u->root && str_eq((const char *)node->name, OUR_DIRECTORY);
}

/* Parents before children; without recursion, for how deep it goes is the image's doing. */
static int walk(struct unsquash *u, struct err *e)
{
	const sqfs_tree_node_t *node = u->root->children;

	while (node) {
		bool skip = is_ours(u, node);
		char *path = NULL;
		int r = 0;

		if (!skip) {
			r = sqfs_tree_node_get_path(node, &path);
			if (r)
				return failed(r, "names", e);
			r = add_node(u, node, path + (*path == '/'), e);
			sqfs_free(path);
		}
		if (r < 0)
			return r;
		if (node->children && !skip) {
			node = node->children;
			continue;
		}
		while (node != u->root && !node->next)
			node = node->parent;
		node = node == u->root ? NULL : node->next;
	}
	return tar_out_end(&u->out, e);
}

static int unsquash(int image_fd, bool as_layer, int out_fd, struct err *e)
{
	struct unsquash u = {.as_layer = as_layer};
	int r;

	tar_out_init(&u.out, out_fd);
	r = open_image(&u, image_fd, e);

	if (r >= 0)
		r = walk(&u, e);
	close_image(&u);
	tar_out_free(&u.out);
	return r;
}

int unsquash_tar(int image_fd, int out_fd, struct err *e)
{
	return unsquash(image_fd, false, out_fd, e);
}

int unsquash_layer(int image_fd, int out_fd, struct err *e)
{
	return unsquash(image_fd, true, out_fd, e);
}
