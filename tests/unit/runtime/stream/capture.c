/* SPDX-License-Identifier: Apache-2.0 */
/* Head and tail of a stream against a plain string, for many lengths, limits and chunk sizes. */
#include "runtime/base/str.h"
#include "runtime/stream/capture.h"
#include "tests/unit/tap.h"

static char pattern(size_t i)
{
	return (char)('a' + i * 7 % 26);
}

static bool agrees(size_t total, size_t limit, size_t chunk)
{
	_strbuf_ struct strbuf all = STRBUF_INIT, got = STRBUF_INIT, want = STRBUF_INIT;
	struct capture c;
	bool same;

	for (size_t i = 0; i < total; i++)
		strbuf_addch(&all, pattern(i));
	capture_init(&c, limit);
	for (size_t i = 0; i < total; i += chunk)
		capture_add(&c, strbuf_str(&all) + i, total - i < chunk ? total - i : chunk);
	capture_text(&c, false, &got);
	if (total <= limit) {
		strbuf_add(&want, strbuf_str(&all), total);
	} else {
		strbuf_add(&want, strbuf_str(&all), limit / 2);
		strbuf_add(&want, strbuf_str(&all) + total - (limit - limit / 2),
			   limit - limit / 2);
	}
	same = got.len == want.len && !memcmp(strbuf_str(&got), strbuf_str(&want), got.len) &&
	       capture_is_truncated(&c) == (total > limit) && c.total == total;
	capture_free(&c);
	return same;
}

static void test_all_sizes(void)
{
	int bad = 0;

	for (size_t limit = 0; limit < 40; limit++) {
		for (size_t total = 0; total < 100; total++) {
			for (size_t chunk = 1; chunk < 50; chunk += 6)
				bad += !agrees(total, limit, chunk);
		}
	}
	is_int(bad, 0, "head and tail are right for every length, limit and chunk");
	ok(agrees(100000, 8192, 1000), "and for a larger one");
}

static void test_characters(void)
{
	_strbuf_ struct strbuf got = STRBUF_INIT;
	struct capture c;

	capture_init(&c, 8);
	for (int i = 0; i < 20; i++)
		capture_add(&c, "\xe2\x82\xac", 3); /* euro signs: 4 bytes cut one in two */
	capture_text(&c, false, &got);
	ok(str_is_utf8(strbuf_str(&got), got.len), "cuts fall on character boundaries");
	is_int(got.len, 6, "one whole character on each side");
	capture_free(&c);
}

int main(void)
{
	test_all_sizes();
	test_characters();
	return done_testing();
}
