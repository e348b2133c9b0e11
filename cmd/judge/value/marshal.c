/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Values in the format of Python's marshal module, as all versions of it since 3.4 read it. To read
 * them takes an interpreter one call; a reader in Python (cmd/harness/literal.py) writes to some
 * thirty pages that a fork has to copy. Whole numbers beyond 64 bits, ranges and values of other
 * types are left to literals.
 */

#include <errno.h>
#include <stdlib.h>

#include "cmd/judge/value/value.h"
#include "runtime/base/str.h"

#define DIGIT_BITS 15

static void add_number(uint64_t n, unsigned bytes, struct strbuf *out)
{
	for (unsigned i = 0; i < bytes; i++)
		strbuf_addch(out, (char)(n >> (8 * i)));
}

static void add_count(char tag, size_t n, struct strbuf *out)
{
	strbuf_addch(out, tag);
	add_number(n, 4, out);
}

static bool write_int(const struct value *v, struct strbuf *out)
{
	bool is_negative = *v->text == '-';
	uint64_t n;
	char *end;
	int digits = 0;

	errno = 0;
	n = strtoull(v->text + is_negative, &end, 10);
	if (errno || *end)
		return false;
	if (n <= INT32_MAX) {
		add_count('i', is_negative ? (uint32_t)-n : (uint32_t)n, out);
		return true;
	}
	for (uint64_t left = n; left; left >>= DIGIT_BITS)
		digits++;
	add_count('l', (uint32_t)(is_negative ? -digits : digits), out);
	for (; digits; digits--, n >>= DIGIT_BITS)
		add_number(n & ((1u << DIGIT_BITS) - 1), 2, out);
	return true;
}

static void add_double(double d, struct strbuf *out)
{
	uint64_t bits;

	memcpy(&bits, &d, sizeof(bits));
	add_number(bits, 8, out);
}

static bool write_items(const struct value *v, struct strbuf *out)
{
	bool is_told = true;

	for (size_t i = 0; is_told && i < v->n; i++)
		is_told = value_write_marshal(&v->items[i], out);
	return is_told;
}

bool value_write_marshal(const struct value *v, struct strbuf *out)
{
	switch (v->kind) {
	case VALUE_NONE:
		strbuf_addch(out, 'N');
		return true;
	case VALUE_BOOL:
		strbuf_addch(out, v->truth ? 'T' : 'F');
		return true;
	case VALUE_INT:
		return write_int(v, out);
	case VALUE_FLOAT:
		strbuf_addch(out, 'g');
		add_double(v->number, out);
		return true;
	case VALUE_COMPLEX:
		if (v->items[0].kind != VALUE_FLOAT || v->items[1].kind != VALUE_FLOAT)
			return false;
		strbuf_addch(out, 'y');
		add_double(v->items[0].number, out);
		add_double(v->items[1].number, out);
		return true;
	case VALUE_STR:
	case VALUE_BYTES:
		add_count(v->kind == VALUE_STR ? 'u' : 's', v->n, out);
		strbuf_add(out, v->text, v->n);
		return true;
	case VALUE_LIST:
	case VALUE_TUPLE:
	case VALUE_SET:
		add_count(v->kind == VALUE_LIST    ? '['
			  : v->kind == VALUE_TUPLE ? '('
						   : '<',
			  v->n, out);
		return write_items(v, out);
	case VALUE_DICT:
		strbuf_addch(out, '{');
		if (!write_items(v, out))
			return false;
		strbuf_addch(out, '0');
		return true;
	case VALUE_RANGE:
	case VALUE_OPAQUE:
	case VALUE_MADE:
		break;
	}
	return false;
}

void value_write_call(const struct value *v, struct strbuf *out)
{
	size_t begin = out->len;

	if (value_write_marshal(v, out) || out->failed)
		return;
	out->len = begin;
	value_write_literal(v, out);
}
