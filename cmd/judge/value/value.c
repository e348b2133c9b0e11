/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/judge/value/value.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/judge/value/build.h"
#include "runtime/base/err.h"
#include "runtime/base/str.h"

#define CHUNK_BYTES (64u << 10)
#define DOUBLE_DIGITS_MAX 309u /* of the largest double */

struct value_chunk {
	struct value_chunk *next;
	size_t used, size;
	_Alignas(max_align_t) char data[];
};

void *value_alloc(struct value_pool *pool, size_t bytes)
{
	struct value_chunk *c = pool->chunks;
	size_t need = (bytes + 15) & ~(size_t)15;

	if (need < bytes)
		return NULL;
	if (!c || c->size - c->used < need) {
		size_t size = need > CHUNK_BYTES ? need : CHUNK_BYTES;

		c = malloc(sizeof(*c) + size);
		if (!c)
			return NULL;
		*c = (struct value_chunk){.next = pool->chunks, .size = size};
		pool->chunks = c;
	}
	c->used += need;
	return c->data + c->used - need;
}

void value_pool_free(struct value_pool *pool)
{
	while (pool->chunks) {
		struct value_chunk *next = pool->chunks->next;

		free(pool->chunks);
		pool->chunks = next;
	}
}

/*
 * --- building ----------------------------------------------------------------------------------
 */

int build_add(struct value_builder *b, const struct value *v, struct err *e)
{
	if (++b->nodes > VALUE_NODES_MAX)
		return err_set(e, E2BIG, "more than %u values", VALUE_NODES_MAX);
	if (b->n == b->cap) {
		size_t cap = b->cap ? b->cap * 2 : 64;
		struct value *p = reallocarray(b->stack, cap, sizeof(*p));

		if (!p)
			return err_oom(e);
		b->stack = p;
		b->cap = cap;
	}
	b->stack[b->n++] = *v;
	return 0;
}

int build_add_text(struct value_builder *b, enum value_kind kind, const char *text, size_t len,
		   struct err *e)
{
	char *copy = value_alloc(b->pool, len + 1);
	struct value v = {.kind = kind, .n = len, .text = copy};

	if (!copy)
		return err_oom(e);
	memcpy(copy, text, len);
	copy[len] = 0;
	return build_add(b, &v, e);
}

int build_open(struct value_builder *b, enum value_kind kind, size_t want, struct err *e)
{
	if (b->depth == VALUE_DEPTH_MAX)
		return err_set(e, EBADMSG, "nested more than %u deep", VALUE_DEPTH_MAX);
	b->level[b->depth++] = (struct build_level){kind, b->n, want};
	b->numbered +=
		kind == VALUE_LIST || kind == VALUE_DICT || kind == VALUE_SET || kind == VALUE_MADE;
	return 0;
}

bool build_is_full(const struct value_builder *b)
{
	const struct build_level *l = &b->level[b->depth - 1];

	return b->n - l->base == l->want;
}

int build_close(struct value_builder *b, struct value **ret, struct err *e)
{
	const struct build_level *l = &b->level[--b->depth];
	size_t n = b->n - l->base;
	struct value v = {.kind = l->kind, .n = n};

	v.items = value_alloc(b->pool, n * sizeof(*v.items));
	if (!v.items)
		return err_oom(e);
	if (n)
		memcpy(v.items, b->stack + l->base, n * sizeof(*v.items));
	b->n = l->base;
	if (build_add(b, &v, e) < 0)
		return -EBADMSG;
	*ret = &b->stack[b->n - 1];
	return 0;
}

void build_free(struct value_builder *b)
{
	free(b->stack);
	*b = (struct value_builder){0};
}

/*
 * --- looking -----------------------------------------------------------------------------------
 */

bool value_is_whole(const char *s, size_t len)
{
	bool minus = len && *s == '-';
	const char *digits = s + minus;
	size_t n = len - minus;

	if (!n || (*digits == '0' && (n > 1 || minus)))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (digits[i] < '0' || digits[i] > '9')
			return false;
	}
	return true;
}

static const char *const type_names[] = {
	[VALUE_NONE] = "NoneType", [VALUE_BOOL] = "bool",       [VALUE_INT] = "int",
	[VALUE_FLOAT] = "float",   [VALUE_STR] = "str",         [VALUE_BYTES] = "bytes",
	[VALUE_LIST] = "list",     [VALUE_TUPLE] = "tuple",     [VALUE_DICT] = "dict",
	[VALUE_SET] = "set",       [VALUE_COMPLEX] = "complex", [VALUE_RANGE] = "range",
};

const char *value_type_name(const struct value *v)
{
	return v->kind >= VALUE_OPAQUE ? v->items[0].text : type_names[v->kind];
}

bool value_has_tag(const char *type_name)
{
	for (size_t i = 0; i < VALUE_OPAQUE; i++) {
		if (str_eq(type_names[i], type_name))
			return true;
	}
	return false;
}

bool value_is_text(const struct value *v, const char *text)
{
	return v->kind == VALUE_STR && v->n == strlen(text) && !memcmp(v->text, text, v->n);
}

const struct value *value_member(const struct value *dict, const char *key)
{
	for (size_t i = 0; dict->kind == VALUE_DICT && i < dict->n; i += 2) {
		if (value_is_text(&dict->items[i], key))
			return &dict->items[i + 1];
	}
	return NULL;
}

/*
 * --- order -------------------------------------------------------------------------------------
 */

static int rank(const struct value *v)
{
	static const int ranks[] = {
		[VALUE_NONE] = 0,   [VALUE_BOOL] = 1,  [VALUE_INT] = 1,     [VALUE_FLOAT] = 1,
		[VALUE_STR] = 2,    [VALUE_BYTES] = 3, [VALUE_LIST] = 4,    [VALUE_TUPLE] = 4,
		[VALUE_DICT] = 5,   [VALUE_SET] = 6,   [VALUE_COMPLEX] = 7, [VALUE_RANGE] = 8,
		[VALUE_OPAQUE] = 9, [VALUE_MADE] = 10,
	};

	return ranks[v->kind];
}

static int sign_of(int x)
{
	return (x > 0) - (x < 0);
}

static int order_bytes(const char *a, size_t n, const char *b, size_t m)
{
	size_t least = n < m ? n : m;
	int r = least ? memcmp(a, b, least) : 0;

	return r ? sign_of(r) : (n > m) - (n < m);
}

static int order_whole(const char *a, size_t n, const char *b, size_t m)
{
	bool minus = *a == '-';

	if (minus != (*b == '-'))
		return minus ? -1 : 1;
	if (n != m)
		return (n > m) != minus ? 1 : -1;
	return minus ? -sign_of(memcmp(a, b, n)) : sign_of(memcmp(a, b, n));
}

/*
 * Exact for any size. The digits of a double take a microsecond, and judged code decides how often this is called, in a set
 * of a million numbers: a whole number that rounds to another double is ordered as that one is.
 */
static int order_whole_and_double(const char *a, size_t n, double d)
{
	char digits[400];
	double near;
	int len;

	if (isnan(d))
		return 1;
	if (isinf(d))
		return d > 0 ? -1 : 1;
	if (n > DOUBLE_DIGITS_MAX + 1)
		return *a == '-' ? -1 : 1;
	near = strtod(a, NULL);
	if (near != d)
		return near < d ? -1 : 1;
	if (n <= DBL_DIG)
		return 0;
	len = snprintf(digits, sizeof(digits), "%.0f", d);
	return order_whole(a, n, digits, (size_t)len);
}

static int order_doubles(double a, double b)
{
	if (isnan(a) || isnan(b))
		return (isnan(b) != 0) - (isnan(a) != 0);
	return (a > b) - (a < b);
}

static int order_numbers(const struct value *a, const struct value *b)
{
	const char *at = a->kind == VALUE_BOOL ? (a->truth ? "1" : "0") : a->text;
	const char *bt = b->kind == VALUE_BOOL ? (b->truth ? "1" : "0") : b->text;
	size_t n = a->kind == VALUE_BOOL ? 1 : a->n, m = b->kind == VALUE_BOOL ? 1 : b->n;

	if (a->kind == VALUE_FLOAT && b->kind == VALUE_FLOAT)
		return order_doubles(a->number, b->number);
	if (a->kind == VALUE_FLOAT)
		return -order_whole_and_double(bt, m, a->number);
	if (b->kind == VALUE_FLOAT)
		return order_whole_and_double(at, n, b->number);
	return order_whole(at, n, bt, m);
}

const struct value *value_real(const struct value *v)
{
	return v->kind == VALUE_COMPLEX && v->items[1].number == 0 ? &v->items[0] : v;
}

static bool is_of_64_bits(const struct value *v)
{
	errno = 0;
	if (v->kind == VALUE_INT)
		strtoll(v->text, NULL, 10);
	return v->kind == VALUE_INT && !errno;
}

bool value_has_parts(enum value_kind kind, const struct value *items, size_t n)
{
	if (kind == VALUE_COMPLEX)
		return n == 2 && items[0].kind == VALUE_FLOAT && items[1].kind == VALUE_FLOAT;
	return n == 3 && is_of_64_bits(&items[0]) && is_of_64_bits(&items[1]) &&
	       is_of_64_bits(&items[2]) && !str_eq(items[2].text, "0");
}

struct span {
	uint64_t n; /* how many numbers */
	long long start, step;
};

/* Ranges are equal that go through the same numbers: members that do not change these are 0. */
static struct span span_of(const struct value *range)
{
	long long start = strtoll(range->items[0].text, NULL, 10);
	long long stop = strtoll(range->items[1].text, NULL, 10);
	long long step = strtoll(range->items[2].text, NULL, 10);
	bool is_up = step > 0;
	uint64_t apart =
		is_up ? (uint64_t)stop - (uint64_t)start : (uint64_t)start - (uint64_t)stop;
	uint64_t by = is_up ? (uint64_t)step : -(uint64_t)step;
	struct span s = {.n = 0};

	if (is_up ? start < stop : start > stop) {
		s.n = (apart - 1) / by + 1;
		s.start = start;
		s.step = s.n > 1 ? step : 0;
	}
	return s;
}

static int order_ranges(const struct value *a, const struct value *b)
{
	struct span x = span_of(a), y = span_of(b);

	if (x.n != y.n)
		return x.n > y.n ? 1 : -1;
	if (x.start != y.start)
		return x.start > y.start ? 1 : -1;
	return (x.step > y.step) - (x.step < y.step);
}

int value_order(const struct value *a, const struct value *b)
{
	int r;

	a = value_real(a);
	b = value_real(b);
	r = rank(a) - rank(b);

	if (r)
		return sign_of(r);
	if (rank(a) == 0)
		return 0;
	if (rank(a) == 1)
		return order_numbers(a, b);
	if (rank(a) < 4)
		return order_bytes(a->text, a->n, b->text, b->n);
	if (a->kind == VALUE_RANGE)
		return order_ranges(a, b);
	for (size_t i = 0; i < a->n && i < b->n && !r; i++)
		r = value_order(&a->items[i], &b->items[i]);
	return r ? r : (a->n > b->n) - (a->n < b->n);
}

static int order_items(const void *a, const void *b)
{
	return value_order(a, b);
}

int value_sort(struct value *v, struct err *e)
{
	size_t step = v->kind == VALUE_DICT ? 2 : 1;

	if (v->kind < VALUE_LIST || v->kind >= VALUE_OPAQUE)
		return 0;
	for (size_t i = 0; i < v->n; i++) {
		if (value_sort(&v->items[i], e) < 0)
			return -EBADMSG;
	}
	if (v->kind != VALUE_DICT && v->kind != VALUE_SET)
		return 0;
	/* Key and value are neighbours: sorting pairs by their first half is sorting by key. */
	qsort(v->items, v->n / step, step * sizeof(*v->items), order_items);
	for (size_t i = step; i < v->n; i += step) {
		if (!value_order(&v->items[i - step], &v->items[i]))
			return err_set(e, EBADMSG, "a %s has the same %s twice", value_type_name(v),
				       step == 2 ? "key" : "member");
	}
	return 0;
}
