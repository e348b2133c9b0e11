/* SPDX-License-Identifier: Apache-2.0 */
#include "image/save/push.h"

#include <stdlib.h>
#include <unistd.h>

#include "image/bytes/packed_file.h"
#include "image/bytes/spool.h"
#include "image/oci/json.h"
#include "image/save/put_blobs.h"
#include "image/store/store.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/json/json.h"
#include "runtime/base/json/out.h"
#include "runtime/base/str.h"

#define MEDIA_CONFIG "application/vnd.oci.image.config.v1+json"
#define MEDIA_LAYER "application/vnd.oci.image.layer.v1.tar"

struct pushing {
	const struct image_push *p;
	struct image_layers layers;
	struct put_blob *blobs; /* by layer */
	const char **suffixes;  /* of their media types */
	struct strv diff_ids;
};

/* --- blobs --------------------------------------------------------------------------------------- */

/* The suffix for a stored layer's compression, which its first bytes tell as everywhere. */
static const char *suffix_of(int fd)
{
	static const unsigned char gzip[] = {0x1f, 0x8b}, zstd[] = {0x28, 0xb5, 0x2f, 0xfd};
	unsigned char head[4] = {0};

	if (pread(fd, head, sizeof(head), 0) < 0)
		return "";
	return !memcmp(head, gzip, sizeof(gzip))   ? "+gzip"
	       : !memcmp(head, zstd, sizeof(zstd)) ? "+zstd"
						   : "";
}

static int open_stored(struct pushing *x, const struct image_layer *l, size_t i, struct err *e)
{
	struct put_blob *b = &x->blobs[i];

	b->fd = store_open_blob(x->p->content->store, &l->stored, &b->bytes, e);
	if (b->fd < 0)
		return b->fd;
	b->digest = l->stored;
	b->is_stored = true;
	x->suffixes[i] = suffix_of(b->fd);
	strv_add(&x->diff_ids, l->diff_id);
	return 0;
}

static int make(struct pushing *x, const struct image_layer *l, size_t i, struct err *e)
{
	const struct image_content *c = x->p->content;
	struct layer_tar tar = LAYER_TAR_INIT;
	struct packed_file packed = {.fd = -1};
	char diff_id[DIGEST_TEXT_MAX];
	int r = image_layer_tar(c, x->p->record, l, &tar, e);

	if (r >= 0)
		r = (x->p->by_zstd ? packed_file_zstd : packed_file_gzip)(tar.fd, c->dirfd, &packed,
									  e);
	fd_close(&tar.fd);
	if (r < 0) {
		fd_close(&packed.fd);
		return r;
	}
	x->blobs[i] = (struct put_blob){packed.digest, packed.bytes, packed.fd, false};
	x->suffixes[i] = x->p->by_zstd ? "+zstd" : "+gzip";
	strv_add(&x->diff_ids, digest_format(&tar.diff_id, diff_id));
	return 0;
}

/* Layers that are made anew are made before the first byte goes: no thread is there yet. */
static int open_layers(struct pushing *x, struct err *e)
{
	int r = 0;

	x->blobs = calloc(x->layers.n + 1, sizeof(*x->blobs));
	x->suffixes = calloc(x->layers.n + 1, sizeof(*x->suffixes));
	if (!x->blobs || !x->suffixes)
		return err_oom(e);
	for (size_t i = 0; i < x->layers.n; i++)
		x->blobs[i].fd = -1;
	if (x->p->begun)
		x->p->begun(x->p->arg, &x->layers);
	for (size_t i = 0; r >= 0 && i < x->layers.n; i++) {
		const struct image_layer *l = &x->layers.items[i];

		r = l->kind == IMAGE_LAYER_STORED ? open_stored(x, l, i, e) : make(x, l, i, e);
	}
	return r < 0 ? r : strv_check(&x->diff_ids, e);
}

static int push_layers(struct pushing *x, struct err *e)
{
	const struct put_blobs all = {
		.registry = x->p->registry,
		.mount_from = x->p->mount_from,
		.items = x->blobs,
		.n = x->layers.n,
		.connections = x->p->connections,
		.done = x->p->layer_done,
		.progress = x->p->progress,
		.arg = x->p->arg,
	};

	return put_blobs(&all, e);
}

static int push_text(struct pushing *x, const struct strbuf *text, struct put_blob *ret,
		     struct err *e)
{
	_spool_ struct spool file = SPOOL_INIT;
	int r = digest_of(strbuf_str(text), text->len, &ret->digest, e);

	if (r >= 0)
		r = spool_open(&file, x->p->content->dirfd, e);
	if (r >= 0)
		r = spool_write(&file, strbuf_str(text), text->len, e);
	if (r >= 0) {
		const struct registry_upload u = {.digest = ret->digest,
						  .size_bytes = ret->bytes = text->len,
						  .fd = file.fd,
						  .mount_from = x->p->mount_from};

		r = registry_put_blob(x->p->registry, &u, e);
	}
	return r;
}

/* --- manifests ------------------------------------------------------------------------------------ */

static void descriptor(struct json_out *j, const char *type, const char *suffix,
		       const struct put_blob *b)
{
	_free_ char *media_type = str_printf("%s%s", type, suffix);
	char digest[DIGEST_TEXT_MAX];

	json_begin_object(j);
	json_kstr(j, "mediaType", media_type ? media_type : type);
	json_kstr(j, "digest", digest_format(&b->digest, digest));
	json_ku64(j, "size", b->bytes);
	json_end_object(j);
}

static int make_manifest(const struct pushing *x, const struct put_blob *config, struct strbuf *out,
			 struct err *e)
{
	struct json_out j = JSON_OUT_INIT;
	int r;

	json_begin_object(&j);
	json_ku64(&j, "schemaVersion", 2);
	json_kstr(&j, "mediaType", OCI_MEDIA_MANIFEST);
	json_key(&j, "config");
	descriptor(&j, MEDIA_CONFIG, "", config);
	json_key(&j, "layers");
	json_begin_array(&j);
	for (size_t i = 0; i < x->layers.n; i++)
		descriptor(&j, MEDIA_LAYER, x->suffixes[i], &x->blobs[i]);
	json_end_array(&j);
	json_end_object(&j);
	r = json_finish(&j, e);
	if (r >= 0)
		strbuf_add(out, strbuf_str(&j.buf), j.buf.len);
	json_out_free(&j);
	return r < 0 ? r : strbuf_check(out, e);
}

/* The manifest it came with, where all of it goes back as it came. */
static bool has_own_manifest(const struct pushing *x, struct strbuf *out)
{
	const struct image_record *rec = x->p->record;
	struct digest d;

	if (x->layers.has_joined || rec->n_lowers || !rec->manifest || !x->p->content->store ||
	    digest_parse(rec->manifest, &d, NULL) < 0)
		return false;
	return store_read_blob(x->p->content->store, &d, JSON_MANIFEST_MAX, out, NULL) >= 0;
}

/* The media type that it names; one that names none is OCI's. */
static int media_type_of(const struct strbuf *manifest, char **ret, struct err *e)
{
	_json_ struct json *doc = NULL;
	const char *type = NULL;
	int r = json_parse(strbuf_str(manifest), manifest->len, JSON_MANIFEST_MAX, &doc, e);

	if (r >= 0)
		r = json_get_str(doc, "mediaType", &type, e);
	if (r < 0)
		return err_wrap(e, "manifest in the cache");
	*ret = strdup(type ? type : OCI_MEDIA_MANIFEST);
	return *ret ? 0 : err_oom(e);
}

static int push_documents(struct pushing *x, struct digest *ret_manifest, uint64_t *ret_bytes,
			  struct err *e)
{
	_strbuf_ struct strbuf config = STRBUF_INIT, manifest = STRBUF_INIT;
	_free_ char *type = NULL;
	struct put_blob pushed = {.fd = -1};
	int r = image_layers_config(x->p->record, &x->layers, &x->diff_ids, &config, e);

	if (r >= 0)
		r = push_text(x, &config, &pushed, e);
	if (r >= 0 && !has_own_manifest(x, &manifest)) {
		strbuf_reset(&manifest);
		r = make_manifest(x, &pushed, &manifest, e);
	}
	if (r >= 0)
		r = media_type_of(&manifest, &type, e);
	if (r >= 0)
		r = digest_of(strbuf_str(&manifest), manifest.len, ret_manifest, e);
	*ret_bytes = manifest.len;
	return r < 0 ? r
		     : registry_put_manifest(x->p->registry, type, strbuf_str(&manifest),
					     manifest.len, e);
}

static void drop(struct pushing *x)
{
	for (size_t i = 0; x->blobs && i < x->layers.n; i++)
		fd_close(&x->blobs[i].fd);
	free(x->blobs);
	free(x->suffixes);
	image_layers_free(&x->layers);
	strv_free(&x->diff_ids);
	*x = (struct pushing){.p = x->p};
}

int image_push(const struct image_push *p, struct digest *ret_manifest, uint64_t *ret_bytes,
	       struct err *e)
{
	struct pushing x = {.p = p};
	int r = image_layers_find(p->content, p->record, &x.layers, e);

	if (r >= 0)
		r = open_layers(&x, e);
	/* A file that does not give its layer again is still read with the others. */
	if (r == -ESTALE) {
		drop(&x);
		r = image_layers_join_all(p->record, &x.layers, e);
		if (r >= 0)
			r = open_layers(&x, e);
	}
	if (r >= 0)
		r = push_layers(&x, e);
	if (r >= 0)
		r = push_documents(&x, ret_manifest, ret_bytes, e);
	drop(&x);
	return r < 0 ? r : 0;
}
