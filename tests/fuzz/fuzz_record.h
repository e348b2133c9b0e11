/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_TESTS_FUZZ_RECORD_H
#define CSBX_TESTS_FUZZ_RECORD_H

/* For targets over flat records (runtime/base/flat.h). */

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "runtime/base/flat.h"
#include "runtime/base/str.h"

/* A copy of the record around the fields, of exactly its size; NULL when out of memory. */
static inline char *fuzz_record(uint32_t magic, uint32_t version, const uint8_t *data, size_t size,
				size_t *ret_len)
{
	struct flat_writer w;
	char *copy = NULL;

	flat_begin(&w, magic, version);
	strbuf_add(&w.buf, data, size);
	if (!flat_end(&w, NULL)) {
		*ret_len = w.buf.len;
		copy = strbuf_take(&w.buf);
	}
	flat_free(&w);
	return copy;
}

static inline bool fuzz_same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

#endif
