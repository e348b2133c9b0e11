/* SPDX-License-Identifier: Apache-2.0 */
#include "image/save/save.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "image/model/digest.h"
#include "image/save/index.h"
#include "image/save/layers.h"
#include "image/pack/tar_out.h"
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
	int r = buf ? 0 : err_oom(e);

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
	int r = name ? note_blob(x, digest, e) : err_oom(e);

	return r ? (r < 0 ? r : 0) : add_text(x, name, text, len, e);
}

/* --- layers ------------------------------------------------------------------------------- */

static int add_layer(struct saving *x, const struct image_record *rec, const struct image_layer *l,
		     struct save_image *image, struct err *e)
{
	struct layer_tar tar;
	_close_ int fd = -1;
	_free_ char *name = NULL;
	char digest[DIGEST_TEXT_MAX];
	int r = image_layer_tar(&x->s->content, rec, l, &tar, e);

	fd = tar.fd;
	if (r < 0)
		return r;
	digest_format(&tar.diff_id, digest);
	r = save_image_add_layer(image, digest, tar.bytes, e);
	name = blob_name(digest);
	if (r >= 0)
		r = name ? note_blob(x, digest, e) : err_oom(e);
	if (r)
		return r < 0 ? r : 0;
	r = add_header(x, name, S_IFREG | 0644, tar.bytes, e);
	return r < 0 ? r : copy_file(x, fd, tar.bytes, e);
}

static int add_layers(struct saving *x, const struct image_record *rec,
		      const struct image_layers *l, struct save_image *image, struct err *e)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i < l->n; i++)
		r = add_layer(x, rec, &l->items[i], image, e);
	return r;
}

/* --- images ------------------------------------------------------------------------------- */

static int add_config(struct saving *x, const struct image_record *rec,
		      const struct image_layers *l, struct save_image *image, struct err *e)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;
	struct digest d;
	int r = image_layers_config(rec, l, &image->layers, &text, e);

	if (r >= 0)
		r = digest_of(strbuf_str(&text), text.len, &d, e);
	if (r < 0)
		return r;
	digest_format(&d, image->config);
	image->config_bytes = text.len;
	return add_blob(x, image->config, strbuf_str(&text), text.len, e);
}

static int add_documents(struct saving *x, struct save_image *image, struct err *e)
{
	_strbuf_ struct strbuf manifest = STRBUF_INIT;
	int r = save_image_manifest(image, &manifest, e);

	if (r >= 0)
		r = add_blob(x, image->manifest, strbuf_str(&manifest), manifest.len, e);
	return r < 0 ? r : save_index_add(&x->index, image, e);
}

static int add_image(struct saving *x, const struct image_save_item *item, struct err *e)
{
	const struct image_record *rec = item->record;
	struct save_image image = {.names = &item->names};
	struct image_layers layers;
	int r = image_layers_find(&x->s->content, rec, &layers, e);

	if (r >= 0)
		r = add_layers(x, rec, &layers, &image, e);
	/* A file that does not give its layer again is still read with the others. */
	if (r == -ESTALE) {
		image_layers_free(&layers);
		save_image_free(&image);
		image = (struct save_image){.names = &item->names};
		r = image_layers_join_all(rec, &layers, e);
		if (r >= 0)
			r = add_layers(x, rec, &layers, &image, e);
	}
	if (r >= 0)
		r = add_config(x, rec, &layers, &image, e);
	if (r >= 0)
		r = add_documents(x, &image, e);
	image_layers_free(&layers);
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
