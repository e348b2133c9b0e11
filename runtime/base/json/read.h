/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_BASE_JSON_READ_H
#define CSBX_BASE_JSON_READ_H

/*
 * JSON text as a row of tokens: the one parser of RFC 8259 that this project has. json.h makes a
 * tree of the tokens, others read them as they come. The reader holds no state but the struct,
 * does not recurse, and makes no system call but for memory: it runs in confined programs.
 */

#include <stdbool.h>
#include <stddef.h>

#include "runtime/base/str.h"

struct err;

#define JSON_READ_DEPTH_MAX 128 /* the most that a caller may allow */

struct json_rules {
	size_t bytes_max;
	unsigned depth_max, values_max;
	size_t number_bytes_max;
	/*
	 * Takes what the json module of Python writes as well: NaN, Infinity and -Infinity as
	 * numbers, lone surrogates (as three bytes), and \u0000 in strings.
	 */
	bool takes_python;
};

enum json_token {
	JSON_END, /* of the document */
	JSON_OBJECT,
	JSON_OBJECT_END,
	JSON_ARRAY,
	JSON_ARRAY_END,
	JSON_KEY, /* the member's value follows */
	JSON_STRING,
	JSON_NUMBER,
	JSON_TRUE,
	JSON_FALSE,
	JSON_NULL,
};

struct json_reader {
	/* The text of a key or a string, decoded; the text of a number, as it is written. */
	struct strbuf text;

	/* private */
	const unsigned char *start, *p, *end;
	const struct json_rules *rules;
	unsigned depth, n_values;
	enum json_place { JSON_AT_VALUE, JSON_AT_FIRST, JSON_AT_NEXT } place;
	struct json_level {
		bool is_object;
		size_t n_keys, names_len; /* when it began */
	} level[JSON_READ_DEPTH_MAX];
	struct strbuf names; /* of all members of the open objects */
	struct json_key {
		size_t at, len;
	} * keys;
	size_t n_keys, keys_cap;
};

/*
 * Begins to read; text and rules must outlive the reader, which is to be freed in any case.
 * -EFBIG for a text beyond rules->bytes_max.
 */
int json_read_begin(struct json_reader *r, const void *text, size_t len,
		    const struct json_rules *rules, struct err *e);

/*
 * The next token (enum json_token), -EBADMSG naming line and column, or -ENOMEM. The caller must
 * drop the tokens that it got before an error: a key that is there twice shows only at the object's
 * end.
 */
int json_read(struct json_reader *r, struct err *e);

/* The name of the member whose value the last token begins; only right behind that token. */
const char *json_read_name(const struct json_reader *r);

void json_reader_free(struct json_reader *r);
#define _json_reader_ __attribute__((cleanup(json_reader_free)))

#endif
