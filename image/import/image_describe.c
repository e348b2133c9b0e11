/* SPDX-License-Identifier: Apache-2.0 */
#include "image/import/image_describe.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "image/oci/config.h"
#include "image/model/digest.h"
#include "image/table/image_record.h"
#include "image/import/image_time.h"
#include "image/import/import.h"
#include "image/model/source.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"

int image_describe_id(const struct image_source *src, char **ret, struct err *e)
{
	char text[DIGEST_TEXT_MAX];
	struct digest d;
	int r = digest_of(strbuf_str(&src->config), src->config.len, &d, e);

	if (r < 0)
		return r;
	*ret = strdup(digest_format(&d, text));
	return *ret ? 0 : err_oom(e);
}

int image_chain_ids(const struct strv *diff_ids, struct strv *ret, struct err *e)
{
	for (size_t i = 0; i < diff_ids->n; i++) {
		_free_ char *pair = NULL;
		char text[DIGEST_TEXT_MAX];
		struct digest d;
		int r;

		if (!i) {
			strv_add(ret, diff_ids->items[0]);
			continue;
		}
		pair = str_printf("%s %s", ret->items[i - 1], diff_ids->items[i]);
		if (!pair)
			return err_oom(e);
		r = digest_of(pair, strlen(pair), &d, e);
		if (r < 0)
			return r;
		strv_add(ret, digest_format(&d, text));
		if (ret->failed)
			break;
	}
	return strv_check(ret, e);
}

static void add_digest(struct strv *list, const struct digest *d)
{
	char text[DIGEST_TEXT_MAX];

	strv_add(list, digest_format(d, text));
}

static int encode(struct image_record *rec, const struct image_source *src,
		  const struct image_config *c, struct strbuf *out, struct err *e)
{
	_free_ char *id = NULL;
	char manifest[DIGEST_TEXT_MAX];
	int r = image_describe_id(src, &id, e);

	for (size_t i = 0; i < src->below.n; i++)
		strv_add(&rec->layers, src->below.items[i]);
	for (size_t i = 0; i < src->n_layers; i++) {
		/* A directory without one adds none. */
		if (src->layers[i].kind == LAYER_TAR || digest_is_set(&src->layers[i].diff_id))
			add_digest(&rec->layers, &src->layers[i].digest);
	}
	for (size_t i = 0; i < c->n_diff_ids; i++)
		add_digest(&rec->diff_ids, &c->diff_ids[i]);
	if (r >= 0 && (strv_check(&rec->layers, e) < 0 || strv_check(&rec->diff_ids, e) < 0))
		r = -ENOMEM;
	if (r >= 0)
		r = image_chain_ids(&rec->diff_ids, &rec->chain_ids, e);
	if (r < 0)
		return r;
	rec->id = id;
	if (digest_is_set(&src->manifest_digest))
		rec->manifest = digest_format(&src->manifest_digest, manifest);
	return image_record_encode(rec, out, e);
}

int image_describe(const struct image_source *src, const struct import_result *res,
		   uint64_t loaded_ns, struct image_record *ret, struct err *e)
{
	_image_config_ struct image_config c = {0};
	_strbuf_ struct strbuf bytes = STRBUF_INIT;
	struct image_record rec = {
		.size_bytes = res->content_bytes,
		.file_bytes = res->file_bytes,
		.loaded_ns = loaded_ns,
		.config = strbuf_str(&src->config),
		.config_len = src->config.len,
	};
	size_t len;
	int r = image_config_parse(strbuf_str(&src->config), src->config.len, &c, e);

	if (r < 0)
		return err_wrap(e, "image config");
	rec.arch = c.arch;
	rec.os = c.os;
	rec.variant = c.variant;
	rec.created_s = image_time_parse(c.created);
	r = encode(&rec, src, &c, &bytes, e);
	strv_free(&rec.layers);
	strv_free(&rec.diff_ids);
	strv_free(&rec.chain_ids);
	if (r < 0)
		return r;
	len = bytes.len;
	return image_record_decode(ret, strbuf_take(&bytes), len, e);
}
