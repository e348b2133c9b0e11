/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/judge/value/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/judge/value/value.h"
#include "runtime/base/err.h"

static bool has_opaque(const struct value *v)
{
	if (v->kind >= VALUE_OPAQUE)
		return true;
	for (size_t i = 0; v->kind >= VALUE_LIST && i < v->n; i++) {
		if (has_opaque(&v->items[i]))
			return true;
	}
	return false;
}

static bool is_number(const struct value *v)
{
	return v->kind == VALUE_BOOL || v->kind == VALUE_INT || v->kind == VALUE_FLOAT;
}

static double as_double(const struct value *v)
{
	return v->kind == VALUE_FLOAT ? v->number
	       : v->kind == VALUE_INT ? strtod(v->text, NULL)
				      : (double)v->truth;
}

/*
 * math.isclose(), but a NaN is close to a NaN, and a whole number that no float holds to nothing.
 */
static bool is_close(const struct compare *c, const struct value *x, const struct value *y)
{
	double a = as_double(x), b = as_double(y);
	double apart = fabs(a - b), larger = fabs(a) > fabs(b) ? fabs(a) : fabs(b);

	if ((x->kind == VALUE_INT && isinf(a)) || (y->kind == VALUE_INT && isinf(b)))
		return false;
	if (a == b || (isnan(a) && isnan(b)))
		return true;
	if (!isfinite(a) || !isfinite(b) || !isfinite(apart))
		return false;
	return apart <= c->rel * larger || apart <= c->abs;
}

static double part_of(const struct value *v, int i)
{
	return v->kind == VALUE_COMPLEX ? v->items[i].number : i ? 0 : as_double(v);
}

/* cmath.isclose(), with NaNs as above. */
static bool is_close_complex(const struct compare *c, const struct value *x, const struct value *y)
{
	double a = part_of(x, 0), b = part_of(x, 1), d = part_of(y, 0), f = part_of(y, 1);
	double apart = hypot(a / 4 - d / 4, b / 4 - f / 4);
	double x4 = hypot(a / 4, b / 4), y4 = hypot(d / 4, f / 4), larger = x4 > y4 ? x4 : y4;

	if (!value_order(x, y))
		return true;
	/* Quarters: hypot() of finite parts may be infinite, which is within any part of itself. */
	if (!isfinite(a) || !isfinite(b) || !isfinite(d) || !isfinite(f))
		return false;
	return apart <= c->rel * larger || apart <= c->abs / 4;
}

static bool kinds_agree(const struct value *expected, const struct value *answer)
{
	if (expected->kind == VALUE_LIST)
		return answer->kind == VALUE_LIST || answer->kind == VALUE_TUPLE;
	return expected->kind == answer->kind || (is_number(expected) && is_number(answer));
}

static bool match(const struct compare *c, const struct value *expected, const struct value *answer)
{
	bool near, is_complex;

	expected = value_real(expected);
	answer = value_real(answer);
	near = c->kind == COMPARE_CLOSE &&
	       (expected->kind == VALUE_FLOAT || answer->kind == VALUE_FLOAT);
	is_complex = expected->kind == VALUE_COMPLEX || answer->kind == VALUE_COMPLEX;
	if (c->kind == COMPARE_CLOSE && is_complex &&
	    (is_number(expected) || expected->kind == VALUE_COMPLEX) &&
	    (is_number(answer) || answer->kind == VALUE_COMPLEX))
		return is_close_complex(c, expected, answer);
	if (!kinds_agree(expected, answer) || expected->kind >= VALUE_OPAQUE)
		return false;
	if (is_number(expected) && near)
		return is_close(c, expected, answer);
	if (expected->kind < VALUE_LIST || is_complex || expected->kind == VALUE_RANGE)
		return !value_order(expected, answer);
	if (expected->n != answer->n)
		return false;
	/*
	 * Members of sets and keys were sorted by order, and are the same by order or not at all.
	 */
	for (size_t i = 0; i < expected->n; i++) {
		const struct value *x = &expected->items[i], *y = &answer->items[i];
		bool by_order =
			expected->kind == VALUE_SET || (expected->kind == VALUE_DICT && i % 2 == 0);

		if (by_order ? value_order(x, y) != 0 || has_opaque(y) : !match(c, x, y))
			return false;
	}
	return true;
}

static bool is_collection(const struct value *v)
{
	return v->kind == VALUE_LIST || v->kind == VALUE_TUPLE || v->kind == VALUE_SET;
}

static int order_pointers(const void *a, const void *b)
{
	return value_order(*(const struct value *const *)a, *(const struct value *const *)b);
}

/* Pointers to the members, sorted, each once; NULL: out of memory. */
static const struct value **as_set(const struct value *v, size_t *ret_n)
{
	const struct value **list = calloc(v->n + 1, sizeof(*list));
	size_t n = 0;

	for (size_t i = 0; list && i < v->n; i++)
		list[i] = &v->items[i];
	if (list)
		qsort(list, v->n, sizeof(*list), order_pointers);
	for (size_t i = 0; list && i < v->n; i++) {
		if (!n || value_order(list[n - 1], list[i]))
			list[n++] = list[i];
	}
	*ret_n = n;
	return list;
}

static bool same_set(const struct value *expected, const struct value *answer)
{
	const struct value **a, **b;
	size_t n, m;
	bool same;

	if (!is_collection(expected) || !is_collection(answer) || has_opaque(answer))
		return false;
	a = as_set(expected, &n);
	b = as_set(answer, &m);
	same = a && b && n == m;
	for (size_t i = 0; same && i < n; i++)
		same = !value_order(a[i], b[i]);
	free(a);
	free(b);
	return same;
}

bool compare_values(const struct compare *c, const struct value *expected,
		    const struct value *answer)
{
	if (c->kind == COMPARE_SET)
		return same_set(expected, answer);
	return match(c, expected, answer);
}

/*
 * --- text ---------------------------------------------------------------------------------------
 */

static size_t without_trailing(const char *s, size_t n, const char *blanks)
{
	while (n && strchr(blanks, s[n - 1]) && s[n - 1])
		n--;
	return n;
}

bool compare_texts(const struct compare *c, const char *expected, size_t n, const char *printed,
		   size_t m)
{
	if (c->exact)
		return n == m && !memcmp(expected, printed, n);
	n = without_trailing(expected, n, " \t\r\n\f\v");
	m = without_trailing(printed, m, " \t\r\n\f\v");
	for (;;) {
		const char *x = memchr(expected, '\n', n), *y = memchr(printed, '\n', m);
		size_t line = x ? (size_t)(x - expected) : n, other = y ? (size_t)(y - printed) : m;
		size_t a = without_trailing(expected, line, " \t\r\f\v");
		size_t b = without_trailing(printed, other, " \t\r\f\v");

		if (a != b || memcmp(expected, printed, a) || !x != !y)
			return false;
		if (!x)
			return true;
		expected = x + 1;
		printed = y + 1;
		n -= line + 1;
		m -= other + 1;
	}
}
