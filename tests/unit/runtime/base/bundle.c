/* SPDX-License-Identifier: Apache-2.0 */
/* The trailer of a bundle: what is written is read, and nothing that lies outside the file. */
#include "runtime/base/bundle.h"
#include "tests/unit/tap.h"

#define FILE_BYTES 100000u

static const struct bundle good = {{{1000, 10}, {1010, 2000}, {3010, 86}, {4096, 95000}}};

static bool parses(struct bundle b, uint64_t file_bytes)
{
	unsigned char trailer[BUNDLE_TRAILER_BYTES];
	struct bundle ret;

	bundle_format(&b, trailer);
	return bundle_parse(trailer, file_bytes, &ret);
}

static void bad(void)
{
	static const struct bundle_extent extents[] = {
		{4096, 0},
		{4096, FILE_BYTES},
		{FILE_BYTES, 1},
		{4096, UINT64_MAX},
		{UINT64_MAX, 1},
		{UINT64_MAX - 10, 20},
		{0, FILE_BYTES - BUNDLE_TRAILER_BYTES + 1},
		{4095, 10},
		{4097, 10},
	};

	for (size_t i = 0; i < sizeof(extents) / sizeof(extents[0]); i++) {
		struct bundle b = good;

		b.parts[BUNDLE_IMAGE] = extents[i];
		ok(!parses(b, FILE_BYTES), "image %zu is refused", i);
	}
}

int main(void)
{
	unsigned char trailer[BUNDLE_TRAILER_BYTES];
	struct bundle ret;

	bundle_format(&good, trailer);
	ok(bundle_parse(trailer, FILE_BYTES, &ret), "parsed");
	is_mem(&ret, sizeof(ret), &good, sizeof(good), "and is the same");
	ok(!parses(good, 4096 + 95000 + BUNDLE_TRAILER_BYTES - 1), "cut short");
	ok(parses(good, 4096 + 95000 + BUNDLE_TRAILER_BYTES), "just fits");
	ok(!parses(good, 0) && !parses(good, BUNDLE_TRAILER_BYTES), "hardly a file");
	trailer[0] ^= 1;
	ok(!bundle_parse(trailer, FILE_BYTES, &ret), "another magic");
	bad();
	return done_testing();
}
