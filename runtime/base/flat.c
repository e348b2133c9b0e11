/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/base/flat.h"

#include <string.h>

#include "runtime/base/err.h"

#define HEADER_BYTES 16u
#define FIELD_BYTES 8u

static void put32(unsigned char *p, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		p[i] = (unsigned char)(v >> (8 * i));
}

static uint32_t get32(const unsigned char *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint64_t get64(const unsigned char *p)
{
	return get32(p) | (uint64_t)get32(p + 4) << 32;
}

/*
 * FNV-1a over words of eight bytes, folded: tells a torn or mixed-up record from a whole one; no
 * defence against forgery. Every start checks two records of some kilobytes, list thousands.
 */
static uint32_t checksum(const unsigned char *p, size_t len)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (; len >= 8; p += 8, len -= 8) {
		h = (h ^ get64(p)) * UINT64_C(0x100000001b3);
		h ^= h >> 32; /* else the top bits of a word reach nothing below them */
	}
	while (len--)
		h = (h ^ *p++) * UINT64_C(0x100000001b3);
	return (uint32_t)(h ^ h >> 32);
}

void flat_begin(struct flat_writer *w, uint32_t magic, uint32_t version)
{
	unsigned char head[HEADER_BYTES] = {0};

	w->buf = (struct strbuf)STRBUF_INIT;
	put32(head, magic);
	put32(head + 4, version);
	strbuf_add(&w->buf, head, sizeof(head));
}

void flat_bytes(struct flat_writer *w, uint16_t tag, const void *data, size_t len)
{
	static const char zero[4];
	unsigned char head[FIELD_BYTES] = {(unsigned char)tag, (unsigned char)(tag >> 8)};

	if (len > UINT32_MAX - 64) {
		w->buf.failed = true;
		return;
	}
	put32(head + 4, (uint32_t)len);
	strbuf_add(&w->buf, head, sizeof(head));
	strbuf_add(&w->buf, data, len);
	strbuf_add(&w->buf, zero, -len & 3);
}

void flat_str(struct flat_writer *w, uint16_t tag, const char *s)
{
	if (s)
		flat_bytes(w, tag, s, strlen(s) + 1);
}

void flat_u64(struct flat_writer *w, uint16_t tag, uint64_t v)
{
	unsigned char b[8];

	put32(b, (uint32_t)v);
	put32(b + 4, (uint32_t)(v >> 32));
	flat_bytes(w, tag, b, sizeof(b));
}

void flat_strv(struct flat_writer *w, uint16_t tag, const struct strv *v)
{
	for (size_t i = 0; i < v->n; i++)
		flat_str(w, tag, v->items[i]);
}

int flat_end(struct flat_writer *w, struct err *e)
{
	unsigned char *p;

	if (w->buf.failed || w->buf.len > UINT32_MAX)
		return err_oom(e);
	p = (unsigned char *)w->buf.data;
	put32(p + 8, (uint32_t)w->buf.len);
	put32(p + 12, checksum(p + HEADER_BYTES, w->buf.len - HEADER_BYTES));
	return 0;
}

void flat_free(struct flat_writer *w)
{
	strbuf_free(&w->buf);
}

int flat_open(struct flat_reader *r, const void *buf, size_t len, uint32_t magic, uint32_t version,
	      struct err *e)
{
	const unsigned char *p = buf;

	if (len < HEADER_BYTES || get32(p) != magic)
		return err_set(e, EBADMSG, "not a record of this kind");
	r->version = get32(p + 4);
	if (r->version != version)
		return err_set(e, EPROTO, "a record of %s csbx (version %u, not %u)",
			       r->version < version ? "an older" : "a newer", r->version, version);
	if (get32(p + 8) != len || get32(p + 12) != checksum(p + HEADER_BYTES, len - HEADER_BYTES))
		return err_set(e, EBADMSG, "damaged record");
	r->p = p + HEADER_BYTES;
	r->end = p + len;
	return 0;
}

int flat_next(struct flat_reader *r, struct flat_field *f, struct err *e)
{
	size_t left = (size_t)(r->end - r->p), len, padded;

	if (!left)
		return 0;
	if (left < FIELD_BYTES)
		return err_set(e, EBADMSG, "damaged record: cut field");
	len = get32(r->p + 4);
	padded = (len + 3) & ~(size_t)3;
	if (padded < len || padded > left - FIELD_BYTES)
		return err_set(e, EBADMSG, "damaged record: field past the end");
	f->tag = (uint16_t)(r->p[0] | r->p[1] << 8);
	f->len = len;
	f->data = r->p + FIELD_BYTES;
	r->p += FIELD_BYTES + padded;
	return 1;
}

int flat_get_u64(const struct flat_field *f, uint64_t *ret, struct err *e)
{
	const unsigned char *p = f->data;

	if (f->len != 8)
		return err_set(e, EBADMSG, "damaged record: field %u is no number", f->tag);
	*ret = get64(p);
	return 0;
}

int flat_get_str(const struct flat_field *f, const char **ret, struct err *e)
{
	const char *s = f->data;

	if (!f->len || memchr(s, 0, f->len) != s + f->len - 1)
		return err_set(e, EBADMSG, "damaged record: field %u is no string", f->tag);
	*ret = s;
	return 0;
}
