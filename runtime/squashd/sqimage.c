/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/squashd/sqimage.h"

/* The library's config.h is that of its own build and redefines feature macros: keep it out. */
#define SQFS_CONFIG_H
#define HAVE_LINUX_TYPES_LE16 1
#include <squashfuse/squashfuse.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/str.h"
#include "runtime/squashd/sqsuper.h"

/*
 * The library keeps 8 metadata blocks, 1 data block and 3 fragments, found by linear search. A
 * start of an interpreter touches hundreds of small files in a few fragments, so more are kept;
 * BYTES is for fragments of any size.
 */
#define MD_BLOCKS 64
#define DATA_BLOCKS 4
#define FRAGMENT_BYTES (8u << 20)
#define XATTR_SETS_MAX (1u << 20) /* more than this are not looked through */

struct sqimage {
	sqfs fs;
	uint64_t bytes;
};

_Static_assert(sizeof(sqfs_inode) <= sizeof(((struct sqnode *)0)->inode), "sqnode.inode");
_Static_assert(sizeof(sqfs_dir) <= sizeof(((struct sqdir *)0)->state), "sqdir.state");
_Static_assert(sizeof(sqfs_xattr) <= sizeof(((struct sqxattr *)0)->state), "sqxattr.state");

static sqfs_inode *inode_of(const struct sqnode *n)
{
	return (sqfs_inode *)(void *)n->inode; /* the library takes no const */
}

static const char *init_fault(sqfs_err r)
{
	switch (r) {
	case SQFS_BADFORMAT:
		return "not a squashfs image";
	case SQFS_BADVERSION:
		return "squashfs of a version that is not supported";
	case SQFS_BADCOMP:
		return "compression is not supported";
	default:
		return "damaged squashfs image";
	}
}

/*
 * Where a table's metadata blocks lie. Position 0 above all: the library's caches take it for an
 * empty slot, and give a block that is not there.
 */
static bool blocks_are_sane(const sqfs *fs, const sqfs_table *t, uint64_t n)
{
	uint64_t blocks = (n * t->each + SQUASHFS_METADATA_SIZE - 1) / SQUASHFS_METADATA_SIZE;

	for (uint64_t i = 0; i < blocks; i++) {
		if (t->blocks[i] < SQSUPER_BYTES || t->blocks[i] >= fs->sb.bytes_used)
			return false;
	}
	return true;
}

static bool tables_are_sane(const sqfs *fs)
{
	const struct squashfs_xattr_id_table *x = &fs->xattr_info;

	if (!blocks_are_sane(fs, &fs->id_table, fs->sb.no_ids) ||
	    !blocks_are_sane(fs, &fs->frag_table, fs->sb.fragments))
		return false;
	if (fs->sb.xattr_id_table_start == UINT64_MAX)
		return true;
	return x->xattr_table_start >= SQSUPER_BYTES && x->xattr_table_start < fs->sb.bytes_used &&
	       blocks_are_sane(fs, &fs->xattr_table, x->xattr_ids);
}

static int replace_cache(sqfs_cache *cache, size_t count)
{
	sqfs_cache_destroy(cache);
	return sqfs_block_cache_init(cache, count) == SQFS_OK ? 0 : -ENOMEM;
}

static int size_caches(sqfs *fs)
{
	size_t fragments = FRAGMENT_BYTES / fs->sb.block_size;

	if (replace_cache(&fs->md_cache, MD_BLOCKS) < 0 ||
	    replace_cache(&fs->data_cache, DATA_BLOCKS) < 0 ||
	    replace_cache(&fs->frag_cache, fragments < 64 ? fragments : 64) < 0)
		return -ENOMEM;
	return 0;
}

int sqimage_open(int fd, struct sqimage **ret, struct err *e)
{
	struct sqimage *img = calloc(1, sizeof(*img));
	unsigned char super[SQSUPER_BYTES];
	bool is_init = false;
	const char *fault;
	off_t bytes;
	sqfs_err r;

	if (!img)
		return err_set(e, ENOMEM, "out of memory");
	/* Not fstat(): glibc makes it of a call that takes a path, which is not allowed here. */
	bytes = lseek(fd, 0, SEEK_END);
	if (bytes < 0) {
		free(img);
		return err_sys(e, "size of image");
	}
	/* The super block is judged before the library believes it. */
	if (pread(fd, super, sizeof(super), 0) == (ssize_t)sizeof(super))
		fault = sqsuper_fault(super, (uint64_t)bytes);
	else
		fault = "not a squashfs image";
	if (!fault) {
		r = sqfs_init(&img->fs, fd, 0);
		is_init = r == SQFS_OK;
		if (!is_init)
			fault = init_fault(r);
		else if (!tables_are_sane(&img->fs))
			fault = "damaged squashfs image";
		else if (size_caches(&img->fs) < 0)
			fault = "out of memory";
	}
	if (fault) {
		if (is_init)
			sqfs_destroy(&img->fs);
		free(img);
		return err_set(e, EINVAL, "%s", fault);
	}
	img->bytes = img->fs.sb.bytes_used;
	*ret = img;
	return 0;
}

void sqimage_close(struct sqimage *img)
{
	if (!img)
		return;
	sqfs_destroy(&img->fs);
	free(img);
}

void sqimage_stat(const struct sqimage *img, struct sqstat *ret)
{
	ret->inodes = img->fs.sb.inodes;
	ret->bytes = img->bytes;
	ret->block_bytes = img->fs.sb.block_size;
}

uint64_t sqimage_root(const struct sqimage *img)
{
	return sqfs_inode_root((sqfs *)&img->fs);
}

/* Indexes into tables the library would follow blindly. */
static bool inode_is_sane(const sqfs *fs, const sqfs_inode *i)
{
	if (i->base.uid >= fs->sb.no_ids || i->base.guid >= fs->sb.no_ids)
		return false;
	if (S_ISREG(i->base.mode) && i->xtra.reg.frag_idx != SQUASHFS_INVALID_FRAG &&
	    (i->xtra.reg.frag_idx >= fs->sb.fragments || i->xtra.reg.frag_off >= fs->sb.block_size))
		return false;
	if (S_ISREG(i->base.mode) && i->xtra.reg.file_size > INT64_MAX)
		return false;
	if (S_ISLNK(i->base.mode) && (!i->xtra.symlink_size || i->xtra.symlink_size > SQLINK_MAX))
		return false;
	return true;
}

int sqimage_node(struct sqimage *img, uint64_t id, struct sqnode *ret)
{
	sqfs_inode *i = inode_of(ret);
	sqfs_id_t uid, gid;

	if (sqfs_inode_get(&img->fs, i, id) != SQFS_OK || !inode_is_sane(&img->fs, i) ||
	    sqfs_id_get(&img->fs, i->base.uid, &uid) != SQFS_OK ||
	    sqfs_id_get(&img->fs, i->base.guid, &gid) != SQFS_OK)
		return -EIO;
	ret->id = id;
	ret->ino = i->base.inode_number;
	ret->mode = i->base.mode;
	ret->uid = uid;
	ret->gid = gid;
	ret->nlink = i->nlink > 0 ? (uint32_t)i->nlink : 1;
	ret->mtime = i->base.mtime;
	ret->rdev = 0;
	ret->size = 0;
	if (S_ISREG(ret->mode))
		ret->size = i->xtra.reg.file_size;
	else if (S_ISLNK(ret->mode))
		ret->size = i->xtra.symlink_size;
	else if (S_ISDIR(ret->mode))
		ret->size = i->xtra.dir.dir_size;
	else if (S_ISBLK(ret->mode) || S_ISCHR(ret->mode))
		ret->rdev = makedev((unsigned)i->xtra.dev.major, (unsigned)i->xtra.dev.minor);
	ret->has_xattrs = i->xattr != SQUASHFS_INVALID_XATTR &&
			  img->fs.sb.xattr_id_table_start != UINT64_MAX &&
			  i->xattr < img->fs.xattr_info.xattr_ids;
	return 0;
}

static bool name_is_sane(const char *name, size_t len)
{
	return len && len <= SQNAME_MAX && strlen(name) == len && !memchr(name, '/', len) &&
	       !str_is_dots(name);
}

int sqimage_lookup(struct sqimage *img, const struct sqnode *dir, const char *name,
		   uint64_t *ret_id)
{
	size_t len = strlen(name);
	sqfs_dir_entry entry;
	sqfs_name buf;
	bool found;

	if (!S_ISDIR(dir->mode))
		return -ENOTDIR;
	if (len > SQNAME_MAX)
		return -ENAMETOOLONG;
	sqfs_dentry_init(&entry, buf);
	if (sqfs_dir_lookup(&img->fs, inode_of(dir), name, len, &entry, &found) != SQFS_OK)
		return -EIO;
	if (!found)
		return 0;
	*ret_id = sqfs_dentry_inode(&entry);
	return 1;
}

int sqdir_open(struct sqimage *img, const struct sqnode *dir, uint64_t offset, struct sqdir *ret)
{
	if (!S_ISDIR(dir->mode))
		return -ENOTDIR;
	if (offset > INT32_MAX)
		return -EINVAL;
	ret->image = img;
	if (sqfs_dir_open(&img->fs, inode_of(dir), (sqfs_dir *)(void *)ret->state, (off_t)offset) !=
	    SQFS_OK)
		return -EIO;
	return 0;
}

int sqdir_next(struct sqdir *d, struct sqentry *ret)
{
	sqfs_err err = SQFS_OK;
	sqfs_dir_entry entry;

	_Static_assert(sizeof(sqfs_name) <= sizeof(ret->name), "room for a name of the library");
	sqfs_dentry_init(&entry, ret->name);
	if (!sqfs_dir_next(&d->image->fs, (sqfs_dir *)(void *)d->state, &entry, &err))
		return err == SQFS_OK ? 0 : -EIO;
	ret->name_len = sqfs_dentry_name_size(&entry);
	if (ret->name_len >= sizeof(ret->name))
		return -EIO;
	ret->name[ret->name_len] = 0; /* the library does not, whatever its header says */
	if (!name_is_sane(ret->name, ret->name_len))
		return -EIO;
	ret->id = sqfs_dentry_inode(&entry);
	ret->ino = sqfs_dentry_inode_num(&entry);
	ret->type = sqfs_dentry_mode(&entry) & S_IFMT;
	ret->next = (uint64_t)sqfs_dentry_next_offset(&entry);
	return 1;
}

/* One piece of a file: bytes of a decompressed block, or a hole (data NULL). */
struct piece {
	const char *data;
	size_t len;
};

/* The tail of a file in a block it shares with others; where in it, the image says. */
static int fragment_piece(sqfs *fs, sqfs_inode *i, size_t want, struct piece *ret)
{
	size_t offset, size;
	sqfs_block *block = NULL;

	if (i->xtra.reg.frag_idx == SQUASHFS_INVALID_FRAG ||
	    sqfs_frag_block(fs, i, &offset, &size, &block) != SQFS_OK || !block)
		return -EIO;
	if (offset > block->size || want > block->size - offset)
		return -EIO;
	*ret = (struct piece){.data = (const char *)block->data + offset, .len = want};
	return 0;
}

static int block_piece(sqfs *fs, const sqfs_blocklist *bl, size_t want, struct piece *ret)
{
	sqfs_block *block = NULL;

	*ret = (struct piece){.len = want};
	if (!bl->input_size)
		return 0;
	if (sqfs_data_cache(fs, &fs->data_cache, (sqfs_off_t)bl->block, bl->header, &block) !=
		    SQFS_OK ||
	    !block || want > block->size)
		return -EIO;
	ret->data = block->data;
	return 0;
}

/*
 * The library's own sqfs_read_range() trusts the image that blocks are as long as the file needs
 * them and reads past their end otherwise; so the walk over the blocks is done here.
 */
ssize_t sqimage_read(struct sqimage *img, const struct sqnode *file, uint64_t offset, void *buf,
		     size_t len)
{
	sqfs_inode *i = inode_of(file);
	uint64_t block_size = img->fs.sb.block_size, at;
	sqfs_blocklist bl;
	size_t done = 0;

	if (!S_ISREG(file->mode))
		return S_ISDIR(file->mode) ? -EISDIR : -EINVAL;
	if (offset >= file->size)
		return 0;
	if (len > file->size - offset)
		len = (size_t)(file->size - offset);
	if (sqfs_blockidx_blocklist(&img->fs, i, &bl, (sqfs_off_t)offset) != SQFS_OK)
		return -EIO;
	for (at = offset; done < len; at = offset + done) {
		uint64_t start = at - at % block_size, skip = at - start, left = file->size - start;
		size_t want = (size_t)(left < block_size ? left : block_size), take;
		struct piece piece;
		int r;

		if (bl.remain) {
			if (sqfs_blocklist_next(&bl) != SQFS_OK)
				return -EIO;
			if (bl.pos < start)
				continue;
			r = bl.pos == start ? block_piece(&img->fs, &bl, want, &piece) : -EIO;
		} else {
			r = fragment_piece(&img->fs, i, want, &piece);
		}
		if (r < 0)
			return r;
		take = want - (size_t)skip < len - done ? want - (size_t)skip : len - done;
		if (piece.data)
			memcpy((char *)buf + done, piece.data + skip, take);
		else
			memset((char *)buf + done, 0, take);
		done += take;
	}
	return (ssize_t)done;
}

ssize_t sqimage_readlink(struct sqimage *img, const struct sqnode *link, char *buf)
{
	size_t size = SQLINK_MAX + 1;

	if (!S_ISLNK(link->mode))
		return -EINVAL;
	if (sqfs_readlink(&img->fs, inode_of(link), buf, &size) != SQFS_OK)
		return -EIO;
	return (ssize_t)strlen(buf);
}

int sqxattr_open(struct sqimage *img, const struct sqnode *node, struct sqxattr *ret)
{
	sqfs_xattr *x = (sqfs_xattr *)(void *)ret->state;

	ret->image = img;
	if (!node->has_xattrs) {
		memset(x, 0, sizeof(*x));
		return 0;
	}
	return sqfs_xattr_open(&img->fs, inode_of(node), x) == SQFS_OK ? 0 : -EIO;
}

int sqxattr_next(struct sqxattr *sx, char name[SQXATTR_NAME_MAX + 1])
{
	sqfs_xattr *x = (sqfs_xattr *)(void *)sx->state;

	while (x->remain > 0) {
		size_t len;

		if (sqfs_xattr_read(x) != SQFS_OK)
			return -EIO;
		/* trusted. and security. are mixed up by this library; neither is ours to give. */
		if ((x->type & SQUASHFS_XATTR_PREFIX_MASK) != SQUASHFS_XATTR_USER)
			continue;
		len = sqfs_xattr_name_size(x);
		if (len > SQXATTR_NAME_MAX || sqfs_xattr_name(x, name, true) != SQFS_OK)
			return -EIO;
		name[len] = 0;
		if (strlen(name) != len)
			return -EIO;
		if (str_has_prefix(name, "user.") && !str_has_prefix(name, "user.overlay."))
			return 1;
	}
	return 0;
}

ssize_t sqxattr_value(struct sqxattr *sx, void *buf)
{
	sqfs_xattr *x = (sqfs_xattr *)(void *)sx->state;
	size_t size;

	if (sqfs_xattr_value_size(x, &size) != SQFS_OK)
		return -EIO;
	if (size > SQXATTR_VALUE_MAX)
		return -E2BIG;
	if (sqfs_xattr_value(x, buf) != SQFS_OK)
		return -EIO;
	return (ssize_t)size;
}

/* Goes through the table of attribute sets, not through the inodes: it is short and shared. */
bool sqimage_has_user_xattrs(struct sqimage *img)
{
	struct sqnode probe = {.has_xattrs = true};
	char name[SQXATTR_NAME_MAX + 1];
	uint32_t n;

	if (img->fs.sb.xattr_id_table_start == UINT64_MAX)
		return false;
	n = img->fs.xattr_info.xattr_ids;
	if (n > XATTR_SETS_MAX)
		return true;
	for (uint32_t i = 0; i < n; i++) {
		struct sqxattr x;

		inode_of(&probe)->xattr = i;
		/* A damaged set says nothing of the others; reading it later is an error there. */
		if (sqxattr_open(img, &probe, &x) >= 0 && sqxattr_next(&x, name) > 0)
			return true;
	}
	return false;
}
