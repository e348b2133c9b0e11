/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/base/num.h"

#include <errno.h>
#include <stdint.h>

#include "tests/unit/tap.h"

struct num_case {
	const char *text;
	int ret;
	uint64_t value;
};

static void check(const char *what, int (*parse)(const char *, uint64_t *),
		  const struct num_case *c)
{
	for (; c->text; c++) {
		uint64_t v = 12345;
		int r = parse(c->text, &v);

		is_int(r, c->ret, "%s \"%s\" returns", what, c->text);
		is_int(v, r ? 12345 : c->value, "%s \"%s\" value", what, c->text);
	}
}

static int parse_u64_max(const char *s, uint64_t *ret)
{
	return num_parse_u64(s, UINT64_MAX, ret);
}

static int parse_u64_100(const char *s, uint64_t *ret)
{
	return num_parse_u64(s, 100, ret);
}

static int parse_milli(const char *s, uint64_t *ret)
{
	return num_parse_milli(s, 4000, ret);
}

static int parse_mode(const char *s, uint64_t *ret)
{
	unsigned mode;
	int r = num_parse_mode(s, &mode);

	if (!r)
		*ret = mode;
	return r;
}

static const struct num_case u64_max[] = {
	{"0", 0, 0},
	{"007", 0, 7},
	{"18446744073709551615", 0, UINT64_MAX},
	{"18446744073709551616", -ERANGE, 0},
	{"99999999999999999999999", -ERANGE, 0},
	{"", -EINVAL, 0},
	{"-1", -EINVAL, 0},
	{"+1", -EINVAL, 0},
	{" 1", -EINVAL, 0},
	{"1 ", -EINVAL, 0},
	{"0x10", -EINVAL, 0},
	{"1e3", -EINVAL, 0},
	{NULL, 0, 0},
};

static const struct num_case u64_100[] = {{"100", 0, 100}, {"101", -ERANGE, 0}, {NULL, 0, 0}};

static const struct num_case bytes[] = {
	{"0", 0, 0},
	{"1048576", 0, 1048576},
	{"1k", 0, 1024},
	{"64m", 0, 64 << 20},
	{"64MB", 0, 64 << 20},
	{"64MiB", 0, 64 << 20},
	{"1.5k", 0, 1536},
	{"1.5g", 0, UINT64_C(1536) << 20},
	{"2b", 0, 2},
	{"1t", 0, UINT64_C(1) << 40},
	{"8388607t", 0, UINT64_C(8388607) << 40},
	{"8388608t", -ERANGE, 0},
	{"9999999999999g", -ERANGE, 0},
	{"18446744073709551615", -ERANGE, 0},
	{"1ib", -EINVAL, 0},
	{"1kk", -EINVAL, 0},
	{"k", -EINVAL, 0},
	{".5k", -EINVAL, 0},
	{"1.k", -EINVAL, 0},
	{"1..5k", -EINVAL, 0},
	{"-1", -EINVAL, 0},
	{"1e3", -EINVAL, 0},
	{"nan", -EINVAL, 0},
	{"", -EINVAL, 0},
	{NULL, 0, 0},
};

static const struct num_case durations[] = {
	{"0", 0, 0},
	{"5", 0, 5000},
	{"0.5", 0, 500},
	{"250ms", 0, 250},
	{"2s", 0, 2000},
	{"3m", 0, 180000},
	{"1h", 0, 3600000},
	{"1.5h", 0, 5400000},
	{"8784h", 0, UINT64_C(366) * 24 * 3600 * 1000},
	{"8785h", -ERANGE, 0},
	{"99999999999999999999", -ERANGE, 0},
	{"5x", -EINVAL, 0},
	{"5 s", -EINVAL, 0},
	{"inf", -EINVAL, 0},
	{"", -EINVAL, 0},
	{NULL, 0, 0},
};

static const struct num_case millis[] = {
	{"1", 0, 1000},     {"0.5", 0, 500},       {"1.25", 0, 1250}, {"0.0019", 0, 1},
	{"4", 0, 4000},     {"4.001", -ERANGE, 0}, {"5", -ERANGE, 0}, {"nan", -EINVAL, 0},
	{"1.", -EINVAL, 0}, {"-0.5", -EINVAL, 0},  {NULL, 0, 0},
};

static const struct num_case modes[] = {
	{"755", 0, 0755}, {"07777", 0, 07777}, {"10000", -ERANGE, 0}, {"8", -EINVAL, 0},
	{"", -EINVAL, 0}, {"-1", -EINVAL, 0},  {NULL, 0, 0},
};

int main(void)
{
	check("u64", parse_u64_max, u64_max);
	check("u64 up to 100", parse_u64_100, u64_100);
	check("bytes", num_parse_bytes, bytes);
	check("duration", num_parse_duration, durations);
	check("milli", parse_milli, millis);
	check("mode", parse_mode, modes);
	return done_testing();
}
