/* SPDX-License-Identifier: Apache-2.0 */
#include "image/table/table.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "image/table/priv.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"

#define READ_TRIES 8

/* --- files -------------------------------------------------------------------------------- */

static void file_of(const char *id, const char *suffix, char ret[IMAGE_FILE_BYTES])
{
	const char *hex = image_id_hex(id);

	snprintf(ret, IMAGE_FILE_BYTES, "%.*s%s", IMAGE_ID_HEX, hex ? hex : "", suffix);
}

void image_table_file(const char *id, char ret[IMAGE_FILE_BYTES])
{
	file_of(id, ".sqsh", ret);
}

void image_table_lower_file(const char *id, unsigned i, char ret[IMAGE_FILE_BYTES])
{
	char suffix[] = ".sqsh.0";

	suffix[sizeof(suffix) - 2] = (char)('0' + i % 10);
	file_of(id, suffix, ret);
}

void image_table_record_file(const char *id, char ret[IMAGE_FILE_BYTES])
{
	file_of(id, ".image", ret);
}

/* FNV-1a: two long names that meet are told apart by what their records say. */
static uint64_t hash(const char *s)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 0x100000001b3u;
	return h;
}

void image_table_tag_file(const char *name, char ret[TAG_FILE_BYTES])
{
	const int keep = 200;
	int n = snprintf(ret, TAG_FILE_BYTES, "%c%s", TAG_PREFIX, name);

	if (n > keep + 17)
		snprintf(ret, TAG_FILE_BYTES, "%c%.*s+%016llx", TAG_PREFIX, keep, name,
			 (unsigned long long)hash(name));
	for (char *p = ret; (p = strchr(p, '/'));)
		*p = '+';
}

/* The whole file, malloc'ed. */
static int read_file(int dirfd, const char *file, size_t max, char **ret_buf, size_t *ret_len,
		     struct err *e)
{
	_strbuf_ struct strbuf all = STRBUF_INIT;
	int r = io_read_file_at(dirfd, file, max, &all, e);

	if (r < 0)
		return r;
	*ret_len = all.len;
	*ret_buf = all.len ? strbuf_take(&all) : calloc(1, 1);
	return *ret_buf ? 0 : err_oom(e);
}

int image_table_read_tag(int dirfd, const char *file, struct image_tag *ret, struct err *e)
{
	char *buf = NULL, expected[TAG_FILE_BYTES];
	size_t len = 0;
	int r = read_file(dirfd, file, IMAGE_TAG_MAX, &buf, &len, e);

	if (r >= 0)
		r = image_tag_decode(ret, buf, len, e);
	if (r < 0)
		return r;
	image_table_tag_file(ret->name, expected);
	if (str_eq(expected, file))
		return 0;
	image_tag_free(ret);
	return err_set(e, EBADMSG, "damaged record: of another name");
}

int image_table_read(int dirfd, const char *id, struct image_record *ret, struct err *e)
{
	char file[IMAGE_FILE_BYTES], *buf = NULL;
	size_t len = 0;
	int r;

	image_table_record_file(id, file);
	r = read_file(dirfd, file, IMAGE_RECORD_MAX, &buf, &len, e);
	if (r >= 0)
		r = image_record_decode(ret, buf, len, e);
	if (r < 0)
		return r;
	if (str_eq(image_id_hex(ret->id), image_id_hex(id)))
		return 0;
	image_record_free(ret);
	return err_set(e, EBADMSG, "damaged record: of another image");
}

/* --- find --------------------------------------------------------------------------------- */

void image_entry_free(struct image_entry *x)
{
	free(x->reference);
	*x = (struct image_entry){0};
}

static int not_there(const char *operand, struct err *e)
{
	return err_from(ERR_NO_IMAGE, e, err_set(e, ENOENT, "%.300s: no such image", operand));
}

static int fill(int dirfd, const char *id, const char *reference, struct image_entry *ret,
		struct err *e)
{
	struct image_record rec;
	int r = image_table_read(dirfd, id, &rec, e);

	if (r < 0)
		return r;
	*ret = (struct image_entry){
		.size_bytes = rec.size_bytes,
		.file_bytes = rec.file_bytes,
		.created_s = rec.created_s,
	};
	snprintf(ret->id, sizeof(ret->id), "%s", rec.id);
	image_table_file(rec.id, ret->file);
	image_record_free(&rec);
	if (!reference)
		return 0;
	ret->reference = strdup(reference);
	return ret->reference ? 0 : err_oom(e);
}

/* A name may be given to another image, and its old one deleted, between the two reads. */
static int find_name(int dirfd, const char *canonical, struct image_entry *ret, struct err *e)
{
	char file[TAG_FILE_BYTES];
	struct image_tag tag;
	int r = -ENOENT;

	image_table_tag_file(canonical, file);
	for (int i = 0; r == -ENOENT && i < READ_TRIES; i++) {
		r = image_table_read_tag(dirfd, file, &tag, e);
		if (r < 0)
			return r;
		if (!str_eq(tag.name, canonical))
			r = -ENOENT;
		else
			r = fill(dirfd, tag.id, image_name_familiar(canonical), ret, e);
		image_tag_free(&tag);
	}
	return r;
}

static bool is_record_of(const char *file, const char *prefix)
{
	return str_has_prefix(file, prefix) && strlen(file) == IMAGE_RECORD_FILE_LEN &&
	       strspn(file, "0123456789abcdef") == IMAGE_ID_HEX && str_has_suffix(file, ".image");
}

/* The one id that begins so, as HEX. */
static int complete_id(int dirfd, const char *prefix, char ret_hex[IMAGE_ID_HEX + 1], struct err *e)
{
	int list = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = list < 0 ? NULL : fdopendir(list);
	const struct dirent *ent;
	unsigned found = 0;

	if (!d) {
		fd_close(&list);
		return err_sys(e, "list " IMAGE_TABLE_DIR);
	}
	while ((ent = readdir(d))) {
		if (is_record_of(ent->d_name, prefix) && !found++)
			snprintf(ret_hex, IMAGE_ID_HEX + 1, "%s", ent->d_name);
	}
	closedir(d);
	if (found > 1)
		return err_set(e, ENOTUNIQ, "%.100s: several images have ids that begin so",
			       prefix);
	return found ? 0 : not_there(prefix, e);
}

static int find_id(int dirfd, const char *operand, struct image_entry *ret, struct err *e)
{
	const char *prefix = str_has_prefix(operand, "sha256:") ? operand + 7 : operand;
	size_t len = strlen(prefix);
	char hex[IMAGE_ID_HEX + 1];
	int r;

	if (!len || len > IMAGE_ID_HEX || strspn(prefix, "0123456789abcdef") != len)
		return not_there(operand, e);
	if (len == IMAGE_ID_HEX)
		return fill(dirfd, prefix, NULL, ret, e);
	r = complete_id(dirfd, prefix, hex, e);
	return r < 0 ? r : fill(dirfd, hex, NULL, ret, e);
}

int image_table_find(int dirfd, const char *operand, struct image_entry *ret, struct err *e)
{
	_image_name_ struct image_name name = {0};
	_free_ char *canonical = NULL;
	int r = -ENOENT;

	*ret = (struct image_entry){0};
	/* "sha256:HEX" reads as the tag HEX of an image called sha256, and is none of that. */
	if (!image_id_hex(operand)) {
		r = image_name_parse(operand, &name, e);
		if (r < 0)
			return r;
		canonical = image_name_canonical(&name);
		if (!canonical)
			return err_oom(e);
		r = find_name(dirfd, canonical, ret, e);
	}
	if (r == -ENOENT)
		r = find_id(dirfd, operand, ret, e);
	if (r == -ENOENT)
		return not_there(operand, e);
	return r;
}
