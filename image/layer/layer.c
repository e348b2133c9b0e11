/* SPDX-License-Identifier: Apache-2.0 */
#include "image/layer/layer.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "image/layer/dir.h"
#include "image/layer/tar.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"

#define MAX_XATTRS 256u

struct layer_reader {
	struct layer_options options;
	struct layer_dir *dir; /* a directory; else the two below */
	struct stream *stream;
	struct tar *tar;
	struct strbuf path, link;
	struct layer_xattr xattrs[MAX_XATTRS];
	uint64_t size_bytes, next_offset; /* of the current file */
};

static const char *stored_alg(const struct source_layer *src)
{
	return src->digest.alg[0] ? src->digest.alg : "sha256";
}

static const char *plain_alg(const struct source_layer *src, const struct layer_options *o)
{
	if (!o->hash_plain)
		return NULL;
	return src->diff_id.alg[0] ? src->diff_id.alg : "sha256";
}

static int open_tar(struct layer_reader *l, const struct source_layer *src, struct err *e)
{
	struct stream_config c = {
		.fd = src->fd,
		.offset = src->offset,
		.length = src->length,
		.stored_alg = stored_alg(src),
		.plain_alg = plain_alg(src, &l->options),
		.max_bytes = l->options.max_bytes,
		.watch = l->options.watch,
		.arrival = l->options.arrival,
	};
	int r = stream_open(&l->stream, &c, e);

	return r < 0 ? r : tar_open(&l->tar, l->stream, e);
}

static int open_directories(struct layer_reader *l, const struct source_layer *src, struct err *e)
{
	struct uppers dirs = {.fds = {src->fd}, .n = 1};

	if (src->n_below >= UPPERS_MAX)
		return err_set(e, E2BIG, "more than %u directories in one layer", UPPERS_MAX);
	for (size_t i = 0; i < src->n_below; i++)
		dirs.fds[dirs.n++] = src->below[i];
	for (size_t i = 0; i < src->n_base && i < UPPERS_BASE_MAX; i++)
		dirs.base[dirs.n_base++] = src->base[i];
	return layer_dir_open(&l->dir, &dirs, &l->options, e);
}

int layer_reader_open(struct layer_reader **ret, const struct source_layer *src,
		      const struct layer_options *o, struct err *e)
{
	_layer_reader_ struct layer_reader *l = calloc(1, sizeof(*l));
	int r;

	if (!l)
		return err_oom(e);
	l->options = *o;
	if (src->kind == LAYER_DIRECTORY)
		r = open_directories(l, src, e);
	else
		r = open_tar(l, src, e);
	if (r < 0)
		return r;
	*ret = take_ptr(l);
	return 0;
}

static int entry_type(const struct tar_header *h, enum entry_type *ret, struct err *e)
{
	if (h->hardlink) {
		*ret = ENTRY_HARDLINK;
		return 0;
	}
	switch (h->mode & S_IFMT) {
	case S_IFREG:
		*ret = ENTRY_FILE;
		return 0;
	case S_IFDIR:
		*ret = ENTRY_DIRECTORY;
		return 0;
	case S_IFLNK:
		*ret = ENTRY_SYMLINK;
		return 0;
	case S_IFIFO:
		*ret = ENTRY_FIFO;
		return 0;
	case S_IFSOCK:
		*ret = ENTRY_SOCKET;
		return 0;
	case S_IFCHR:
	case S_IFBLK:
		*ret = ENTRY_DEVICE;
		return 0;
	}
	return err_set(e, EBADMSG, "unknown type 0%o", h->mode & S_IFMT);
}

static int convert_link(struct layer_reader *l, const struct tar_header *h, struct layer_entry *ret,
			struct err *e)
{
	size_t len;

	if (ret->type == ENTRY_HARDLINK) {
		int r = layer_clean_path(h->hardlink, &l->link, e);

		ret->link = strbuf_str(&l->link);
		return r < 0 ? err_wrap(e, "hard link") : 0;
	}
	if (ret->type != ENTRY_SYMLINK)
		return 0;
	len = h->symlink ? strlen(h->symlink) : 0;
	if (!len || len > LAYER_LINK_MAX)
		return err_set(e, EBADMSG, "symlink to a path of %zu bytes", len);
	ret->link = h->symlink;
	return 0;
}

static uint32_t clamp_time(int64_t t)
{
	return t < 0 ? 0 : t > UINT32_MAX ? UINT32_MAX : (uint32_t)t;
}

static int convert_numbers(const struct layer_reader *l, const struct tar_header *h,
			   struct layer_entry *ret, struct err *e)
{
	if (h->uid < 0 || h->uid > UINT32_MAX || h->gid < 0 || h->gid > UINT32_MAX)
		return err_set(e, EBADMSG, "owner %lld:%lld is out of range", (long long)h->uid,
			       (long long)h->gid);
	if (ret->type == ENTRY_FILE &&
	    (h->size_bytes < 0 ||
	     (l->options.max_bytes && (uint64_t)h->size_bytes > l->options.max_bytes)))
		return err_set(e, EFBIG, "size %lld is over the limit of %llu bytes",
			       (long long)h->size_bytes, (unsigned long long)l->options.max_bytes);
	ret->mode = h->mode & 07777;
	ret->uid = (uint32_t)h->uid;
	ret->gid = (uint32_t)h->gid;
	ret->mtime_s = clamp_time(h->mtime_s);
	ret->size_bytes = ret->type == ENTRY_FILE ? (uint64_t)h->size_bytes : 0;
	return 0;
}

static int collect_xattrs(struct layer_reader *l, struct layer_entry *ret, struct err *e)
{
	struct layer_xattr x;

	ret->xattrs = l->xattrs;
	while (tar_next_xattr(l->tar, &x.name, &x.value, &x.len)) {
		if (!x.name || !layer_keeps_xattr(x.name, l->options.keep_capabilities))
			continue;
		if (ret->n_xattrs == MAX_XATTRS)
			return err_set(e, E2BIG, "more than %u extended attributes", MAX_XATTRS);
		if (x.len > LAYER_XATTR_VALUE_MAX)
			return err_set(e, E2BIG, "attribute %.80s of %zu bytes", x.name, x.len);
		l->xattrs[ret->n_xattrs++] = x;
	}
	return 0;
}

static int convert(struct layer_reader *l, const struct tar_header *h, struct layer_entry *ret,
		   struct err *e)
{
	int r = layer_clean_path(h->path, &l->path, e);

	if (r < 0)
		return r;
	*ret = (struct layer_entry){.path = strbuf_str(&l->path)};
	r = entry_type(h, &ret->type, e);
	if (r == 0 && !ret->path[0] && ret->type != ENTRY_DIRECTORY)
		r = err_set(e, EBADMSG, "the root of the image must be a directory");
	if (r == 0)
		r = convert_link(l, h, ret, e);
	if (r == 0)
		r = convert_numbers(l, h, ret, e);
	if (r == 0)
		r = collect_xattrs(l, ret, e);
	return r < 0 ? err_wrap(e, "%.200s", ret->path) : 0;
}

int layer_reader_next(struct layer_reader *l, struct layer_entry *ret, struct err *e)
{
	struct tar_header h;
	int r;

	if (l->dir)
		return layer_dir_next(l->dir, ret, e);
	r = tar_next(l->tar, &h, e);
	if (r <= 0)
		return r;
	r = convert(l, &h, ret, e);
	l->size_bytes = ret->size_bytes;
	l->next_offset = 0;
	return r < 0 ? r : 1;
}

/* Pieces that overlap or lie beyond the size are an attempt at something else than a file. */
static int check_piece(struct layer_reader *l, size_t len, uint64_t offset, struct err *e)
{
	uint64_t end;

	if (offset < l->next_offset || __builtin_add_overflow(offset, len, &end) ||
	    end > l->size_bytes)
		return err_set(e, EBADMSG, "%.200s: inconsistent sparse map", strbuf_str(&l->path));
	l->next_offset = end;
	return 1;
}

int layer_reader_read(struct layer_reader *l, const void **ret_data, size_t *ret_len,
		      uint64_t *ret_offset, struct err *e)
{
	int r;

	if (l->dir)
		return layer_dir_read(l->dir, ret_data, ret_len, ret_offset, e);
	r = tar_read(l->tar, ret_data, ret_len, ret_offset, e);
	if (r < 0)
		return err_wrap(e, "%.200s", strbuf_str(&l->path));
	return r == 0 || !*ret_len ? r : check_piece(l, *ret_len, *ret_offset, e);
}

int layer_reader_finish(struct layer_reader *l, struct layer_result *ret, struct err *e)
{
	struct stream_result s;
	int r;

	*ret = (struct layer_result){0};
	if (l->dir) {
		ret->plain_bytes = ret->stored_bytes = layer_dir_position(l->dir);
		return 0;
	}
	r = stream_finish(l->stream, &s, e);
	if (r < 0)
		return r;
	*ret = (struct layer_result){.stored = s.stored,
				     .diff_id = s.plain,
				     .stored_bytes = s.stored_bytes,
				     .plain_bytes = s.plain_bytes};
	return 0;
}

void layer_reader_close(struct layer_reader **lp)
{
	struct layer_reader *l = *lp;

	*lp = NULL;
	if (!l)
		return;
	layer_dir_close(&l->dir);
	tar_close(&l->tar);
	stream_close(&l->stream);
	strbuf_free(&l->path);
	strbuf_free(&l->link);
	free(l);
}
