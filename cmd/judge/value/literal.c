/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Tagged literals, cmd/harness/PROTOCOL.md:
 *
 *	N T F			None True False
 *	i-12;  f1.5;		a whole number; a float as Python's repr has it
 *	s3:abc  b3:abc		str (UTF-8) and bytes, by length
 *	l2: t2: e2:		list, tuple, set of so many values, which follow
 *	d1:			dict of so many keys and values
 *	c			complex: two floats follow
 *	r			range: three ints follow
 *	o			a value of another type: its name and its repr follow, as str
 *	x			one that is made: its name, one of a list, and what it is made of follow
 *
 * Every length and count is checked against what is left of the text before anything is made of it.
 */

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/judge/value/value.h"
#include "cmd/judge/value/build.h"
#include "runtime/base/err.h"
#include "runtime/base/str.h"

#define NUMBER_BYTES_MAX (1u << 20)

struct reader {
	const char *p, *end;
	struct value_builder b;
};

static int malformed(struct err *e, const char *what)
{
	return err_set(e, EBADMSG, "malformed literal: %s", what);
}

/* Decimal, up to `stop`, at most what is left. */
static int read_count(struct reader *r, char stop, size_t *ret, struct err *e)
{
	size_t n = 0, left = (size_t)(r->end - r->p);
	const char *begin = r->p;

	for (; r->p < r->end && *r->p >= '0' && *r->p <= '9'; r->p++) {
		n = n * 10 + (size_t)(*r->p - '0');
		if (n > left)
			return malformed(e, "a length beyond the end");
	}
	if (r->p == begin || r->p == r->end || *r->p != stop)
		return malformed(e, "a length");
	r->p++;
	*ret = n;
	return 0;
}

static int read_text(struct reader *r, enum value_kind kind, struct err *e)
{
	size_t n = 0;
	int ret = read_count(r, ':', &n, e);

	if (ret < 0)
		return ret;
	if (n > (size_t)(r->end - r->p))
		return malformed(e, "a text beyond the end");
	r->p += n;
	return build_add_text(&r->b, kind, r->p - n, n, e);
}

static int read_float(struct reader *r, const char *text, size_t len, struct err *e)
{
	char copy[64], *end;
	struct value v = {.kind = VALUE_FLOAT};

	if (!len || len >= sizeof(copy) || strspn(text, "+-.0123456789einfa") < len)
		return malformed(e, "a float");
	memcpy(copy, text, len);
	copy[len] = 0;
	v.number = strtod(copy, &end);
	return *end ? malformed(e, "a float") : build_add(&r->b, &v, e);
}

static int read_number(struct reader *r, char tag, struct err *e)
{
	size_t left = (size_t)(r->end - r->p);
	const char *stop = memchr(r->p, ';', left < NUMBER_BYTES_MAX ? left : NUMBER_BYTES_MAX);
	const char *text = r->p;
	size_t len;

	if (!stop)
		return malformed(e, "a number");
	len = (size_t)(stop - text);
	r->p = stop + 1;
	if (tag == 'f')
		return read_float(r, text, len, e);
	if (!value_is_whole(text, len))
		return malformed(e, "a whole number");
	return build_add_text(&r->b, VALUE_INT, text, len, e);
}

static int open_container(struct reader *r, enum value_kind kind, struct err *e)
{
	size_t n = 0;
	int ret = read_count(r, ':', &n, e);

	/* Each item is a byte at least, so this cannot ask for more than is there. */
	return ret < 0 ? ret : build_open(&r->b, kind, kind == VALUE_DICT ? n * 2 : n, e);
}

static int read_one(struct reader *r, struct err *e)
{
	char tag = *r->p++;
	struct value v = {.kind = VALUE_BOOL};

	switch (tag) {
	case 'N':
		v.kind = VALUE_NONE;
		return build_add(&r->b, &v, e);
	case 'T':
	case 'F':
		v.truth = tag == 'T';
		return build_add(&r->b, &v, e);
	case 'i':
	case 'f':
		return read_number(r, tag, e);
	case 's':
		return read_text(r, VALUE_STR, e);
	case 'b':
		return read_text(r, VALUE_BYTES, e);
	case 'l':
		return open_container(r, VALUE_LIST, e);
	case 't':
		return open_container(r, VALUE_TUPLE, e);
	case 'd':
		return open_container(r, VALUE_DICT, e);
	case 'e':
		return open_container(r, VALUE_SET, e);
	case 'c':
		return build_open(&r->b, VALUE_COMPLEX, 2, e);
	case 'r':
		return build_open(&r->b, VALUE_RANGE, 3, e);
	case 'o':
		return build_open(&r->b, VALUE_OPAQUE, 2, e);
	case 'x':
		return build_open(&r->b, VALUE_MADE, 2, e);
	}
	return malformed(e, "an unknown tag");
}

/*
 * What csbx passes on between the two containers of a check. It makes none of them itself: cmd/harness/made.py does, in the
 * asserting code's container as well, which looks at all that is in the parts.
 */
static const struct {
	const char *name;
	enum value_kind of;
} made_of[] = {
	{"Counter", VALUE_DICT},        {"Decimal", VALUE_STR},      {"Ellipsis", VALUE_NONE},
	{"Fraction", VALUE_TUPLE},      {"Path", VALUE_STR},         {"PurePath", VALUE_STR},
	{"NotImplemented", VALUE_NONE}, {"OrderedDict", VALUE_DICT}, {"UUID", VALUE_BYTES},
	{"array", VALUE_TUPLE},         {"builtin", VALUE_STR},      {"bytearray", VALUE_BYTES},
	{"date", VALUE_TUPLE},          {"datetime", VALUE_TUPLE},   {"defaultdict", VALUE_TUPLE},
	{"deque", VALUE_TUPLE},         {"dict_items", VALUE_DICT},  {"dict_keys", VALUE_LIST},
	{"dict_values", VALUE_LIST},    {"frozenset", VALUE_SET},    {"function", VALUE_STR},
	{"memoryview", VALUE_BYTES},    {"namedtuple", VALUE_TUPLE}, {"range", VALUE_TUPLE},
	{"slice", VALUE_TUPLE},         {"subclass", VALUE_TUPLE},   {"time", VALUE_TUPLE},
	{"timedelta", VALUE_TUPLE},     {"timezone", VALUE_TUPLE},   {"class", VALUE_TUPLE},
	{"object", VALUE_TUPLE},        {"error", VALUE_LIST},       {"member", VALUE_TUPLE},
	{"struct_time", VALUE_TUPLE},   {"exception", VALUE_TUPLE},  {"made", VALUE_TUPLE},
	{"argument", VALUE_INT},
};

/* "same" is what began as number so-and-so of the lists, dicts, sets and made values before it. */
static bool is_made_well(const struct reader *r, const struct value *name, const struct value *part)
{
	unsigned long long n;

	if (name->kind != VALUE_STR)
		return false;
	if (value_is_text(name, "same")) {
		errno = 0;
		n = part->kind == VALUE_INT && *part->text != '-' ? strtoull(part->text, NULL, 10)
								  : ULLONG_MAX;
		return !errno && n < r->b.numbered - 1; /* the last is itself */
	}
	for (size_t i = 0; i < sizeof(made_of) / sizeof(made_of[0]); i++) {
		if (value_is_text(name, made_of[i].name))
			return part->kind == made_of[i].of;
	}
	return false;
}

static int close_full(struct reader *r, struct err *e)
{
	while (r->b.depth && build_is_full(&r->b)) {
		struct value *v;
		int ret = build_close(&r->b, &v, e);

		if (ret < 0)
			return ret;
		if (v->kind == VALUE_OPAQUE &&
		    (v->items[0].kind != VALUE_STR || v->items[1].kind != VALUE_STR))
			return malformed(e, "a type that is no text");
		if (v->kind == VALUE_MADE && !is_made_well(r, &v->items[0], &v->items[1]))
			return malformed(e, "a value that is not made so");
		if ((v->kind == VALUE_COMPLEX || v->kind == VALUE_RANGE) &&
		    !value_has_parts(v->kind, v->items, v->n))
			return malformed(e, "a part of another type");
	}
	return 0;
}

int value_read_literal(struct value_pool *pool, const void *text, size_t len, struct value *ret,
		       struct err *e)
{
	struct reader r = {.p = text, .end = (const char *)text + len, .b = {.pool = pool}};
	int code = 0;

	do {
		code = r.p == r.end ? malformed(e, "it ends too early") : read_one(&r, e);
		if (code >= 0)
			code = close_full(&r, e);
	} while (code >= 0 && r.b.depth);
	if (code >= 0 && r.p != r.end)
		code = malformed(e, "something follows it");
	if (code >= 0)
		*ret = r.b.stack[0];
	build_free(&r.b);
	return code;
}

static void write_items(const struct value *v, char tag, size_t count, struct strbuf *out)
{
	strbuf_addf(out, "%c%zu:", tag, count);
	for (size_t i = 0; i < v->n; i++)
		value_write_literal(&v->items[i], out);
}

static void write_text(const struct value *v, char tag, struct strbuf *out)
{
	strbuf_addf(out, "%c%zu:", tag, v->n);
	strbuf_add(out, v->text, v->n);
}

void value_write_literal(const struct value *v, struct strbuf *out)
{
	switch (v->kind) {
	case VALUE_NONE:
		strbuf_addch(out, 'N');
		break;
	case VALUE_BOOL:
		strbuf_addch(out, v->truth ? 'T' : 'F');
		break;
	case VALUE_INT:
		strbuf_addf(out, "i%s;", v->text);
		break;
	case VALUE_FLOAT:
		strbuf_addf(out, "f%.17g;", v->number);
		break;
	case VALUE_STR:
		write_text(v, 's', out);
		break;
	case VALUE_BYTES:
		write_text(v, 'b', out);
		break;
	case VALUE_LIST:
		write_items(v, 'l', v->n, out);
		break;
	case VALUE_TUPLE:
		write_items(v, 't', v->n, out);
		break;
	case VALUE_DICT:
		write_items(v, 'd', v->n / 2, out);
		break;
	case VALUE_SET:
		write_items(v, 'e', v->n, out);
		break;
	case VALUE_COMPLEX:
	case VALUE_RANGE:
		strbuf_addch(out, v->kind == VALUE_COMPLEX ? 'c' : 'r');
		for (size_t i = 0; i < v->n; i++)
			value_write_literal(&v->items[i], out);
		break;
	case VALUE_OPAQUE:
		strbuf_addch(out, 'o');
		write_text(&v->items[0], 's', out);
		write_text(&v->items[1], 's', out);
		break;
	case VALUE_MADE:
		strbuf_addch(out, 'x');
		write_text(&v->items[0], 's', out);
		value_write_literal(&v->items[1], out);
		break;
	}
}
