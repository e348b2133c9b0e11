/* SPDX-License-Identifier: Apache-2.0 */
#include "image/oci/image.h"

#include <stdlib.h>

#include "image/oci/config.h"
#include "image/model/digest.h"
#include "runtime/base/json/json.h"
#include "image/oci/platform.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/str.h"

#define INDEX_DEPTH_MAX 4

enum blob_role { BLOB_DOCUMENT, BLOB_CONFIG, BLOB_LAYER };

/* A digest has been through digest_parse(), so it cannot leave the directory. */
static char *blob_name(const struct oci_blobs *b, const struct digest *d, enum blob_role role)
{
	if (b->bare_names)
		return str_printf("%s%s", d->hex, role == BLOB_DOCUMENT ? ".manifest.json" : "");
	return str_printf("blobs/%s/%s", d->alg, d->hex);
}

static int size_differs(const struct oci_descriptor *d, uint64_t got, struct err *e)
{
	return err_set(e, EBADMSG, "%s:%.12s has %llu bytes, its descriptor says %llu",
		       d->digest.alg, d->digest.hex, (unsigned long long)got,
		       (unsigned long long)d->size_bytes);
}

static int open_blob(const struct oci_blobs *b, const struct digest *d, enum blob_role role,
		     struct file_range *ret, struct err *e)
{
	_free_ char *name = NULL;

	if (b->open)
		return b->open(b->arg, d, ret, e);
	name = blob_name(b, d, role);
	return name ? fileset_open(b->files, name, ret, e) : err_oom(e);
}

static int read_range(const struct file_range *range, struct strbuf *out, struct err *e)
{
	int r;

	if (!strbuf_reserve(out, range->length))
		return strbuf_check(out, e);
	r = io_pread_exact(range->fd, out->data + out->len, range->length, range->offset, e);
	if (r < 0)
		return r;
	out->len += range->length;
	out->data[out->len] = 0;
	return 0;
}

/* A small blob into memory, size and digest verified. */
static int read_blob(const struct oci_blobs *b, const struct oci_descriptor *d, enum blob_role role,
		     size_t max, struct strbuf *out, struct err *e)
{
	struct file_range range;
	int r;

	if (d->size_bytes > max)
		return err_set(e, EFBIG, "%s:%.12s: larger than %zu bytes", d->digest.alg,
			       d->digest.hex, max);
	r = open_blob(b, &d->digest, role, &range, e);
	if (r < 0)
		return r;
	r = range.length == d->size_bytes ? read_range(&range, out, e)
					  : size_differs(d, range.length, e);
	if (range.owns_fd)
		fd_close(&range.fd);
	return r < 0 ? r : digest_verify(strbuf_str(out), out->len, &d->digest, e);
}

static int open_layer(const struct oci_blobs *b, const struct oci_descriptor *d,
		      struct source_layer *ret, struct err *e)
{
	struct file_range range;
	int r = open_blob(b, &d->digest, BLOB_LAYER, &range, e);

	if (r < 0)
		return r;
	*ret = (struct source_layer){
		.kind = LAYER_TAR,
		.digest = d->digest,
		.size_bytes = d->size_bytes,
		.fd = range.fd,
		.offset = range.offset,
		.length = range.length,
		.owns_fd = range.owns_fd,
	};
	return range.length == d->size_bytes ? 0 : size_differs(d, range.length, e);
}

static int open_layers(const struct oci_blobs *b, const struct oci_document *manifest,
		       struct image_source *s, struct err *e)
{
	s->layers = manifest->n ? calloc(manifest->n, sizeof(*s->layers)) : NULL;
	if (manifest->n && !s->layers)
		return err_oom(e);
	for (size_t i = 0; i < manifest->n; i++) {
		struct source_layer *layer = &s->layers[s->n_layers];
		int r;

		layer->fd = -1;
		s->n_layers++;
		r = open_layer(b, &manifest->entries[i], layer, e);
		if (r < 0)
			return err_wrap(e, "layer %zu", i + 1);
	}
	return 0;
}

static int fetch_one(const struct oci_blobs *b, const struct oci_descriptor *d, struct err *e)
{
	return b->fetch ? b->fetch(b->arg, &d, 1, e) : 0;
}

static int fetch_content(const struct oci_blobs *b, const struct oci_document *manifest,
			 struct err *e)
{
	_free_ const struct oci_descriptor **wanted = NULL;

	if (!b->fetch)
		return 0;
	wanted = calloc(manifest->n + 1, sizeof(struct oci_descriptor *));
	if (!wanted)
		return err_oom(e);
	for (size_t i = 0; i < manifest->n; i++)
		wanted[i] = &manifest->entries[i];
	wanted[manifest->n] = &manifest->config;
	return b->fetch(b->arg, wanted, manifest->n + 1, e);
}

static int load_manifest(const struct oci_blobs *b, const struct oci_document *manifest,
			 const struct image_wish *wish, struct image_source *s, struct err *e)
{
	int r = fetch_content(b, manifest, e);

	if (r < 0)
		return r;
	r = read_blob(b, &manifest->config, BLOB_CONFIG, JSON_CONFIG_MAX, &s->config, e);
	if (r < 0)
		return err_wrap(e, "image config");
	s->config_digest = manifest->config.digest;
	r = open_layers(b, manifest, s, e);
	return r < 0 ? r : oci_image_check_config(s, wish, e);
}

/* From a document down to a manifest: text, doc and digest are the outer's and then the inner's. */
static int descend(const struct oci_blobs *b, struct strbuf *text, struct oci_document *doc,
		   struct digest *digest, const struct image_wish *wish, struct err *e)
{
	int r = 0;

	for (int depth = 0; doc->kind == OCI_INDEX; depth++) {
		struct oci_document child = {0};
		size_t i;

		if (depth == INDEX_DEPTH_MAX)
			return err_set(e, EBADMSG, "indexes nested more than %d deep",
				       INDEX_DEPTH_MAX);
		r = platform_choose(wish->platform, doc->entries, doc->n, &i, e);
		if (r < 0)
			return r;
		strbuf_reset(text);
		r = fetch_one(b, &doc->entries[i], e);
		if (r < 0)
			return r;
		r = read_blob(b, &doc->entries[i], BLOB_DOCUMENT, JSON_MANIFEST_MAX, text, e);
		if (r >= 0)
			r = oci_document_parse(strbuf_str(text), text->len,
					       doc->entries[i].media_type, &child, e);
		if (r < 0)
			return err_wrap(e, "image manifest");
		*digest = doc->entries[i].digest;
		oci_document_free(doc);
		*doc = child;
	}
	return 0;
}

/* text is the document's; it moves into s or is freed. */
static int load_document(const struct oci_blobs *b, struct strbuf *text, struct digest digest,
			 const char *media_type, const struct image_wish *wish,
			 struct image_source *s, struct err *e)
{
	_oci_document_ struct oci_document doc = {0};
	int r = oci_document_parse(strbuf_str(text), text->len, media_type, &doc, e);

	if (r < 0)
		return err_wrap(e, "image manifest");
	r = descend(b, text, &doc, &digest, wish, e);
	if (r < 0)
		return r;
	s->manifest_digest = digest;
	s->manifest = *text;
	*text = (struct strbuf)STRBUF_INIT;
	return load_manifest(b, &doc, wish, s, e);
}

static int read_root(const struct oci_blobs *b, const struct oci_descriptor *root,
		     struct strbuf *text, struct err *e)
{
	int r = fetch_one(b, root, e);

	if (r < 0)
		return r;
	r = read_blob(b, root, BLOB_DOCUMENT, JSON_MANIFEST_MAX, text, e);
	return r < 0 ? err_wrap(e, "image manifest") : 0;
}

int oci_image_load(const struct oci_blobs *b, const struct oci_descriptor *root,
		   const struct image_wish *wish, struct image_source *s, struct err *e)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;
	int r = read_root(b, root, &text, e);

	return r < 0 ? r : load_document(b, &text, root->digest, root->media_type, wish, s, e);
}

int oci_image_resolve(const struct oci_blobs *b, const struct oci_descriptor *root,
		      const struct image_wish *wish, struct digest *ret, struct err *e)
{
	_oci_document_ struct oci_document doc = {0};
	_strbuf_ struct strbuf text = STRBUF_INIT;
	int r = read_root(b, root, &text, e);

	if (r < 0)
		return r;
	r = oci_document_parse(strbuf_str(&text), text.len, root->media_type, &doc, e);
	if (r < 0)
		return err_wrap(e, "image manifest");
	*ret = root->digest;
	return descend(b, &text, &doc, ret, wish, e);
}

int oci_image_load_text(const struct oci_blobs *b, struct strbuf *text,
			const struct image_wish *wish, struct image_source *s, struct err *e)
{
	struct digest digest;
	int r = digest_of(strbuf_str(text), text->len, &digest, e);

	return r < 0 ? r : load_document(b, text, digest, NULL, wish, s, e);
}

static int wrong_platform(const struct image_config *c, const struct image_wish *wish,
			  struct err *e)
{
	_strbuf_ struct strbuf has = STRBUF_INIT, wanted = STRBUF_INIT;

	platform_format(&has, c->os, c->arch, NULL);
	platform_format(&wanted, wish->platform->os, wish->platform->arch, NULL);
	err_set(e, ENOENT, "the image is for %s, not for %s", strbuf_str(&has),
		strbuf_str(&wanted));
	if (!wish->explicit && c->os && str_eq(c->os, "linux"))
		err_append(e, "--arch imports it all the same");
	return -ENOENT;
}

int oci_image_check_config(struct image_source *s, const struct image_wish *wish, struct err *e)
{
	_image_config_ struct image_config c = {0};
	int r = image_config_parse(strbuf_str(&s->config), s->config.len, &c, e);

	if (r < 0)
		return err_wrap(e, "image config");
	/* The variant is left out: builders often forget it, and the index has had its say. */
	if (platform_rank(wish->platform, c.os, c.arch, wish->platform->variant) < 0)
		return wrong_platform(&c, wish, e);
	if (c.n_diff_ids != s->n_layers)
		return err_set(e, EBADMSG, "%zu layers, but the config has %zu diff_ids",
			       s->n_layers, c.n_diff_ids);
	for (size_t i = 0; i < s->n_layers; i++)
		s->layers[i].diff_id = c.diff_ids[i];
	return 0;
}
