/* SPDX-License-Identifier: Apache-2.0 */
#include "image/table/image_record.h"

#include <stdlib.h>

#include "image/table/image_name.h"
#include "runtime/base/err.h"
#include "runtime/base/flat.h"

enum tag {
	TAG_ID = 1,    /* str: sha256:HEX */
	TAG_MANIFEST,  /* str */
	TAG_ARCH,      /* str */
	TAG_OS,        /* str */
	TAG_VARIANT,   /* str */
	TAG_SIZE,      /* u64 */
	TAG_FILE_SIZE, /* u64 */
	TAG_CREATED,   /* u64: seconds */
	TAG_LOADED,    /* u64: nanoseconds */
	TAG_CONFIG,    /* bytes */
	TAG_LAYER,     /* str, repeated */
	TAG_DIFF_ID,   /* str, repeated */
	TAG_CHAIN_ID,  /* str, repeated */
	TAG_NAME,      /* str: of a tag */
	TAG_TAGGED,    /* u64: nanoseconds; of a tag */
	TAG_LOWERS,    /* u64 */
};

static int finish(struct flat_writer *w, struct strbuf *out, struct err *e)
{
	int r = flat_end(w, e);

	if (!r) {
		strbuf_add(out, w->buf.data, w->buf.len);
		r = strbuf_check(out, e);
	}
	flat_free(w);
	return r;
}

int image_record_encode(const struct image_record *r, struct strbuf *out, struct err *e)
{
	struct flat_writer w;

	flat_begin(&w, IMAGE_RECORD_MAGIC,
		   r->n_lowers ? IMAGE_RECORD_VERSION_STACK : IMAGE_RECORD_VERSION);
	flat_str(&w, TAG_ID, r->id);
	flat_str(&w, TAG_MANIFEST, r->manifest);
	flat_str(&w, TAG_ARCH, r->arch);
	flat_str(&w, TAG_OS, r->os);
	flat_str(&w, TAG_VARIANT, r->variant);
	flat_u64(&w, TAG_SIZE, r->size_bytes);
	flat_u64(&w, TAG_FILE_SIZE, r->file_bytes);
	flat_u64(&w, TAG_CREATED, r->created_s);
	flat_u64(&w, TAG_LOADED, r->loaded_ns);
	if (r->config)
		flat_bytes(&w, TAG_CONFIG, r->config, r->config_len);
	if (r->n_lowers)
		flat_u64(&w, TAG_LOWERS, r->n_lowers);
	flat_strv(&w, TAG_LAYER, &r->layers);
	flat_strv(&w, TAG_DIFF_ID, &r->diff_ids);
	flat_strv(&w, TAG_CHAIN_ID, &r->chain_ids);
	return finish(&w, out, e);
}

static int get_item(const struct flat_field *f, struct strv *list, struct err *e)
{
	const char *s;
	int r = flat_get_str(f, &s, e);

	if (r < 0)
		return r;
	strv_add(list, s);
	return strv_check(list, e);
}

static int decode_field(struct image_record *r, const struct flat_field *f, struct err *e)
{
	switch (f->tag) {
	case TAG_ID:
		return flat_get_str(f, &r->id, e);
	case TAG_MANIFEST:
		return flat_get_str(f, &r->manifest, e);
	case TAG_ARCH:
		return flat_get_str(f, &r->arch, e);
	case TAG_OS:
		return flat_get_str(f, &r->os, e);
	case TAG_VARIANT:
		return flat_get_str(f, &r->variant, e);
	case TAG_SIZE:
		return flat_get_u64(f, &r->size_bytes, e);
	case TAG_FILE_SIZE:
		return flat_get_u64(f, &r->file_bytes, e);
	case TAG_CREATED:
		return flat_get_u64(f, &r->created_s, e);
	case TAG_LOADED:
		return flat_get_u64(f, &r->loaded_ns, e);
	case TAG_CONFIG:
		r->config = f->data;
		r->config_len = f->len;
		return 0;
	case TAG_LAYER:
		return get_item(f, &r->layers, e);
	case TAG_DIFF_ID:
		return get_item(f, &r->diff_ids, e);
	case TAG_CHAIN_ID:
		return get_item(f, &r->chain_ids, e);
	case TAG_LOWERS:
		return flat_get_u64(f, &r->n_lowers, e);
	default:
		return 0;
	}
}

static bool id_ok(const char *id)
{
	return id && str_has_prefix(id, "sha256:") && image_id_hex(id);
}

int image_record_decode(struct image_record *ret, void *buf, size_t len, struct err *e)
{
	struct flat_reader reader;
	struct flat_field f;
	int r;

	*ret = (struct image_record){.memory = buf};
	r = flat_open(&reader, buf, len, IMAGE_RECORD_MAGIC, IMAGE_RECORD_VERSION, e);
	if (r == -EPROTO && reader.version == IMAGE_RECORD_VERSION_STACK)
		r = flat_open(&reader, buf, len, IMAGE_RECORD_MAGIC, IMAGE_RECORD_VERSION_STACK, e);
	while (r >= 0 && (r = flat_next(&reader, &f, e)) > 0)
		r = decode_field(ret, &f, e);
	if (r >= 0 && !id_ok(ret->id))
		r = err_set(e, EBADMSG, "damaged record: no image id");
	if (r >= 0 && ret->n_lowers > IMAGE_LOWERS_MAX)
		r = err_set(e, EBADMSG, "damaged record: too many files");
	if (r < 0)
		image_record_free(ret);
	return r < 0 ? r : 0;
}

void image_record_free(struct image_record *r)
{
	strv_free(&r->layers);
	strv_free(&r->diff_ids);
	strv_free(&r->chain_ids);
	free(r->memory);
	*r = (struct image_record){0};
}

int image_tag_encode(const struct image_tag *t, struct strbuf *out, struct err *e)
{
	struct flat_writer w;

	flat_begin(&w, IMAGE_TAG_MAGIC, IMAGE_TAG_VERSION);
	flat_str(&w, TAG_NAME, t->name);
	flat_str(&w, TAG_ID, t->id);
	flat_u64(&w, TAG_TAGGED, t->tagged_ns);
	return finish(&w, out, e);
}

/* A name is shown and parsed again: it must be one that was canonical when it was written. */
static bool name_ok(const char *name)
{
	_image_name_ struct image_name n = {0};
	char *canonical;
	bool same;

	if (!name || image_name_parse(name, &n, NULL) < 0)
		return false;
	canonical = image_name_canonical(&n);
	same = canonical && str_eq(canonical, name);
	free(canonical);
	return same;
}

int image_tag_decode(struct image_tag *ret, void *buf, size_t len, struct err *e)
{
	struct flat_reader reader;
	struct flat_field f;
	int r;

	*ret = (struct image_tag){.memory = buf};
	r = flat_open(&reader, buf, len, IMAGE_TAG_MAGIC, IMAGE_TAG_VERSION, e);
	while (r >= 0 && (r = flat_next(&reader, &f, e)) > 0) {
		if (f.tag == TAG_NAME)
			r = flat_get_str(&f, &ret->name, e);
		else if (f.tag == TAG_ID)
			r = flat_get_str(&f, &ret->id, e);
		else if (f.tag == TAG_TAGGED)
			r = flat_get_u64(&f, &ret->tagged_ns, e);
	}
	if (r >= 0 && (!id_ok(ret->id) || !name_ok(ret->name)))
		r = err_set(e, EBADMSG, "damaged record: no name or no image");
	if (r < 0)
		image_tag_free(ret);
	return r < 0 ? r : 0;
}

void image_tag_free(struct image_tag *t)
{
	free(t->memory);
	*t = (struct image_tag){0};
}
