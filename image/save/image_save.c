/* SPDX-License-Identifier: Apache-2.0 */
#include "image/save/image_save.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "image/model/digest.h"
#include "image/save/save_index.h"
#include "image/bytes/spool.h"
#include "image/store/store.h"
#include "image/pack/tar_out.h"
#include "image/source/tar_source.h"
#include "image/squash/unsquash.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/str.h"

#define CHUNK (256u << 10)

struct saving {
	const struct image_save *s;
	struct tar_out out;
	struct strv written; /* blobs that are in the archive already */
	struct save_index index;
};

/* --- members ------------------------------------------------------------------------------ */

static int add_header(struct saving *x, const char *name, mode_t mode, uint64_t size_bytes,
		      struct err *e)
{
	const struct tar_header h = {.path = name, .mode = mode, .size_bytes = (int64_t)size_bytes};

	return tar_out_member(&x->out, &h, e);
}

static int add_text(struct saving *x, const char *name, const char *text, size_t len, struct err *e)
{
	int r = add_header(x, name, S_IFREG | 0644, len, e);

	return r < 0 ? r : tar_out_data(&x->out, text, len, e);
}

static int copy_file(struct saving *x, int fd, uint64_t bytes, struct err *e)
{
	_free_ char *buf = malloc(CHUNK);
	int r = buf ? 0 : err_set(e, ENOMEM, "out of memory");

	for (uint64_t at = 0; r >= 0 && at < bytes;) {
		size_t n = bytes - at < CHUNK ? (size_t)(bytes - at) : CHUNK;

		r = io_pread_exact(fd, buf, n, at, e);
		if (r >= 0)
			r = tar_out_data(&x->out, buf, n, e);
		at += n;
	}
	return r;
}

/* 1: it is there already. */
static int note_blob(struct saving *x, const char *digest, struct err *e)
{
	for (size_t i = 0; i < x->written.n; i++) {
		if (str_eq(x->written.items[i], digest))
			return 1;
	}
	strv_add(&x->written, digest);
	return strv_check(&x->written, e);
}

static char *blob_name(const char *digest)
{
	return str_printf("blobs/sha256/%s", digest + strlen("sha256:"));
}

static int add_blob(struct saving *x, const char *digest, const char *text, size_t len,
		    struct err *e)
{
	_free_ char *name = blob_name(digest);
	int r = name ? note_blob(x, digest, e) : err_set(e, ENOMEM, "out of memory");

	return r ? (r < 0 ? r : 0) : add_text(x, name, text, len, e);
}

/* --- layers ------------------------------------------------------------------------------- */

/* fd: a plain tar, whose digest is claimed, and checked. */
static int add_layer(struct saving *x, struct save_image *image, int fd, const char *claimed,
		     struct err *e)
{
	struct digest d;
	char digest[DIGEST_TEXT_MAX];
	_free_ char *name = NULL;
	struct stat st;
	int r;

	if (fstat(fd, &st) < 0)
		return err_sys(e, "layer");
	r = tar_hash(fd, (uint64_t)st.st_size, &d, e);
	if (r < 0)
		return r;
	digest_format(&d, digest);
	if (claimed && !str_eq(digest, claimed))
		return err_set(e, EBADMSG, "a layer in the cache is damaged: it has %s, not %s",
			       digest, claimed);
	r = save_image_add_layer(image, digest, (uint64_t)st.st_size, e);
	name = blob_name(digest);
	if (r >= 0)
		r = name ? note_blob(x, digest, e) : err_set(e, ENOMEM, "out of memory");
	if (r)
		return r < 0 ? r : 0;
	r = add_header(x, name, S_IFREG | 0644, (uint64_t)st.st_size, e);
	return r < 0 ? r : copy_file(x, fd, (uint64_t)st.st_size, e);
}

static int add_stored_layer(struct saving *x, const struct image_record *rec, size_t i,
			    struct save_image *image, struct err *e)
{
	struct digest d;
	uint64_t bytes;
	_close_ int blob = -1, plain = -1;
	int r = digest_parse(rec->layers.items[i], &d, e);

	if (r >= 0)
		r = blob = store_open_blob(x->s->store, &d, &bytes, e);
	if (r >= 0)
		r = plain = tar_plain_file(blob, x->s->dirfd, e);
	return r < 0 ? r : add_layer(x, image, plain, rec->diff_ids.items[i], e);
}

static bool has_layers(const struct image_save *s, const struct image_record *rec)
{
	if (!s->store || !rec->layers.n || rec->layers.n != rec->diff_ids.n)
		return false;
	for (size_t i = 0; i < rec->layers.n; i++) {
		struct digest d;
		uint64_t bytes;
		_close_ int fd = -1;

		if (digest_parse(rec->layers.items[i], &d, NULL) < 0)
			return false;
		fd = store_open_blob(s->store, &d, &bytes, NULL);
		if (fd < 0)
			return false;
	}
	return true;
}

/* The image's content as one layer. */
static int add_squashed_layer(struct saving *x, const struct image_record *rec,
			      struct save_image *image, struct err *e)
{
	_spool_ struct spool spool = SPOOL_INIT;
	char file[IMAGE_FILE_BYTES];
	_close_ int fd = -1;
	int r = spool_open(&spool, x->s->dirfd, e);

	if (r < 0)
		return r;
	if (rec->n_lowers) {
		r = x->s->write_stack(x->s->arg, rec, spool.fd, e);
		return r < 0 ? r : add_layer(x, image, spool.fd, NULL, e);
	}
	image_table_file(rec->id, file);
	fd = openat(x->s->dirfd, file, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return err_sys(e, "image file %s", file);
	r = unsquash_tar(fd, spool.fd, e);
	return r < 0 ? r : add_layer(x, image, spool.fd, NULL, e);
}

/* --- images ------------------------------------------------------------------------------- */

static int add_config(struct saving *x, const struct image_record *rec, bool squashed,
		      struct save_image *image, struct err *e)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;
	struct digest d;
	int r = 0;

	if (squashed)
		r = squashed_config(rec->config, rec->config_len, image->layers.items[0], &text, e);
	else
		strbuf_add(&text, rec->config, rec->config_len);
	if (r >= 0)
		r = strbuf_check(&text, e);
	if (r >= 0)
		r = digest_of(strbuf_str(&text), text.len, &d, e);
	if (r < 0)
		return r;
	digest_format(&d, image->config);
	image->config_bytes = text.len;
	return add_blob(x, image->config, strbuf_str(&text), text.len, e);
}

static int add_image(struct saving *x, const struct image_save_item *item, struct err *e)
{
	const struct image_record *rec = item->record;
	bool squashed = !has_layers(x->s, rec);
	_strbuf_ struct strbuf manifest = STRBUF_INIT;
	struct save_image image = {.names = &item->names};
	int r = 0;

	if (squashed)
		r = add_squashed_layer(x, rec, &image, e);
	for (size_t i = 0; r >= 0 && !squashed && i < rec->layers.n; i++)
		r = add_stored_layer(x, rec, i, &image, e);
	if (r >= 0)
		r = add_config(x, rec, squashed, &image, e);
	if (r >= 0)
		r = save_image_manifest(&image, &manifest, e);
	if (r >= 0)
		r = add_blob(x, image.manifest, strbuf_str(&manifest), manifest.len, e);
	if (r >= 0)
		r = save_index_add(&x->index, &image, e);
	save_image_free(&image);
	return r;
}

static int add_end(struct saving *x, struct err *e)
{
	static const char layout[] = "{\"imageLayoutVersion\": \"1.0.0\"}";
	_strbuf_ struct strbuf index = STRBUF_INIT, manifest = STRBUF_INIT;
	int r = save_index_format(&x->index, &index, &manifest, e);

	if (r >= 0)
		r = add_text(x, "index.json", strbuf_str(&index), index.len, e);
	if (r >= 0)
		r = add_text(x, "manifest.json", strbuf_str(&manifest), manifest.len, e);
	if (r >= 0)
		r = add_text(x, "oci-layout", layout, strlen(layout), e);
	return r < 0 ? r : tar_out_end(&x->out, e);
}

int image_save(const struct image_save *s, int out_fd, struct err *e)
{
	struct saving x = {.s = s};
	int r;

	tar_out_init(&x.out, out_fd);
	r = add_header(&x, "blobs/", S_IFDIR | 0755, 0, e);
	if (r >= 0)
		r = add_header(&x, "blobs/sha256/", S_IFDIR | 0755, 0, e);
	for (size_t i = 0; r >= 0 && i < s->n; i++)
		r = add_image(&x, &s->items[i], e);
	if (r >= 0)
		r = add_end(&x, e);
	tar_out_free(&x.out);
	strv_free(&x.written);
	save_index_free(&x.index);
	return r;
}
