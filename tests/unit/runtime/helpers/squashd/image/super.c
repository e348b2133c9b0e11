/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/helpers/squashd/image/sqsuper.h"

#include <string.h>

#include "tests/unit/tap.h"

#define FILE_BYTES 100000u

static unsigned char super[SQSUPER_BYTES];
static struct sqsuper parsed;

static void put(unsigned at, unsigned bytes, uint64_t v)
{
	while (bytes--) {
		super[at++] = (unsigned char)v;
		v >>= 8;
	}
}

/* As mksquashfs would write it: 10 inodes, 5 fragments, 2 ids, no attributes. */
static void make_good(void)
{
	memset(super, 0, sizeof(super));
	memcpy(super, "hsqs", 4);
	put(4, 4, 10);
	put(12, 4, 131072);
	put(16, 4, 5);
	put(20, 2, 6);
	put(22, 2, 17);
	put(26, 2, 2);
	put(28, 2, 4);
	put(40, 8, 50000);
	put(48, 8, 49000);
	put(56, 8, UINT64_MAX);
	put(64, 8, 40000);
	put(72, 8, 41000);
	put(80, 8, 48000);
	put(88, 8, UINT64_MAX);
}

static void expect(unsigned at, unsigned bytes, uint64_t v, const char *want)
{
	make_good();
	put(at, bytes, v);
	is_str(sqsuper_parse(super, FILE_BYTES, &parsed), want, "%u bytes at %u are %llu", bytes,
	       at, (unsigned long long)v);
}

int main(void)
{
	make_good();
	is_str(sqsuper_parse(super, FILE_BYTES, &parsed), NULL, "a good one");
	is_str(sqsuper_parse(super, 50000, &parsed), NULL, "a file of just that length");
	is_str(sqsuper_parse(super, 49999, &parsed), "truncated", "a byte less");
	ok(parsed.inodes == 10 && parsed.block_bytes == 131072 && parsed.fragments == 5 &&
		   parsed.ids == 2 && parsed.compression == 6 && parsed.directory_table == 41000,
	   "values");
	expect(0, 4, 0, "not a squashfs image");
	expect(28, 2, 3, "squashfs of a version that is not supported");
	expect(30, 2, 1, "squashfs of a version that is not supported");
	expect(4, 4, 0, "bad inode table");
	expect(12, 4, 131073, "bad block size");
	expect(22, 2, 11, "bad block size");
	expect(22, 2, 21, "bad block size");
	expect(22, 2, 16, "bad block size");
	expect(26, 2, 0, "bad id table");
	expect(48, 8, 0, "bad id table");
	expect(48, 8, 50000, "bad id table");
	expect(48, 8, 49993, "bad id table");
	expect(48, 8, 49992, NULL);
	expect(40, 8, UINT64_MAX, "truncated");
	expect(40, 8, 96, "bad id table");
	expect(56, 8, 0, "bad attribute table");
	expect(56, 8, 49999, NULL);
	expect(64, 8, 41000, "bad inode table");
	expect(64, 8, 95, "bad inode table");
	expect(72, 8, UINT64_MAX - 1, "bad inode table");
	expect(16, 4, UINT32_MAX, "bad fragment table");
	expect(80, 8, UINT64_MAX - 7, "bad fragment table");
	make_good();
	put(16, 4, 0);
	put(80, 8, UINT64_MAX);
	is_str(sqsuper_parse(super, FILE_BYTES, &parsed), NULL, "no fragments, no table of them");
	return done_testing();
}
