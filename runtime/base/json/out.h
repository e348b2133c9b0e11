/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_BASE_JSON_OUT_H
#define CSBX_BASE_JSON_OUT_H

/*
 * The one JSON writer (RFC 8259) of programs that only write JSON. Commas and nesting are kept
 * by the writer; a call in a place where JSON allows none (a value without a key in an object,
 * an end that matches no begin) sticks as a failure, like running out of memory.
 *
 * Strings may be foreign: quotes, backslashes and control bytes are escaped, bytes that are not
 * UTF-8 become U+FFFD, and characters that could steer a terminal (C1, bidi, zero width) are
 * written as \uXXXX.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/str.h"

struct err;

#define JSON_OUT_DEPTH 64 /* as deep as json_parse() reads */

struct json_out {
	struct strbuf buf;
	bool pretty; /* two blanks an indentation, one member a line */
	bool wide;   /* four */
	bool misused;
	unsigned depth;
	struct {
		char kind; /* '{' or '[' */
		bool has_items, has_key;
	} level[JSON_OUT_DEPTH];
};
#define JSON_OUT_INIT \
	{             \
		0     \
	}

void json_begin_object(struct json_out *j);
void json_end_object(struct json_out *j);
void json_begin_array(struct json_out *j);
void json_end_array(struct json_out *j);
void json_key(struct json_out *j, const char *key);

void json_str(struct json_out *j, const char *s); /* NULL writes null */
void json_strn(struct json_out *j, const char *s, size_t len);
void json_u64(struct json_out *j, uint64_t v);
void json_i64(struct json_out *j, int64_t v);
void json_bool(struct json_out *j, bool v);
void json_null(struct json_out *j);
/* A value that is JSON already, as it stands; NULL writes null. */
void json_raw(struct json_out *j, const char *value);
/* Thousandths as a decimal number: 1500 is 1.5. */
void json_milli(struct json_out *j, uint64_t milli);
/* Nanoseconds since 1970 as "2026-01-02T03:04:05.678Z"; 0 writes null. */
void json_time(struct json_out *j, uint64_t realtime_ns);

/* A key and its value. */
void json_kstr(struct json_out *j, const char *key, const char *s);
void json_ku64(struct json_out *j, const char *key, uint64_t v);
void json_kbool(struct json_out *j, const char *key, bool v);
void json_kstrv(struct json_out *j, const char *key, const struct strv *v); /* an array */

/* 0 when everything begun has ended and nothing failed; the text is j->buf without newline. */
int json_finish(struct json_out *j, struct err *e);
/* The same, and adds the text to out; j is freed in any case. */
int json_append(struct json_out *j, struct strbuf *out, struct err *e);
void json_out_free(struct json_out *j);

#endif
