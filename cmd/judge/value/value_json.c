/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/judge/value/value_json.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/judge/value/value_build.h"
#include "runtime/base/base64.h"
#include "runtime/base/err.h"
#include "runtime/base/json/json_out.h"
#include "runtime/base/str.h"

#define NUMBER_BYTES_MAX (1u << 20)

struct reader {
	const char *begin, *p, *end;
	struct value_builder b;
	struct strbuf text; /* of the string being read */
};

static int malformed(const struct reader *r, struct err *e, const char *what)
{
	size_t line = 1;
	const char *start = r->begin;

	for (const char *s = r->begin; s < r->p && s < r->end; s++) {
		if (*s == '\n') {
			line++;
			start = s + 1;
		}
	}
	return err_set(e, EBADMSG, "malformed JSON, line %zu, column %zu: %s", line,
		       (size_t)(r->p - start) + 1, what);
}

static char peek(struct reader *r)
{
	while (r->p < r->end && strchr(" \t\r\n", *r->p) && *r->p)
		r->p++;
	return r->p < r->end ? *r->p : 0;
}

static int read_hex(struct reader *r, uint32_t *ret, struct err *e)
{
	uint32_t v = 0;

	if (r->end - r->p < 4)
		return malformed(r, e, "\\u without four digits");
	for (int i = 0; i < 4; i++) {
		char c = *r->p++;
		int d = c >= '0' && c <= '9'   ? c - '0'
			: c >= 'a' && c <= 'f' ? c - 'a' + 10
			: c >= 'A' && c <= 'F' ? c - 'A' + 10
					       : -1;

		if (d < 0)
			return malformed(r, e, "\\u without four digits");
		v = v * 16 + (uint32_t)d;
	}
	*ret = v;
	return 0;
}

static void add_code_point(struct strbuf *out, uint32_t cp)
{
	if (cp < 0x80) {
		strbuf_addch(out, (char)cp);
	} else if (cp < 0x800) {
		strbuf_addch(out, (char)(0xc0 | cp >> 6));
		strbuf_addch(out, (char)(0x80 | (cp & 63)));
	} else {
		if (cp < 0x10000) {
			strbuf_addch(out, (char)(0xe0 | cp >> 12));
		} else {
			strbuf_addch(out, (char)(0xf0 | cp >> 18));
			strbuf_addch(out, (char)(0x80 | (cp >> 12 & 63)));
		}
		strbuf_addch(out, (char)(0x80 | (cp >> 6 & 63)));
		strbuf_addch(out, (char)(0x80 | (cp & 63)));
	}
}

static int read_escape(struct reader *r, struct err *e)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	char c = r->p < r->end ? *r->p++ : 0;
	const char *at = c ? strchr(from, c) : NULL;
	uint32_t cp, low;

	if (at) {
		strbuf_addch(&r->text, to[at - from]);
		return 0;
	}
	if (c != 'u')
		return malformed(r, e, "unknown escape");
	if (read_hex(r, &cp, e) < 0)
		return -EBADMSG;
	if (cp >> 10 == 0xd800 >> 10 && r->end - r->p >= 6 && r->p[0] == '\\' && r->p[1] == 'u') {
		const char *back = r->p;

		r->p += 2;
		if (read_hex(r, &low, e) < 0)
			return -EBADMSG;
		if (low >> 10 == 0xdc00 >> 10)
			cp = 0x10000 + ((cp & 0x3ff) << 10) + (low & 0x3ff);
		else
			r->p = back;
	}
	add_code_point(&r->text, cp);
	return 0;
}

static int read_string(struct reader *r, struct err *e)
{
	strbuf_reset(&r->text);
	r->p++;
	for (;;) {
		const char *run = r->p;

		while (r->p < r->end && *r->p != '"' && *r->p != '\\' &&
		       (unsigned char)*r->p >= 0x20)
			r->p++;
		strbuf_add(&r->text, run, (size_t)(r->p - run));
		if (r->p == r->end || (unsigned char)*r->p < 0x20)
			return malformed(r, e, "a string without an end");
		if (*r->p++ == '"')
			break;
		if (read_escape(r, e) < 0)
			return -EBADMSG;
	}
	return build_add_text(&r->b, VALUE_STR, strbuf_str(&r->text), r->text.len, e);
}

static size_t skip_digits(const char *s, size_t at)
{
	while (s[at] >= '0' && s[at] <= '9')
		at++;
	return at;
}

/* RFC 8259's grammar; a whole one keeps its digits. */
static int read_number(struct reader *r, struct err *e)
{
	size_t len = 0, left = (size_t)(r->end - r->p), at;
	_strbuf_ struct strbuf copy = STRBUF_INIT;
	struct value v = {.kind = VALUE_FLOAT};
	const char *s;

	while (len < left && len <= NUMBER_BYTES_MAX && strchr("+-.eE0123456789", r->p[len]) &&
	       r->p[len])
		len++;
	if (len > NUMBER_BYTES_MAX)
		return malformed(r, e, "a number of too many digits");
	strbuf_add(&copy, r->p, len);
	s = strbuf_str(&copy);
	at = skip_digits(s, *s == '-');
	if (at == (size_t)(*s == '-') || (s[*s == '-'] == '0' && at > 1u + (*s == '-')))
		return malformed(r, e, "not a value");
	if (at == len) {
		r->p += len;
		return str_eq(s, "-0") ? build_add_text(&r->b, VALUE_INT, "0", 1, e)
				       : build_add_text(&r->b, VALUE_INT, s, len, e);
	}
	if (s[at] == '.' && skip_digits(s, at + 1) == at + 1)
		return malformed(r, e, "not a number");
	if (s[at] == '.')
		at = skip_digits(s, at + 1);
	if (s[at] == 'e' || s[at] == 'E') {
		size_t digits = at + 1 + (s[at + 1] == '+' || s[at + 1] == '-');

		at = skip_digits(s, digits);
		if (at == digits)
			at = 0;
	}
	if (at != len)
		return malformed(r, e, "not a number");
	v.number = strtod(s, NULL);
	r->p += len;
	return build_add(&r->b, &v, e);
}

static int read_word(struct reader *r, struct err *e)
{
	static const struct {
		const char *word;
		struct value v;
	} words[] = {
		{"null", {.kind = VALUE_NONE}},
		{"true", {.kind = VALUE_BOOL, .truth = true}},
		{"false", {.kind = VALUE_BOOL}},
		{"NaN", {.kind = VALUE_FLOAT, .number = NAN}},
		{"Infinity", {.kind = VALUE_FLOAT, .number = INFINITY}},
		{"-Infinity", {.kind = VALUE_FLOAT, .number = -INFINITY}},
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t n = strlen(words[i].word);

		if ((size_t)(r->end - r->p) >= n && !memcmp(r->p, words[i].word, n)) {
			r->p += n;
			return build_add(&r->b, &words[i].v, e);
		}
	}
	return read_number(r, e);
}

static int read_key(struct reader *r, struct err *e)
{
	if (peek(r) != '"')
		return malformed(r, e, "a key is missing");
	if (read_string(r, e) < 0)
		return -EBADMSG;
	if (peek(r) != ':')
		return malformed(r, e, "':' is missing");
	r->p++;
	return 0;
}

/* --- words for what JSON has not ----------------------------------------------------------------
 */

static bool to_bytes(struct reader *r, const struct value *in, struct value *v)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;
	char *copy;

	if (base64_decode(in->text, in->n, &out) < 0 ||
	    !(copy = value_alloc(r->b.pool, out.len + 1)))
		return false;
	memcpy(copy, strbuf_str(&out), out.len + 1);
	*v = (struct value){.kind = VALUE_BYTES, .n = out.len, .text = copy};
	return true;
}

static bool to_dict(struct reader *r, const struct value *in, struct value *v)
{
	struct value *items = value_alloc(r->b.pool, (in->n * 2 + 1) * sizeof(*items));

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

/*
 * An object of one member whose name is a word. One that does not fit its word is a mistake of who
 * wrote it; a dict that looks like one is written as a $dict.
 */
static int apply_word(struct reader *r, struct value *v, struct err *e)
{
	const struct value *key = v->items, *in = v->items + 1;
	bool is_list = v->n == 2 && in->kind == VALUE_LIST, is_good = true;
	bool is_text = v->n == 2 && in->kind == VALUE_STR;
	const char *fit = "an array";

	if (v->n != 2 || key->text[0] != '$')
		return 0;
	if (value_is_text(key, "$dict")) {
		is_good = is_list && to_dict(r, in, v);
		fit = "an array of pairs";
	} else if (value_is_text(key, "$tuple")) {
		is_good = is_list && to_sequence(VALUE_TUPLE, in, v);
	} else if (value_is_text(key, "$set")) {
		is_good = is_list && to_sequence(VALUE_SET, in, v);
	} else if (value_is_text(key, "$bytes")) {
		is_good = is_text && to_bytes(r, in, v);
		fit = "a text in base64";
	} else if (value_is_text(key, "$float")) {
		is_good = is_text && to_float(in, v);
		fit = "nan, inf or -inf";
	}
	return is_good ? 0 : err_set(e, EBADMSG, "%s: must be %s", key->text, fit);
}

/* --- containers ---------------------------------------------------------------------------------
 */

static int order_keys(const void *a, const void *b)
{
	return value_order(*(const struct value *const *)a, *(const struct value *const *)b);
}

static int check_keys(struct reader *r, const struct value *v, struct err *e)
{
	size_t n = v->n / 2;
	const struct value **keys = calloc(n + 1, sizeof(*keys));
	int ret = keys ? 0 : err_set(e, ENOMEM, "out of memory");

	for (size_t i = 0; keys && i < n; i++)
		keys[i] = &v->items[i * 2];
	if (keys)
		qsort(keys, n, sizeof(*keys), order_keys);
	for (size_t i = 1; keys && i < n; i++) {
		if (!value_order(keys[i - 1], keys[i]))
			ret = malformed(r, e, "a key is there twice");
	}
	free(keys);
	return ret;
}

static int close_container(struct reader *r, struct err *e)
{
	struct value *v;
	int ret = build_close(&r->b, &v, e);

	r->p++;
	if (ret < 0 || v->kind != VALUE_DICT)
		return ret;
	ret = check_keys(r, v, e);
	if (ret >= 0)
		ret = apply_word(r, v, e);
	return ret;
}

/* Behind a value: closes what ends here. 1: another value is to come, 0: the document is done. */
static int after_value(struct reader *r, struct err *e)
{
	const struct build_level *top;

	while ((top = build_top(&r->b))) {
		char end = top->kind == VALUE_DICT ? '}' : ']', c = peek(r);

		if (c == ',') {
			r->p++;
			if (end == '}' && read_key(r, e) < 0)
				return -EBADMSG;
			return 1;
		}
		if (c != end)
			return malformed(r, e,
					 end == '}' ? "',' or '}' is missing"
						    : "',' or ']' is missing");
		if (close_container(r, e) < 0)
			return -EBADMSG;
	}
	return 0;
}

/* One value, or the beginning of one. 1: its first member or item is to come. */
static int read_one(struct reader *r, struct err *e)
{
	char c = peek(r);
	bool is_object = c == '{';

	if (c == '"')
		return read_string(r, e);
	if (c != '{' && c != '[')
		return r->p == r->end ? malformed(r, e, "it ends too early") : read_word(r, e);
	r->p++;
	if (build_open(&r->b, is_object ? VALUE_DICT : VALUE_LIST, BUILD_ANY, e) < 0)
		return -EBADMSG;
	if (peek(r) == (is_object ? '}' : ']'))
		return close_container(r, e);
	if (is_object && read_key(r, e) < 0)
		return -EBADMSG;
	return 1;
}

int value_read_json(struct value_pool *pool, const char *text, size_t len, struct value *ret,
		    struct err *e)
{
	struct reader r = {.begin = text, .p = text, .end = text + len, .b = {.pool = pool}};
	int code = 1;

	if (!str_is_utf8(text, len))
		code = err_set(e, EBADMSG, "malformed JSON: not UTF-8");
	while (code > 0) {
		code = read_one(&r, e);
		if (!code)
			code = after_value(&r, e);
	}
	if (!code && (peek(&r) || r.p != r.end))
		code = malformed(&r, e, "something follows the value");
	if (!code && r.text.failed)
		code = err_set(e, ENOMEM, "out of memory");
	if (!code)
		*ret = r.b.stack[0];
	strbuf_free(&r.text);
	build_free(&r.b);
	return code;
}
