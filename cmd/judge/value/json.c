/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/judge/value/json.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/judge/value/build.h"
#include "runtime/base/base64.h"
#include "runtime/base/err.h"
#include "runtime/base/json/read.h"
#include "runtime/base/str.h"

const struct json_rules value_json_rules = {
	.bytes_max = SIZE_MAX, /* the caller has read the text within a limit of its own */
	.depth_max = VALUE_DEPTH_MAX,
	.values_max = VALUE_NODES_MAX,
	.number_bytes_max = 1u << 20,
	.takes_python = true,
};
static const struct json_rules record_rules = {
	.bytes_max = SIZE_MAX,
	.depth_max = VALUE_DEPTH_MAX,
	.values_max = UINT_MAX, /* most are skipped */
	.number_bytes_max = 1u << 20,
	.takes_python = true,
};
_Static_assert(VALUE_DEPTH_MAX <= JSON_READ_DEPTH_MAX, "the reader can be as deep");

/*
 * --- words for what JSON has not ----------------------------------------------------------------
 */

static bool to_bytes(struct value_pool *pool, const struct value *in, struct value *v)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;
	char *copy;

	if (base64_decode(in->text, in->n, &out) < 0 || !(copy = value_alloc(pool, out.len + 1)))
		return false;
	memcpy(copy, strbuf_str(&out), out.len + 1);
	*v = (struct value){.kind = VALUE_BYTES, .n = out.len, .text = copy};
	return true;
}

static bool to_dict(struct value_pool *pool, const struct value *in, struct value *v)
{
	struct value *items = value_alloc(pool, (in->n * 2 + 1) * sizeof(*items));

	for (size_t i = 0; items && i < in->n; i++) {
		const struct value *pair = &in->items[i];

		if (pair->kind != VALUE_LIST || pair->n != 2)
			return false;
		items[i * 2] = pair->items[0];
		items[i * 2 + 1] = pair->items[1];
	}
	if (items)
		*v = (struct value){.kind = VALUE_DICT, .n = in->n * 2, .items = items};
	return items != NULL;
}

static bool to_float(const struct value *in, struct value *v)
{
	double d = value_is_text(in, "nan")    ? NAN
		   : value_is_text(in, "inf")  ? INFINITY
		   : value_is_text(in, "-inf") ? -INFINITY
					       : 0;

	if (d)
		*v = (struct value){.kind = VALUE_FLOAT, .number = d};
	return d != 0;
}

static bool to_sequence(enum value_kind kind, const struct value *in, struct value *v)
{
	*v = (struct value){.kind = kind, .n = in->n, .items = in->items};
	return true;
}

static bool to_float_part(const struct value *in, struct value *v)
{
	*v = (struct value){.kind = VALUE_FLOAT, .number = in->number};
	if (in->kind == VALUE_INT)
		v->number = strtod(in->text, NULL);
	return in->kind == VALUE_FLOAT || in->kind == VALUE_INT;
}

static bool to_complex(struct value_pool *pool, const struct value *in, struct value *v)
{
	struct value *parts = in->n == 2 ? value_alloc(pool, 2 * sizeof(*parts)) : NULL;

	if (!parts || !to_float_part(&in->items[0], &parts[0]) ||
	    !to_float_part(&in->items[1], &parts[1]))
		return false;
	*v = (struct value){.kind = VALUE_COMPLEX, .n = 2, .items = parts};
	return true;
}

/*
 * An object of one member whose name is a word. One that does not fit its word is a mistake of its
 * author; a dict that looks like one is written as a $dict.
 */
static int apply_word(struct value_pool *pool, struct value *v, struct err *e)
{
	const struct value *key = v->items, *in = v->items + 1;
	bool is_list = v->n == 2 && in->kind == VALUE_LIST, is_good = true;
	bool is_text = v->n == 2 && in->kind == VALUE_STR;
	const char *fit = "an array";

	if (v->n != 2 || key->text[0] != '$')
		return 0;
	if (value_is_text(key, "$dict")) {
		is_good = is_list && to_dict(pool, in, v);
		fit = "an array of pairs";
	} else if (value_is_text(key, "$tuple")) {
		is_good = is_list && to_sequence(VALUE_TUPLE, in, v);
	} else if (value_is_text(key, "$set")) {
		is_good = is_list && to_sequence(VALUE_SET, in, v);
	} else if (value_is_text(key, "$complex")) {
		is_good = is_list && to_complex(pool, in, v);
		fit = "an array of two numbers";
	} else if (value_is_text(key, "$range")) {
		is_good = is_list && value_has_parts(VALUE_RANGE, in->items, in->n) &&
			  to_sequence(VALUE_RANGE, in, v);
		fit = "an array of start, stop and a step other than 0, of 64 bits";
	} else if (value_is_text(key, "$bytes")) {
		is_good = is_text && to_bytes(pool, in, v);
		fit = "a text in base64";
	} else if (value_is_text(key, "$float")) {
		is_good = is_text && to_float(in, v);
		fit = "nan, inf or -inf";
	}
	return is_good ? 0 : err_set(e, EBADMSG, "%s: must be %s", key->text, fit);
}

/* --- tokens -------------------------------------------------------------------------------- */

/* A whole number keeps its digits. */
static int add_number(struct value_builder *b, const struct strbuf *text, struct err *e)
{
	const char *s = strbuf_str(text);
	struct value v = {.kind = VALUE_FLOAT};

	if (str_eq(s, "-0"))
		return build_add_text(b, VALUE_INT, "0", 1, e);
	if (value_is_whole(s, text->len))
		return build_add_text(b, VALUE_INT, s, text->len, e);
	v.number = strtod(s, NULL); /* which reads NaN and Infinity, too */
	return build_add(b, &v, e);
}

static int close_container(struct value_builder *b, struct err *e)
{
	struct value *v;
	int r = build_close(b, &v, e);

	return r < 0 || v->kind != VALUE_DICT ? r : apply_word(b->pool, v, e);
}

static int add_token(struct value_builder *b, enum json_token token, const struct strbuf *text,
		     struct err *e)
{
	switch (token) {
	case JSON_OBJECT:
	case JSON_ARRAY:
		return build_open(b, token == JSON_OBJECT ? VALUE_DICT : VALUE_LIST, BUILD_ANY, e);
	case JSON_OBJECT_END:
	case JSON_ARRAY_END:
		return close_container(b, e);
	case JSON_KEY:
	case JSON_STRING:
		return build_add_text(b, VALUE_STR, strbuf_str(text), text->len, e);
	case JSON_NUMBER:
		return add_number(b, text, e);
	case JSON_TRUE:
	case JSON_FALSE:
		return build_add(
			b, &(struct value){.kind = VALUE_BOOL, .truth = token == JSON_TRUE}, e);
	default:
		return build_add(b, &(struct value){.kind = VALUE_NONE}, e);
	}
}

/* Behind the value that the next token begins. */
static int skip_value(struct json_reader *reader, struct err *e)
{
	unsigned depth = 0;
	int r;

	do {
		r = json_read(reader, e);
		depth += r == JSON_OBJECT || r == JSON_ARRAY;
		depth -= r == JSON_OBJECT_END || r == JSON_ARRAY_END;
	} while (r > 0 && depth);
	return r;
}

/* [.., {"output": ..}] of a record */
static bool is_skipped(const struct value_builder *b, const struct json_reader *reader, int token)
{
	const char *name = strbuf_str(&reader->text);

	return token == JSON_KEY && b->depth == 3 &&
	       (str_eq(name, "output") || str_eq(name, "expected"));
}

static int read_document(struct value_pool *pool, const char *text, size_t len,
			 const struct json_rules *rules, struct value *ret, struct err *e)
{
	_json_reader_ struct json_reader reader;
	struct value_builder b = {.pool = pool};
	bool is_record = rules == &record_rules;
	int r = json_read_begin(&reader, text, len, rules, e);

	while (r >= 0 && (r = json_read(&reader, e)) > 0) {
		bool skips = is_record && is_skipped(&b, &reader, r);

		r = add_token(&b, (enum json_token)r, &reader.text, e);
		if (r >= 0 && skips && (r = skip_value(&reader, e)) > 0)
			r = add_token(&b, JSON_NULL, NULL, e);
	}
	if (r >= 0)
		*ret = b.stack[0];
	build_free(&b);
	return r;
}

int value_read_json(struct value_pool *pool, const char *text, size_t len, struct value *ret,
		    struct err *e)
{
	return read_document(pool, text, len, &value_json_rules, ret, e);
}

int value_read_record(struct value_pool *pool, const char *text, size_t len, struct value *ret,
		      struct err *e)
{
	return read_document(pool, text, len, &record_rules, ret, e);
}
