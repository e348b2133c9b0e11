/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/record/container_record.h"

#include <stdlib.h>

#include "runtime/base/err.h"
#include "runtime/base/flat.h"
#include "runtime/spec/name.h"

enum tag {
	TAG_KIND = 1, /* u64: enum rootfs_kind */
	TAG_PIN,      /* u64: enum image_pin */
	TAG_IMAGE,    /* str: absolute path */
	TAG_DEV,      /* u64 */
	TAG_INO,      /* u64 */
	TAG_SIZE,     /* u64 */
	TAG_MTIME,    /* u64: nanoseconds */
	TAG_CREATED,  /* u64: nanoseconds */
	TAG_META,     /* bytes: image_meta record */
	TAG_ID,       /* str: 64 hexadecimal digits */
	TAG_DIALECT,  /* u64: enum container_dialect */
	TAG_LABEL,    /* str, repeated */
	TAG_REF,      /* str */
	TAG_DIGEST,   /* str */
	TAG_OWNER,    /* str */
	TAG_FLAGS,    /* u64: enum flag */
	TAG_SPEC,     /* bytes: spec_flat record */
	TAG_NOTE,     /* str, repeated */
};

enum flag { FLAG_AUTO_REMOVE = 1u << 0, FLAG_OPEN_STDIN = 1u << 1 };

int container_record_encode(const struct container_record *r, struct strbuf *out, struct err *e)
{
	const uint64_t flags =
		(r->auto_remove ? FLAG_AUTO_REMOVE : 0) | (r->open_stdin ? FLAG_OPEN_STDIN : 0);
	struct flat_writer w;
	int ret;

	flat_begin(&w, CONTAINER_RECORD_MAGIC,
		   r->is_stack ? CONTAINER_RECORD_VERSION_STACK
		   : r->spec   ? CONTAINER_RECORD_VERSION
			       : CONTAINER_RECORD_VERSION_RECIPE);
	flat_u64(&w, TAG_KIND, r->kind);
	flat_u64(&w, TAG_PIN, r->pin);
	flat_str(&w, TAG_IMAGE, r->image);
	flat_u64(&w, TAG_DEV, r->id.dev);
	flat_u64(&w, TAG_INO, r->id.ino);
	flat_u64(&w, TAG_SIZE, r->id.size_bytes);
	flat_u64(&w, TAG_MTIME, r->id.mtime_ns);
	flat_u64(&w, TAG_CREATED, r->created_ns);
	if (r->meta)
		flat_bytes(&w, TAG_META, r->meta, r->meta_len);
	flat_str(&w, TAG_ID, r->container_id);
	flat_u64(&w, TAG_DIALECT, r->dialect);
	flat_strv(&w, TAG_LABEL, &r->labels);
	flat_str(&w, TAG_REF, r->image_ref);
	flat_str(&w, TAG_DIGEST, r->image_digest);
	flat_str(&w, TAG_OWNER, r->owner);
	flat_u64(&w, TAG_FLAGS, flags);
	if (r->spec)
		flat_bytes(&w, TAG_SPEC, r->spec, r->spec_len);
	flat_strv(&w, TAG_NOTE, &r->notes);
	ret = flat_end(&w, e);
	if (!ret) {
		strbuf_add(out, w.buf.data, w.buf.len);
		ret = strbuf_check(out, e);
	}
	flat_free(&w);
	return ret;
}

static int decode_life(struct container_record *r, const struct flat_field *f, struct err *e)
{
	const char *text;
	uint64_t v = 0;
	int ret;

	switch (f->tag) {
	case TAG_ID:
		ret = flat_get_str(f, &r->container_id, e);
		if (!ret && !name_is_container_id(r->container_id))
			return err_set(e, EBADMSG, "damaged record: no container id");
		return ret;
	case TAG_DIALECT:
		ret = flat_get_u64(f, &v, e);
		r->dialect = (enum container_dialect)v;
		if (!ret && v >= DIALECT_MAX)
			return err_set(e, EBADMSG, "damaged record: unknown dialect");
		return ret;
	case TAG_LABEL:
		ret = flat_get_str(f, &text, e);
		if (!ret)
			strv_add(&r->labels, text);
		return ret;
	case TAG_NOTE:
		ret = flat_get_str(f, &text, e);
		if (!ret)
			strv_add(&r->notes, text);
		return ret;
	case TAG_REF:
		return flat_get_str(f, &r->image_ref, e);
	case TAG_DIGEST:
		return flat_get_str(f, &r->image_digest, e);
	case TAG_OWNER:
		return flat_get_str(f, &r->owner, e);
	case TAG_FLAGS:
		ret = flat_get_u64(f, &v, e);
		r->auto_remove = v & FLAG_AUTO_REMOVE;
		r->open_stdin = v & FLAG_OPEN_STDIN;
		return ret;
	case TAG_SPEC:
		r->spec = f->data;
		r->spec_len = f->len;
		return 0;
	default:
		return 0;
	}
}

static int decode_field(struct container_record *r, const struct flat_field *f, struct err *e)
{
	uint64_t v;
	int ret;

	switch (f->tag) {
	case TAG_KIND:
		ret = flat_get_u64(f, &v, e);
		r->kind = (enum rootfs_kind)v;
		if (!ret && v != ROOTFS_SQUASHFS && v != ROOTFS_DIRECTORY)
			return err_set(e, EBADMSG, "damaged record: unknown kind of root");
		return ret;
	case TAG_PIN:
		ret = flat_get_u64(f, &v, e);
		r->pin = (enum image_pin)v;
		if (!ret && (v < PIN_LINK || v > PIN_PATH))
			return err_set(e, EBADMSG, "damaged record: unknown kind of pin");
		return ret;
	case TAG_IMAGE:
		return flat_get_str(f, &r->image, e);
	case TAG_DEV:
		return flat_get_u64(f, &r->id.dev, e);
	case TAG_INO:
		return flat_get_u64(f, &r->id.ino, e);
	case TAG_SIZE:
		return flat_get_u64(f, &r->id.size_bytes, e);
	case TAG_MTIME:
		return flat_get_u64(f, &r->id.mtime_ns, e);
	case TAG_CREATED:
		return flat_get_u64(f, &r->created_ns, e);
	case TAG_META:
		r->meta = f->data;
		r->meta_len = f->len;
		return 0;
	default:
		return decode_life(r, f, e);
	}
}

static int open_any(struct flat_reader *reader, const void *buf, size_t len, struct err *e)
{
	int r = flat_open(reader, buf, len, CONTAINER_RECORD_MAGIC, CONTAINER_RECORD_VERSION, e);

	if (r == -EPROTO && (reader->version == CONTAINER_RECORD_VERSION_RECIPE ||
			     reader->version == CONTAINER_RECORD_VERSION_STACK))
		r = flat_open(reader, buf, len, CONTAINER_RECORD_MAGIC, reader->version, e);
	return r;
}

int container_record_decode(struct container_record *ret, void *buf, size_t len, struct err *e)
{
	struct flat_reader reader;
	struct flat_field f;
	int r;

	*ret = (struct container_record){.memory = buf};
	r = open_any(&reader, buf, len, e);
	ret->is_stack = r >= 0 && reader.version == CONTAINER_RECORD_VERSION_STACK;
	while (r >= 0 && (r = flat_next(&reader, &f, e)) > 0)
		r = decode_field(ret, &f, e);
	if (r >= 0 && (!ret->image || *ret->image != '/' || !ret->pin))
		r = err_set(e, EBADMSG, "damaged record: no image");
	if (r >= 0 && ret->spec && !ret->container_id)
		r = err_set(e, EBADMSG, "damaged record: no container id");
	if (r >= 0)
		r = strv_check(&ret->labels, e);
	if (r >= 0)
		r = strv_check(&ret->notes, e);
	if (r < 0)
		container_record_free(ret);
	return r < 0 ? r : 0;
}

void container_record_free(struct container_record *r)
{
	strv_free(&r->labels);
	strv_free(&r->notes);
	free(r->memory);
	*r = (struct container_record){0};
}

int container_missing(struct err *e)
{
	return err_from(ERR_NO_CONTAINER, e, err_set(e, ENOENT, "no such container"));
}
