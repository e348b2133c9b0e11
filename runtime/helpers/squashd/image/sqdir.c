/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A directory's listing: headers, each followed by up to 256 entries whose inodes lie in one
 * metadata block. Large directories have an index behind their inode, sorted by name as the
 * listing is: the first name under a header, and where that header lies.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/base/str.h"
#include "runtime/helpers/squashd/image/sqpriv.h"

#define HEADER_BYTES 12
#define ENTRY_BYTES 8
#define INDEX_BYTES 12
#define HEADER_ENTRIES_MAX 256
#define STORED_NAME_MAX 256 /* the format's limit; we take no more than other file systems do */

static const mode_t entry_types[] = {0,       S_IFDIR, S_IFREG, S_IFLNK,
				     S_IFBLK, S_IFCHR, S_IFIFO, S_IFSOCK};

static uint32_t get32(const unsigned char *p)
{
	return (uint32_t)sqget(p, 4);
}

static bool name_is_sane(const char *name, size_t len)
{
	return len && len <= SQNAME_MAX && strlen(name) == len && !memchr(name, '/', len) &&
	       !str_is_dots(name);
}

/* Within the listing, never past its end. */
static int read_listing(struct sqdir *d, void *buf, size_t len)
{
	if (len > d->size - d->offset)
		return -EIO;
	d->offset += len;
	return sqmeta_read(&d->image->blocks, &d->at, buf, len);
}

static int read_header(struct sqdir *d)
{
	unsigned char p[HEADER_BYTES];
	int r = read_listing(d, p, sizeof(p));

	if (r < 0)
		return r;
	if (get32(p) >= HEADER_ENTRIES_MAX)
		return -EIO;
	d->n_left = get32(p) + 1;
	d->block = get32(p + 4);
	d->ino = get32(p + 8);
	return 0;
}

int sqdir_next(struct sqdir *d, struct sqentry *ret)
{
	unsigned char p[ENTRY_BYTES];
	unsigned type;
	int r;

	if (!d->n_left && d->offset == d->size)
		return 0;
	r = d->n_left ? 0 : read_header(d);
	if (r >= 0)
		r = read_listing(d, p, sizeof(p));
	if (r < 0)
		return r;
	type = (unsigned)sqget(p + 4, 2);
	ret->name_len = (size_t)sqget(p + 6, 2) + 1;
	if (ret->name_len > SQNAME_MAX || !type ||
	    type >= sizeof(entry_types) / sizeof(entry_types[0]))
		return -EIO;
	r = read_listing(d, ret->name, ret->name_len);
	if (r < 0)
		return r;
	ret->name[ret->name_len] = 0;
	if (!name_is_sane(ret->name, ret->name_len))
		return -EIO;
	d->n_left--;
	ret->id = (uint64_t)d->block << 16 | sqget(p, 2);
	ret->ino = d->ino + (uint32_t)(int16_t)sqget(p + 2, 2);
	ret->type = entry_types[type];
	ret->next = d->offset;
	return 1;
}

static void start_at_beginning(struct sqimage *img, const struct sqnode *dir, struct sqdir *ret)
{
	*ret = (struct sqdir){.image = img, .at = dir->dir, .size = dir->size};
}

struct index_entry {
	uint64_t offset; /* in the listing */
	uint64_t block;
	char name[STORED_NAME_MAX + 1];
};

static int next_index(struct sqimage *img, struct sqcursor *c, struct index_entry *ret)
{
	unsigned char p[INDEX_BYTES];
	size_t len;
	int r = sqmeta_read(&img->blocks, c, p, sizeof(p));

	if (r < 0)
		return r;
	ret->offset = get32(p);
	ret->block = img->blocks.super.directory_table + get32(p + 4);
	len = (size_t)get32(p + 8) + 1;
	if (len > STORED_NAME_MAX)
		return -EIO;
	r = sqmeta_read(&img->blocks, c, ret->name, len);
	ret->name[len] = 0;
	return r;
}

/*
 * Moves a fresh iterator to the last header that is not behind `offset` or, where name is given,
 * not behind the name; *ret_end is then where the name can be at the latest.
 */
static int skip_by_index(const struct sqnode *dir, const char *name, uint64_t offset,
			 struct sqdir *d, uint64_t *ret_end)
{
	uint32_t first = d->at.offset;
	struct sqcursor c = dir->next;
	struct index_entry x;

	*ret_end = d->size;
	for (uint32_t i = 0; i < dir->n_index; i++) {
		int r = next_index(d->image, &c, &x);

		if (r < 0)
			return r;
		if (x.offset > d->size || x.offset < d->offset)
			return -EIO;
		if (name ? strcmp(x.name, name) > 0 : x.offset > offset) {
			*ret_end = x.offset;
			break;
		}
		/*
		 * A header that an index names never straddles blocks: the listing is contiguous.
		 */
		d->offset = x.offset;
		d->at.block = x.block;
		d->at.offset = (uint32_t)((first + x.offset) % SQMETA_BYTES);
	}
	return 0;
}

int sqdir_open(struct sqimage *img, const struct sqnode *dir, uint64_t offset, struct sqdir *ret)
{
	struct sqentry ent;
	uint64_t end;
	int r;

	if (!S_ISDIR(dir->mode))
		return -ENOTDIR;
	start_at_beginning(img, dir, ret);
	if (!offset)
		return 0;
	if (offset > ret->size)
		return -EINVAL;
	r = skip_by_index(dir, NULL, offset, ret, &end);
	while (r >= 0 && ret->offset < offset)
		r = sqdir_next(ret, &ent) > 0 ? 0 : -EIO;
	return r < 0 ? r : ret->offset == offset ? 0 : -EINVAL;
}

int sqimage_lookup(struct sqimage *img, const struct sqnode *dir, const char *name,
		   uint64_t *ret_id)
{
	struct sqentry ent;
	struct sqdir d;
	uint64_t end;
	int r;

	if (!S_ISDIR(dir->mode))
		return -ENOTDIR;
	if (strlen(name) > SQNAME_MAX)
		return -ENAMETOOLONG;
	start_at_beginning(img, dir, &d);
	r = skip_by_index(dir, name, 0, &d, &end);
	while (r >= 0 && d.offset < end && (r = sqdir_next(&d, &ent)) > 0) {
		if (str_eq(ent.name, name)) {
			*ret_id = ent.id;
			return 1;
		}
	}
	return r < 0 ? r : 0;
}
