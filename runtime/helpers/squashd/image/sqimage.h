/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_SQUASHD_SQIMAGE_H
#define CSBX_SQUASHD_SQIMAGE_H

/*
 * The room runtime/helpers/squashd/image. A squashfs file, read without trust.
 *
 * In: a descriptor with foreign bytes. Out: nodes, names, attributes, blocks, or damage.
 *
 *	sqimage.h, sqsuper.h	an open image and its head
 *	sqmeta.h, sqblock.h	metadata and blocks, cached
 *	squnpack.h, sqahead.h	decompression, now and ahead
 *	sqpath.h		from a path to a node
 *	originals.h		files that csbx has put aside
 *
 * Must: check each number before it is used; bound memory.
 * Mustn't: recurse, open anything, write.
 */

/*
 * Reads squashfs 4.0 images (kernel: Documentation/filesystems/squashfs.rst, squashfs_fs.h). The
 * image is foreign data: every offset, index, count and length in it is checked before it is
 * used, nothing recurses, and no amount of memory depends on it but its tables' own size. Errors
 * are -errno; -EIO is damage.
 *
 * Not thread-safe. Nodes are named by their inode reference (48 bits).
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "runtime/helpers/squashd/image/sqmeta.h"

struct err;
struct sqahead;
struct sqimage;

#define SQNAME_MAX 255
#define SQLINK_MAX 4095
#define SQXATTR_NAME_MAX 255
#define SQXATTR_VALUE_MAX 65536
#define SQNO_FRAGMENT UINT32_MAX
#define SQNO_XATTRS UINT32_MAX

struct sqnode {
	uint64_t id;
	uint32_t ino; /* inode number, shared by hard links */
	mode_t mode;
	uint32_t uid, gid, nlink;
	uint64_t size; /* of a directory: of its listing */
	int64_t mtime;
	dev_t rdev;
	uint32_t xattrs;      /* index of its attributes, or SQNO_XATTRS */
	struct sqcursor next; /* behind the inode: block list, link target or directory index */
	struct sqcursor dir;  /* the listing */
	uint32_t n_index;     /* of a directory */
	uint64_t start;       /* of a file: position of its first block */
	uint32_t fragment, fragment_offset;
};

struct sqdir {
	struct sqimage *image;
	struct sqcursor at;
	uint64_t offset, size; /* in the listing */
	uint32_t n_left;       /* entries of the current header */
	uint32_t block, ino;   /* of the current header */
};

struct sqentry {
	char name[SQNAME_MAX + 1];
	size_t name_len;
	uint64_t id;
	uint32_t ino;
	mode_t type;   /* S_IFMT bits */
	uint64_t next; /* offset of the following entry, for sqdir_open() */
};

struct sqxattr {
	struct sqimage *image;
	struct sqcursor at;
	uint64_t table;
	uint32_t n_left;
	bool is_elsewhere; /* the value, see the format's "out of line" */
	struct sqcursor value;
};

struct sqstat {
	uint64_t inodes, bytes;
	uint32_t block_bytes;
};

/*
 * fd stays the caller's and open. -EINVAL: not a squashfs image, or damaged; the text says which.
 */
int sqimage_open(int fd, struct sqimage **ret, struct err *e);
void sqimage_close(struct sqimage *img);
/*
 * It lies over another image in a stack: the mark of an opaque directory is one of its attributes.
 */
void sqimage_lies_above(struct sqimage *img);
/* From now on blocks are made ahead; it stays the caller's, and must outlive the image. */
void sqimage_set_ahead(struct sqimage *img, struct sqahead *ahead);
void sqimage_stat(const struct sqimage *img, struct sqstat *ret);

uint64_t sqimage_root(const struct sqimage *img);
int sqimage_node(struct sqimage *img, uint64_t id, struct sqnode *ret);

/* 1 and the id, 0 for no such name. */
int sqimage_lookup(struct sqimage *img, const struct sqnode *dir, const char *name,
		   uint64_t *ret_id);

/* From offset 0 or from a sqentry.next. No "." and ".."; names are checked. 1, 0 at the end. */
int sqdir_open(struct sqimage *img, const struct sqnode *dir, uint64_t offset, struct sqdir *ret);
int sqdir_next(struct sqdir *d, struct sqentry *ret);

ssize_t sqimage_read(struct sqimage *img, const struct sqnode *file, uint64_t offset, void *buf,
		     size_t len);
/* buf has room for SQLINK_MAX + 1; NUL-terminated. Returns the length. */
ssize_t sqimage_readlink(struct sqimage *img, const struct sqnode *link, char *buf);

/*
 * Extended attributes of a node: only user.* and never user.overlay.*, which would steer an overlay
 * on top, but for user.overlay.opaque of an image that lies above another. 1 and a name with NUL, 0
 * at the end. The value of the attribute just named is then read into buf (SQXATTR_VALUE_MAX);
 * returns its length.
 */
int sqxattr_open(struct sqimage *img, const struct sqnode *node, struct sqxattr *ret);
int sqxattr_next(struct sqxattr *x, char name[SQXATTR_NAME_MAX + 1]);
ssize_t sqxattr_value(struct sqxattr *x, void *buf);

/* True if any inode may carry an attribute that sqxattr_next() would give. */
bool sqimage_has_user_xattrs(struct sqimage *img);

#endif
