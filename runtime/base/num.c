/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/base/num.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Reads the digits at *s and moves *s past them. */
static int parse_digits(const char **s, uint64_t max, uint64_t *ret)
{
	uint64_t v = 0;

	if (!is_digit(**s))
		return -EINVAL;
	for (; is_digit(**s); (*s)++) {
		if (__builtin_mul_overflow(v, 10u, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(**s - '0'), &v) || v > max)
			return -ERANGE;
	}
	*ret = v;
	return 0;
}

int num_parse_u64(const char *s, uint64_t max, uint64_t *ret)
{
	uint64_t v;
	int r = parse_digits(&s, max, &v);

	if (r < 0)
		return r;
	if (*s)
		return -EINVAL;
	*ret = v;
	return 0;
}

/* Digits with an optional fraction, as thousandths. */
static int parse_decimal(const char **s, uint64_t max_whole, uint64_t *ret_milli)
{
	uint64_t whole, milli = 0, unit = 100;
	int r = parse_digits(s, max_whole, &whole);

	if (r < 0)
		return r;
	if (**s == '.') {
		(*s)++;
		if (!is_digit(**s))
			return -EINVAL;
		for (; is_digit(**s); (*s)++) {
			milli += unit * (uint64_t)(**s - '0');
			unit /= 10;
		}
	}
	if (__builtin_mul_overflow(whole, 1000u, &whole) ||
	    __builtin_add_overflow(whole, milli, ret_milli))
		return -ERANGE;
	return 0;
}

int num_parse_milli(const char *s, uint64_t max_milli, uint64_t *ret_milli)
{
	uint64_t v;
	int r = parse_decimal(&s, max_milli / 1000, &v);

	if (r < 0)
		return r;
	if (*s)
		return -EINVAL;
	if (v > max_milli)
		return -ERANGE;
	*ret_milli = v;
	return 0;
}

/* Multiplies thousandths by a unit and rounds down. */
static int scale_milli(uint64_t milli, uint64_t unit, uint64_t *ret)
{
	uint64_t whole, rest = milli % 1000 * (unit / 1000) + milli % 1000 * (unit % 1000) / 1000;

	if (__builtin_mul_overflow(milli / 1000, unit, &whole) ||
	    __builtin_add_overflow(whole, rest, ret))
		return -ERANGE;
	return 0;
}

int num_parse_bytes(const char *s, uint64_t *ret_bytes)
{
	static const char units[] = "kmgtp";
	uint64_t milli, v;
	unsigned shift = 0;
	int r = parse_decimal(&s, UINT64_MAX / 1000 - 1, &milli);

	if (r < 0)
		return r;
	if (*s) {
		const char *u = strchr(units, *s | 0x20);

		if (u) {
			shift = 10u * (unsigned)(u - units + 1);
			s++;
		}
		if (*s && strcasecmp(s, "b") && (!shift || strcasecmp(s, "ib")))
			return -EINVAL;
	}
	if (!shift && milli % 1000)
		return -EINVAL; /* there is no part of a byte */
	r = scale_milli(milli, UINT64_C(1) << shift, &v);
	if (r < 0)
		return r;
	if (v > INT64_MAX)
		return -ERANGE;
	*ret_bytes = v;
	return 0;
}

int num_parse_duration(const char *s, uint64_t *ret_ms)
{
	static const struct {
		const char *suffix;
		uint64_t ms;
	} units[] = {{"", 1000},   {"s", 1000},    {"ms", 1},
		     {"m", 60000}, {"h", 3600000}, {"d", 86400000}};
	uint64_t milli, v;
	int r = parse_decimal(&s, UINT64_MAX / 1000 - 1, &milli);

	if (r < 0)
		return r;
	for (unsigned i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(s, units[i].suffix))
			continue;
		r = scale_milli(milli, units[i].ms, &v);
		if (r < 0)
			return r;
		/* A year is past every sane limit and keeps sums of times from overflowing. */
		if (v > UINT64_C(366) * 24 * 3600 * 1000)
			return -ERANGE;
		*ret_ms = v;
		return 0;
	}
	return -EINVAL;
}

int num_parse_mode(const char *s, unsigned *ret_mode)
{
	unsigned v = 0;

	if (!*s)
		return -EINVAL;
	for (; *s; s++) {
		if (*s < '0' || *s > '7')
			return -EINVAL;
		v = v * 8 + (unsigned)(*s - '0');
		if (v > 07777)
			return -ERANGE;
	}
	*ret_mode = v;
	return 0;
}
