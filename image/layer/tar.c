/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libarchive converts PAX names between UTF-8 and the locale's charset. Each call here runs under
 * a thread-local C.UTF-8 locale, where that conversion is the identity; names that are not UTF-8
 * still arrive as raw bytes, with a warning that is passed over. Every other warning means that
 * libarchive skipped something it could not parse, and is an error.
 */
#include "image/layer/tar.h"

#include <archive.h>
#include <archive_entry.h>
#include <locale.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "image/bytes/stream.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"

#define FD_BLOCK_BYTES (128u << 10)

struct tar {
	struct archive *archive;
	struct archive_entry *entry;
	struct stream *stream; /* NULL: from a descriptor */
	int fd;
	char *block; /* read from it */
	locale_t locale;
	struct err stream_err; /* what the stream said, more exact than libarchive's text */
};

static la_ssize_t read_callback(struct archive *a, void *arg, const void **ret_data)
{
	struct tar *t = arg;
	ssize_t n = stream_read(t->stream, ret_data, &t->stream_err);

	if (n < 0)
		archive_set_error(a, (int)-n, "%s", t->stream_err.msg);
	return n;
}

/* Turns libarchive's error into ours. */
static int fail(struct tar *t, struct err *e)
{
	const char *text = archive_error_string(t->archive);

	if (t->stream_err.code) {
		if (e)
			*e = t->stream_err;
		return -t->stream_err.code;
	}
	if (archive_errno(t->archive) == ENOMEM)
		return err_oom(e);
	return err_set(e, EBADMSG, "tar: %s", text ? text : "damaged");
}

static bool is_charset_warning(struct archive *a)
{
	const char *text = archive_error_string(a);

	return text && strstr(text, "can't be converted");
}

static int open_archive(struct tar *t, struct err *e)
{
	t->archive = archive_read_new();
	t->locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	if (!t->archive)
		return err_oom(e);
	if (archive_read_support_format_tar(t->archive) != ARCHIVE_OK ||
	    archive_read_support_format_empty(t->archive) != ARCHIVE_OK)
		return fail(t, e);
	return 0;
}

int tar_open(struct tar **ret, struct stream *s, struct err *e)
{
	_tar_ struct tar *t = calloc(1, sizeof(*t));
	int r;

	if (!t)
		return err_oom(e);
	t->stream = s;
	r = open_archive(t, e);
	if (r >= 0 && archive_read_open(t->archive, t, NULL, read_callback, NULL) != ARCHIVE_OK)
		r = fail(t, e);
	if (r < 0)
		return r;
	*ret = take_ptr(t);
	return 0;
}

/* Each filter by its name: the ones that run a program are not among them. */
static int add_filters(struct tar *t, struct err *e)
{
	if (archive_read_support_filter_gzip(t->archive) != ARCHIVE_OK ||
	    archive_read_support_filter_bzip2(t->archive) != ARCHIVE_OK ||
	    archive_read_support_filter_xz(t->archive) != ARCHIVE_OK ||
	    archive_read_support_filter_zstd(t->archive) != ARCHIVE_OK)
		return fail(t, e);
	return 0;
}

static la_ssize_t fd_callback(struct archive *a, void *arg, const void **ret)
{
	struct tar *t = arg;
	ssize_t n = io_read_given(t->fd, t->block, FD_BLOCK_BYTES);

	*ret = t->block;
	if (n < 0)
		archive_set_error(a, errno, "read: %s", strerror(errno));
	return n;
}

int tar_open_fd(struct tar **ret, int fd, struct err *e)
{
	_tar_ struct tar *t = calloc(1, sizeof(*t));
	int r;

	if (!t)
		return err_oom(e);
	t->fd = fd;
	t->block = malloc(FD_BLOCK_BYTES);
	r = t->block ? open_archive(t, e) : err_oom(e);
	if (r >= 0)
		r = add_filters(t, e);
	if (r >= 0 && archive_read_open(t->archive, t, NULL, fd_callback, NULL) != ARCHIVE_OK)
		r = fail(t, e);
	if (r < 0)
		return r;
	*ret = take_ptr(t);
	return 0;
}

static int next_header(struct tar *t)
{
	locale_t old = t->locale ? uselocale(t->locale) : (locale_t)0;
	int r = archive_read_next_header(t->archive, &t->entry);

	if (old)
		uselocale(old);
	return r;
}

int tar_next(struct tar *t, struct tar_header *ret, struct err *e)
{
	struct archive_entry *entry;
	int r = next_header(t);

	if (r == ARCHIVE_EOF)
		return 0;
	if (r != ARCHIVE_OK && !(r == ARCHIVE_WARN && is_charset_warning(t->archive)))
		return fail(t, e);
	entry = t->entry;
	archive_entry_xattr_reset(entry);
	*ret = (struct tar_header){
		.path = archive_entry_pathname(entry),
		.hardlink = archive_entry_hardlink(entry),
		.symlink = archive_entry_symlink(entry),
		.mode = archive_entry_mode(entry),
		.uid = archive_entry_uid(entry),
		.gid = archive_entry_gid(entry),
		.mtime_s = archive_entry_mtime(entry),
		.size_bytes = archive_entry_size(entry),
	};
	if (!ret->path)
		return err_set(e, EBADMSG, "tar: a member without a name");
	return 1;
}

int tar_next_xattr(struct tar *t, const char **ret_name, const void **ret_value, size_t *ret_len)
{
	return archive_entry_xattr_next(t->entry, ret_name, ret_value, ret_len) == ARCHIVE_OK;
}

int tar_read(struct tar *t, const void **ret_data, size_t *ret_len, uint64_t *ret_offset,
	     struct err *e)
{
	la_int64_t offset;
	int r = archive_read_data_block(t->archive, ret_data, ret_len, &offset);

	if (r == ARCHIVE_EOF)
		return 0;
	if (r != ARCHIVE_OK)
		return fail(t, e);
	if (offset < 0)
		return err_set(e, EBADMSG, "tar: negative offset in a sparse file");
	*ret_offset = (uint64_t)offset;
	return 1;
}

void tar_close(struct tar **tp)
{
	struct tar *t = *tp;

	*tp = NULL;
	if (!t)
		return;
	archive_read_free(t->archive);
	if (t->locale)
		freelocale(t->locale);
	free(t->block);
	free(t);
}
