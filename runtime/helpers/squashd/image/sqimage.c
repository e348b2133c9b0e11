/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/helpers/squashd/image/sqimage.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "runtime/base/bundle.h"
#include "runtime/base/err.h"
#include "runtime/helpers/squashd/image/sqpriv.h"

#define INODE_HEAD_BYTES 16
#define INODE_BODY_MAX 40
#define DIR_SIZE_BIAS 3 /* a listing's size counts "." and ".." that are not there */

/* Inode types; the extended ones follow in the same order, 7 further on. */
enum { TYPE_DIR = 1, TYPE_FILE, TYPE_LINK, TYPE_BLOCK, TYPE_CHAR, TYPE_FIFO, TYPE_SOCKET };
#define TYPE_EXTENDED 7
#define TYPE_MAX (TYPE_SOCKET + TYPE_EXTENDED)

static const struct {
	mode_t mode;
	unsigned bytes, extended_bytes; /* behind the head */
} types[TYPE_SOCKET + 1] = {
	[TYPE_DIR] = {S_IFDIR, 16, 24},   [TYPE_FILE] = {S_IFREG, 16, 40},
	[TYPE_LINK] = {S_IFLNK, 8, 8},    [TYPE_BLOCK] = {S_IFBLK, 8, 12},
	[TYPE_CHAR] = {S_IFCHR, 8, 12},   [TYPE_FIFO] = {S_IFIFO, 4, 8},
	[TYPE_SOCKET] = {S_IFSOCK, 4, 8},
};

static uint32_t get32(const unsigned char *p)
{
	return (uint32_t)sqget(p, 4);
}

static int load_ids(struct sqimage *img)
{
	const struct sqsuper *super = &img->blocks.super;

	img->ids = calloc(super->ids, sizeof(*img->ids));
	if (!img->ids)
		return -ENOMEM;
	for (uint32_t i = 0; i < super->ids; i++) {
		unsigned char entry[4];
		int r = sqmeta_table_entry(&img->blocks, super->id_table, i, sizeof(entry), entry);

		if (r < 0)
			return r;
		img->ids[i] = get32(entry);
	}
	return 0;
}

static const char *open_fault(struct sqimage *img, int fd)
{
	/* Not fstat(): glibc makes it of a call that takes a path, which is not allowed here. */
	off_t bytes = lseek(fd, 0, SEEK_END);
	struct bundle_extent where = {0, bytes < 0 ? 0 : (uint64_t)bytes};
	unsigned char buf[SQSUPER_BYTES];
	struct bundle bundle;
	struct sqsuper super;
	const char *fault;
	int r;

	if (bundle_read(fd, &bundle))
		where = bundle.parts[BUNDLE_IMAGE];
	if (bytes < 0 || pread(fd, buf, sizeof(buf), (off_t)where.offset) != (ssize_t)sizeof(buf))
		return "not a squashfs image";
	fault = sqsuper_parse(buf, where.bytes, &super);
	if (fault)
		return fault;
	r = sqblocks_init(&img->blocks, fd, where.offset, &super);
	if (r >= 0)
		r = load_ids(img);
	if (r >= 0)
		r = sqxattr_init(img);
	if (r >= 0)
		return NULL;
	return r == -ENOTSUP  ? "compression is not supported"
	       : r == -ENOMEM ? "out of memory"
			      : "damaged squashfs image";
}

int sqimage_open(int fd, struct sqimage **ret, struct err *e)
{
	struct sqimage *img = calloc(1, sizeof(*img));
	const char *fault;

	if (!img)
		return err_oom(e);
	fault = open_fault(img, fd);
	if (fault) {
		sqimage_close(img);
		return err_set(e, EINVAL, "%s", fault);
	}
	*ret = img;
	return 0;
}

void sqimage_close(struct sqimage *img)
{
	if (!img)
		return;
	sqmaps_free(img);
	sqblocks_free(&img->blocks);
	free(img->ids);
	free(img);
}

void sqimage_lies_above(struct sqimage *img)
{
	img->lies_above = true;
}

void sqimage_set_ahead(struct sqimage *img, struct sqahead *ahead)
{
	sqblocks_set_ahead(&img->blocks, ahead);
}

void sqimage_stat(const struct sqimage *img, struct sqstat *ret)
{
	ret->inodes = img->blocks.super.inodes;
	ret->bytes = img->blocks.super.bytes_used;
	ret->block_bytes = img->blocks.super.block_bytes;
}

uint64_t sqimage_root(const struct sqimage *img)
{
	return img->blocks.super.root & UINT64_C(0xffffffffffff);
}

static void decode_dir(struct sqimage *img, const unsigned char *p, bool extended, struct sqnode *n)
{
	uint64_t table = img->blocks.super.directory_table, size;

	if (extended) {
		n->nlink = get32(p);
		size = get32(p + 4);
		n->dir = (struct sqcursor){table + get32(p + 8), (uint32_t)sqget(p + 18, 2)};
		n->n_index = (uint32_t)sqget(p + 16, 2);
		n->xattrs = get32(p + 20);
	} else {
		n->nlink = get32(p + 4);
		size = sqget(p + 8, 2);
		n->dir = (struct sqcursor){table + get32(p), (uint32_t)sqget(p + 10, 2)};
	}
	n->size = size > DIR_SIZE_BIAS ? size - DIR_SIZE_BIAS : 0;
}

static int decode_file(struct sqimage *img, const unsigned char *p, bool extended, struct sqnode *n)
{
	if (extended) {
		n->start = sqget(p, 8);
		n->size = sqget(p + 8, 8);
		n->nlink = get32(p + 24);
		n->fragment = get32(p + 28);
		n->fragment_offset = get32(p + 32);
		n->xattrs = get32(p + 36);
	} else {
		n->start = get32(p);
		n->fragment = get32(p + 4);
		n->fragment_offset = get32(p + 8);
		n->size = get32(p + 12);
		n->nlink = 1;
	}
	if (n->size > INT64_MAX)
		return -EIO;
	return n->fragment == SQNO_FRAGMENT || n->fragment < img->blocks.super.fragments ? 0 : -EIO;
}

static int decode_link(struct sqimage *img, const unsigned char *p, bool extended, struct sqnode *n)
{
	struct sqcursor c = n->next;
	unsigned char xattrs[4];
	int r;

	n->nlink = get32(p);
	n->size = get32(p + 4);
	if (!n->size || n->size > SQLINK_MAX)
		return -EIO;
	if (!extended)
		return 0;
	r = sqmeta_read(&img->blocks, &c, NULL, (size_t)n->size);
	if (r >= 0)
		r = sqmeta_read(&img->blocks, &c, xattrs, sizeof(xattrs));
	n->xattrs = r < 0 ? SQNO_XATTRS : get32(xattrs);
	return r;
}

/* Devices, fifos and sockets. */
static void decode_other(const unsigned char *p, bool extended, struct sqnode *n)
{
	bool is_device = S_ISBLK(n->mode) || S_ISCHR(n->mode);
	uint32_t dev = is_device ? get32(p + 4) : 0;

	n->nlink = get32(p);
	/* The kernel's new_encode_dev(). */
	if (is_device)
		n->rdev = makedev(dev >> 8 & 0xfff, (dev & 0xff) | (dev >> 12 & 0xfff00));
	if (extended)
		n->xattrs = get32(p + (is_device ? 8 : 4));
}

static int decode_body(struct sqimage *img, unsigned type, bool extended, struct sqnode *n)
{
	unsigned char p[INODE_BODY_MAX];
	unsigned bytes = extended ? types[type].extended_bytes : types[type].bytes;
	int r = sqmeta_read(&img->blocks, &n->next, p, bytes);

	if (r < 0)
		return r;
	switch (type) {
	case TYPE_DIR:
		decode_dir(img, p, extended, n);
		return 0;
	case TYPE_FILE:
		return decode_file(img, p, extended, n);
	case TYPE_LINK:
		return decode_link(img, p, extended, n);
	default:
		decode_other(p, extended, n);
		return 0;
	}
}

int sqimage_node(struct sqimage *img, uint64_t id, struct sqnode *n)
{
	const struct sqsuper *super = &img->blocks.super;
	unsigned char head[INODE_HEAD_BYTES];
	unsigned type, uid, gid;
	bool extended;
	int r;

	*n = (struct sqnode){.id = id, .xattrs = SQNO_XATTRS, .fragment = SQNO_FRAGMENT};
	n->next = sqcursor_at(super->inode_table, id);
	r = sqmeta_read(&img->blocks, &n->next, head, sizeof(head));
	if (r < 0)
		return r;
	type = (unsigned)sqget(head, 2);
	uid = (unsigned)sqget(head + 4, 2);
	gid = (unsigned)sqget(head + 6, 2);
	if (!type || type > TYPE_MAX || uid >= super->ids || gid >= super->ids)
		return -EIO;
	extended = type > TYPE_EXTENDED;
	if (extended)
		type -= TYPE_EXTENDED;
	n->mode = types[type].mode | ((mode_t)sqget(head + 2, 2) & 07777);
	n->uid = img->ids[uid];
	n->gid = img->ids[gid];
	n->mtime = get32(head + 8);
	n->ino = get32(head + 12);
	r = decode_body(img, type, extended, n);
	if (r >= 0 && !n->nlink)
		n->nlink = 1;
	return r;
}

ssize_t sqimage_readlink(struct sqimage *img, const struct sqnode *link, char *buf)
{
	struct sqcursor c = link->next;
	int r;

	if (!S_ISLNK(link->mode))
		return -EINVAL;
	r = sqmeta_read(&img->blocks, &c, buf, (size_t)link->size);
	if (r < 0)
		return r;
	buf[link->size] = 0;
	return strlen(buf) == link->size ? (ssize_t)link->size : -EIO;
}
