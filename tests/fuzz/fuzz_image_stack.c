/* SPDX-License-Identifier: Apache-2.0 */

/* The record behind an image's file system: how many files lie below, and how long each is. */
#include "runtime/base/err.h"
#include "runtime/base/flat.h"
#include "runtime/base/image_trailer.h"
#include "runtime/server/image_stack.h"
#include "tests/fuzz/fuzz.h"

#define UNTOUCHED UINT64_C(0x5555555555555555)

/* No more than there is room for, and what it does not say of stays untouched. */
static void try(const void *buf, size_t len)
{
	uint64_t bytes[SPEC_STACK_MAX];
	struct err e = ERR_INIT;
	int n;

	for (unsigned i = 0; i < SPEC_STACK_MAX; i++)
		bytes[i] = UNTOUCHED;
	n = image_stack_decode(buf, len, bytes, &e);
	FUZZ_ASSERT(n < SPEC_STACK_MAX && bytes[SPEC_STACK_MAX - 1] == UNTOUCHED);
	FUZZ_ASSERT(n >= 0 || (e.code == -n && *e.msg));
	FUZZ_ASSERT(n <= 0 || (size_t)n * 16 <= len);
	for (int i = n < 0 ? SPEC_STACK_MAX : n; i < SPEC_STACK_MAX; i++)
		FUZZ_ASSERT(bytes[i] == UNTOUCHED);
}

/* As it comes, and as the fields of a record whose header and checksum are right. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct flat_writer w;

	try(data, size);
	flat_begin(&w, IMAGE_TRAILER_MAGIC, IMAGE_TRAILER_VERSION);
	strbuf_add(&w.buf, data, size);
	if (flat_end(&w, NULL) >= 0)
		try(w.buf.data, w.buf.len);
	flat_free(&w);
	return 0;
}
