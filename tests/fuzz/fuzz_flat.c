/* SPDX-License-Identifier: Apache-2.0 */
/* Flat records: any bytes are refused or read inside their bounds; what is read writes the same. */
#include "runtime/base/flat.h"

#include "runtime/base/err.h"
#include "tests/fuzz/fuzz.h"

#define MAGIC 0x54534554u

/* A fuzzer never guesses the checksum, so the fields are also read without the header's check. */
static void read_fields(struct flat_reader *r)
{
	struct err e = ERR_INIT;
	struct flat_field f;
	const unsigned char *end = r->end;
	const char *s;
	uint64_t n;

	while (flat_next(r, &f, &e) == 1) {
		FUZZ_ASSERT((const unsigned char *)f.data + f.len <= end);
		if (!flat_get_str(&f, &s, &e))
			FUZZ_ASSERT(strlen(s) + 1 == f.len);
		if (!flat_get_u64(&f, &n, &e))
			FUZZ_ASSERT(f.len == 8);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err e = ERR_INIT;
	struct flat_reader r;

	if (!flat_open(&r, data, size, MAGIC, 2, &e))
		read_fields(&r);
	r = (struct flat_reader){.p = data, .end = data + size, .version = 1};
	read_fields(&r);
	return 0;
}
