/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Attributes: inodes with the same set of them share one entry of a table, which leads to the list
 * of names and values. A value that several sets share is stored once and referred to.
 */
#include <errno.h>
#include <string.h>

#include "runtime/base/str.h"
#include "runtime/helpers/squashd/image/sqpriv.h"

#define TABLE_HEAD_BYTES 16
#define SET_BYTES 16
#define TYPE_MASK 0xffu
#define TYPE_USER 0
#define TYPE_ELSEWHERE 0x100u
#define SETS_MAX (1u << 20) /* more than this are not looked through */

int sqxattr_init(struct sqimage *img)
{
	const struct sqsuper *super = &img->blocks.super;
	unsigned char head[TABLE_HEAD_BYTES];
	int r;

	img->xattr_data = SQNO_TABLE;
	if (super->xattr_table == SQNO_TABLE)
		return 0;
	r = sqblocks_pread(&img->blocks, super->xattr_table, head, sizeof(head));
	if (r < 0)
		return r;
	img->xattr_data = sqget(head, 8);
	img->n_xattrs = (uint32_t)sqget(head + 8, 4);
	return img->xattr_data >= SQSUPER_BYTES && img->xattr_data < super->bytes_used ? 0 : -EIO;
}

int sqxattr_open(struct sqimage *img, const struct sqnode *node, struct sqxattr *ret)
{
	uint64_t list = img->blocks.super.xattr_table + TABLE_HEAD_BYTES;
	unsigned char set[SET_BYTES];
	int r;

	*ret = (struct sqxattr){.image = img, .table = img->xattr_data};
	if (node->xattrs == SQNO_XATTRS || img->xattr_data == SQNO_TABLE)
		return 0;
	if (node->xattrs >= img->n_xattrs)
		return -EIO;
	r = sqmeta_table_entry(&img->blocks, list, node->xattrs, sizeof(set), set);
	if (r < 0)
		return r;
	ret->at = sqcursor_at(img->xattr_data, sqget(set, 8));
	ret->n_left = (uint32_t)sqget(set + 8, 4);
	return 0;
}

/* Notes where the value is and moves on behind it. */
static int pass_value(struct sqxattr *x)
{
	struct sqblocks *b = &x->image->blocks;
	unsigned char size[4];
	int r;

	x->value = x->at;
	r = sqmeta_read(b, &x->at, size, sizeof(size));
	if (r < 0)
		return r;
	if (sqget(size, 4) > SQXATTR_VALUE_MAX)
		return -EIO;
	return sqmeta_read(b, &x->at, NULL, (size_t)sqget(size, 4));
}

static bool is_visible(const struct sqimage *img, const char *name)
{
	return !str_has_prefix(name, "user.overlay.") ||
	       (img->lies_above && str_eq(name, "user.overlay.opaque"));
}

int sqxattr_next(struct sqxattr *x, char name[SQXATTR_NAME_MAX + 1])
{
	static const char prefix[] = "user.";
	const size_t at = sizeof(prefix) - 1;

	while (x->n_left) {
		struct sqblocks *b = &x->image->blocks;
		unsigned char p[4];
		size_t len;
		bool wanted;
		int r = sqmeta_read(b, &x->at, p, sizeof(p));

		if (r < 0)
			return r;
		x->n_left--;
		len = (size_t)sqget(p + 2, 2);
		x->is_elsewhere = sqget(p, 2) & TYPE_ELSEWHERE;
		wanted = (sqget(p, 2) & TYPE_MASK) == TYPE_USER && len <= SQXATTR_NAME_MAX - at;
		r = sqmeta_read(b, &x->at, wanted ? name + at : NULL, len);
		if (r >= 0)
			r = pass_value(x);
		if (r < 0)
			return r;
		if (!wanted)
			continue;
		memcpy(name, prefix, at);
		name[at + len] = 0;
		if (len && strlen(name) == at + len && is_visible(x->image, name))
			return 1;
	}
	return 0;
}

ssize_t sqxattr_value(struct sqxattr *x, void *buf)
{
	struct sqblocks *b = &x->image->blocks;
	struct sqcursor c = x->value;
	unsigned char p[8];
	uint64_t len;
	int r = sqmeta_read(b, &c, p, 4);

	if (r >= 0 && x->is_elsewhere) {
		if (sqget(p, 4) != sizeof(p))
			return -EIO;
		r = sqmeta_read(b, &c, p, sizeof(p));
		if (r < 0)
			return r;
		c = sqcursor_at(x->table, sqget(p, 8));
		r = sqmeta_read(b, &c, p, 4);
	}
	if (r < 0)
		return r;
	len = sqget(p, 4);
	if (len > SQXATTR_VALUE_MAX)
		return -E2BIG;
	r = sqmeta_read(b, &c, buf, (size_t)len);
	return r < 0 ? r : (ssize_t)len;
}

/* Goes through the table of sets, not through the inodes: it is short and shared. */
bool sqimage_has_user_xattrs(struct sqimage *img)
{
	char name[SQXATTR_NAME_MAX + 1];

	if (img->xattr_data == SQNO_TABLE)
		return false;
	if (img->n_xattrs > SETS_MAX)
		return true;
	for (uint32_t i = 0; i < img->n_xattrs; i++) {
		struct sqnode probe = {.xattrs = i};
		struct sqxattr x;

		/* A damaged set says nothing of the others; reading it later is an error there. */
		if (sqxattr_open(img, &probe, &x) >= 0 && sqxattr_next(&x, name) > 0)
			return true;
	}
	return false;
}
