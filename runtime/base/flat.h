/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_BASE_FLAT_H
#define CSBX_BASE_FLAT_H

/*
 * Flat records: the one binary form of what csbx stores and passes between its own programs
 * (container and instance records, image meta, specs). Little endian, no pointers:
 *
 *	header  u32 magic, u32 version, u32 total bytes (header included), u32 checksum of the rest
 *	field   u16 tag, u16 0, u32 length, length bytes, zero padding to a multiple of 4
 *
 * A tag may repeat (lists); readers pass over tags they do not know. Strings are stored with
 * their NUL and are refused without one, so a reader may use them in place. Reading is a pure
 * function of (buf, len): every length is checked, nothing is copied.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/str.h"

struct err;

struct flat_writer {
	struct strbuf buf;
};

void flat_begin(struct flat_writer *w, uint32_t magic, uint32_t version);
void flat_bytes(struct flat_writer *w, uint16_t tag, const void *data, size_t len);
void flat_str(struct flat_writer *w, uint16_t tag, const char *s); /* NULL writes nothing */
void flat_u64(struct flat_writer *w, uint16_t tag, uint64_t v);
void flat_strv(struct flat_writer *w, uint16_t tag, const struct strv *v); /* one field an item */
/* Fixes up the header; the record is w->buf.data / .len until flat_free(). */
int flat_end(struct flat_writer *w, struct err *e);
void flat_free(struct flat_writer *w);

struct flat_reader {
	const unsigned char *p, *end;
	uint32_t version;
};

struct flat_field {
	uint16_t tag;
	size_t len;
	const void *data;
};

/* Checks the header, the checksum and the length; another version than this one is -EPROTO. */
int flat_open(struct flat_reader *r, const void *buf, size_t len, uint32_t magic, uint32_t version,
	      struct err *e);
/* 1 and a field, 0 at the end, -EBADMSG for a malformed field. */
int flat_next(struct flat_reader *r, struct flat_field *f, struct err *e);

int flat_get_u64(const struct flat_field *f, uint64_t *ret, struct err *e);
/* The string itself, valid as long as the record's memory. */
int flat_get_str(const struct flat_field *f, const char **ret, struct err *e);

#endif
