/* SPDX-License-Identifier: Apache-2.0 */
#include "image/save/layers.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image/bytes/spool.h"
#include "image/oci/config_layers.h"
#include "image/source/tar.h"
#include "image/squash/unsquash.h"
#include "image/store/store.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/flat.h"
#include "runtime/base/image_trailer.h"
#include "runtime/base/io.h"
#include "runtime/base/str.h"

#define TRAILER_ALIGN 4096u
#define BYTES_USED_AT 40 /* in the superblock of squashfs 4.0 */

/*
 * --- what a file of a stack says of itself -----------------------------------------------------
 */

/* The diff_id in its record (base/image_trailer.h); NULL: it adds no layer. Caller frees. */
static int read_diff_id(int fd, char **ret, struct err *e)
{
	_strbuf_ struct strbuf record = STRBUF_INIT;
	struct flat_reader reader;
	struct flat_field f;
	uint64_t used;
	off_t at;
	int r = io_pread_exact(fd, &used, sizeof(used), BYTES_USED_AT, e);

	*ret = NULL;
	if (r < 0)
		return r;
	if (used > INT64_MAX - TRAILER_ALIGN)
		return err_set(e, EBADMSG, "a damaged squashfs image");
	at = (off_t)((used + TRAILER_ALIGN - 1) / TRAILER_ALIGN * TRAILER_ALIGN);
	if (lseek(fd, at, SEEK_SET) != at)
		return err_sys(e, "seek");
	r = io_read_all(fd, IMAGE_TRAILER_MAX, &record, e);
	if (r >= 0)
		r = flat_open(&reader, record.data, record.len, IMAGE_TRAILER_MAGIC,
			      IMAGE_TRAILER_VERSION, e);
	while (r >= 0 && (r = flat_next(&reader, &f, e)) > 0) {
		if (f.tag != TRAILER_DIFF_ID || !f.len || !*(const char *)f.data)
			continue;
		if (*ret)
			return err_set(e, EBADMSG, "a file of a stack with more than one layer");
		*ret = strndup(f.data, f.len);
		if (!*ret)
			return err_oom(e);
	}
	return r;
}

static int open_file(const struct image_content *c, const char *file, struct err *e)
{
	int fd = openat(c->dirfd, file, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);

	return fd < 0 ? err_sys(e, "image file %s", file) : fd;
}

static void file_name(const struct image_record *rec, uint64_t i, char ret[IMAGE_FILE_BYTES])
{
	if (i < rec->n_lowers)
		image_table_lower_file(rec->id, (unsigned)i, ret);
	else
		image_table_file(rec->id, ret);
}

/*
 * --- where each layer is ------------------------------------------------------------------------
 */

static bool is_stored(const struct image_content *c, const struct image_record *rec, size_t i,
		      struct digest *ret)
{
	uint64_t bytes;
	_close_ int fd = -1;

	if (!c->store || i >= rec->layers.n || digest_parse(rec->layers.items[i], ret, NULL) < 0)
		return false;
	fd = store_open_blob(c->store, ret, &bytes, NULL);
	return fd >= 0;
}

static bool all_stored(const struct image_content *c, const struct image_record *rec, size_t n)
{
	struct digest d;

	for (size_t i = 0; i < n; i++) {
		if (!is_stored(c, rec, i, &d))
			return false;
	}
	return n > 0;
}

/* The layers of the files above the lowest, from the top: *ret_below are left for the lowest. */
static int find_above(const struct image_content *c, const struct image_record *rec,
		      struct image_layer *items, size_t *ret_below, struct err *e)
{
	size_t below = rec->diff_ids.n;

	for (uint64_t i = rec->n_lowers; i > 0; i--) {
		_free_ char *diff_id = NULL;
		struct image_layer *l;
		_close_ int fd = -1;
		char file[IMAGE_FILE_BYTES];
		int r;

		file_name(rec, i, file);
		fd = open_file(c, file, e);
		r = fd < 0 ? fd : read_diff_id(fd, &diff_id, e);
		if (r < 0)
			return r;
		if (!diff_id)
			continue;
		if (!below || !str_eq(diff_id, rec->diff_ids.items[below - 1]))
			return err_set(e, EBADMSG, "layers in another order than the files");
		l = &items[--below];
		*l = (struct image_layer){.kind = IMAGE_LAYER_OF_FILE,
					  .diff_id = rec->diff_ids.items[below]};
		memcpy(l->file, file, sizeof(file));
		if (is_stored(c, rec, below, &l->stored))
			l->kind = IMAGE_LAYER_STORED;
	}
	*ret_below = below;
	return 0;
}

/* The first n of them are the lowest file's. */
static void find_lowest(const struct image_content *c, const struct image_record *rec, size_t n,
			struct image_layers *l)
{
	if (all_stored(c, rec, n)) {
		for (size_t i = 0; i < n; i++) {
			l->items[i] = (struct image_layer){.kind = IMAGE_LAYER_STORED,
							   .diff_id = rec->diff_ids.items[i]};
			(void)digest_parse(rec->layers.items[i], &l->items[i].stored, NULL);
		}
		return;
	}
	/* One file that has no layers is one all the same. */
	if (n) {
		memmove(l->items + 1, l->items + n, (l->n - n) * sizeof(*l->items));
		l->n -= n - 1;
	} else {
		memmove(l->items + 1, l->items, l->n * sizeof(*l->items));
		l->n++;
	}
	l->items[0] = (struct image_layer){.kind = IMAGE_LAYER_JOINED};
	file_name(rec, 0, l->items[0].file);
	l->n_joined = n;
	l->has_joined = true;
}

int image_layers_find(const struct image_content *c, const struct image_record *rec,
		      struct image_layers *ret, struct err *e)
{
	size_t below;
	int r;

	*ret = (struct image_layers){.n = rec->diff_ids.n};
	/* A stack that an older csbx made does not say which file has which layer. */
	if (rec->n_lowers && rec->layers.n != rec->diff_ids.n)
		return image_layers_join_all(rec, ret, e);
	ret->items = calloc(ret->n + 1, sizeof(*ret->items));
	if (!ret->items)
		return err_oom(e);
	r = find_above(c, rec, ret->items, &below, e);
	if (r == -EBADMSG) {
		image_layers_free(ret);
		return image_layers_join_all(rec, ret, e);
	}
	if (r >= 0)
		find_lowest(c, rec, below, ret);
	return r;
}

int image_layers_join_all(const struct image_record *rec, struct image_layers *ret, struct err *e)
{
	*ret = (struct image_layers){
		.items = calloc(1, sizeof(*ret->items)), .n = 1, .has_joined = true};
	if (!ret->items)
		return err_oom(e);
	ret->items[0].kind = IMAGE_LAYER_JOINED;
	ret->n_joined = SIZE_MAX;
	if (!rec->n_lowers)
		file_name(rec, 0, ret->items[0].file);
	return 0;
}

void image_layers_free(struct image_layers *l)
{
	free(l->items);
	*l = (struct image_layers){0};
}

/*
 * --- as tars -------------------------------------------------------------------------------------
 */

static int plain_of_blob(const struct image_content *c, const struct digest *d, struct err *e)
{
	uint64_t bytes;
	_close_ int blob = store_open_blob(c->store, d, &bytes, e);

	return blob < 0 ? blob : tar_plain_file(blob, c->dirfd, e);
}

static int made_of_file(const struct image_content *c, const struct image_record *rec,
			const struct image_layer *l, struct err *e)
{
	_spool_ struct spool spool = SPOOL_INIT;
	_close_ int file = -1;
	int r = spool_open(&spool, c->dirfd, e);

	if (r < 0)
		return r;
	if (!*l->file) {
		r = c->write_stack(c->arg, rec, spool.fd, e);
		return r < 0 ? r : take_fd(&spool.fd);
	}
	file = r = open_file(c, l->file, e);
	if (r >= 0)
		r = l->kind == IMAGE_LAYER_OF_FILE ? unsquash_layer(file, spool.fd, e)
						   : unsquash_tar(file, spool.fd, e);
	return r < 0 ? r : take_fd(&spool.fd);
}

int image_layer_tar(const struct image_content *c, const struct image_record *rec,
		    const struct image_layer *l, struct layer_tar *ret, struct err *e)
{
	_close_ int fd = l->kind == IMAGE_LAYER_STORED ? plain_of_blob(c, &l->stored, e)
						       : made_of_file(c, rec, l, e);
	char digest[DIGEST_TEXT_MAX];
	struct stat st;
	int r;

	*ret = (struct layer_tar)LAYER_TAR_INIT;
	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0)
		return err_sys(e, "layer");
	ret->bytes = (uint64_t)st.st_size;
	r = tar_hash(fd, ret->bytes, &ret->diff_id, e);
	if (r < 0)
		return r;
	digest_format(&ret->diff_id, digest);
	if (l->diff_id && !str_eq(digest, l->diff_id))
		return l->kind == IMAGE_LAYER_STORED
			       ? err_set(e, EBADMSG,
					 "a layer in the cache is damaged: it has %s, not %s",
					 digest, l->diff_id)
			       : err_set(e, ESTALE, "image file %s gives the layer %s, not %s",
					 l->file, digest, l->diff_id);
	ret->fd = take_fd(&fd);
	return 0;
}

int image_layers_config(const struct image_record *rec, const struct image_layers *l,
			const struct strv *diff_ids, struct strbuf *out, struct err *e)
{
	const struct config_layers some = {
		.diff_ids = diff_ids, .n_joined = l->n_joined, .n_kept = SIZE_MAX};

	if (l->has_joined)
		return config_with_layers(rec->config, rec->config_len, &some, out, e);
	strbuf_add(out, rec->config, rec->config_len);
	return strbuf_check(out, e);
}
