/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The strict JSON reader. What it accepts is valid UTF-8 without NUL, has no key twice in one
 * object and no more levels and values than allowed; and it stays the same in brackets.
 */
#include "runtime/base/json/json.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/err.h"
#include "runtime/base/str.h"
#include "tests/fuzz/fuzz.h"

#define INPUT_MAX 65536

static unsigned long check_value(const struct json *v, unsigned depth)
{
	const struct json *found;
	unsigned long n = 1;
	uint64_t size;

	FUZZ_ASSERT(depth <= JSON_DEPTH_MAX);
	if (json_text(v))
		FUZZ_ASSERT(str_is_utf8(json_text(v), strlen(json_text(v))));
	for (const struct json *i = json_first(v); i; i = json_next(i)) {
		if (json_is_object(v)) {
			found = json_member(v, json_name(i));
			FUZZ_ASSERT(json_is_null(i) ? !found : found == i);
			if (!json_get_size(v, json_name(i), &size, NULL))
				FUZZ_ASSERT(size <= (UINT64_C(1) << 53) - 1);
		}
		n += check_value(i, depth + 1);
	}
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_strbuf_ struct strbuf wrapped = STRBUF_INIT;
	_json_ struct json *doc = NULL, *again = NULL;

	if (size > INPUT_MAX || json_parse(data, size, INPUT_MAX, &doc, NULL) < 0)
		return 0;
	FUZZ_ASSERT(str_is_utf8((const char *)data, size) && !memchr(data, 0, size));
	FUZZ_ASSERT(check_value(doc, 0) <= JSON_VALUES_MAX);
	strbuf_addch(&wrapped, '[');
	strbuf_add(&wrapped, data, size);
	strbuf_addch(&wrapped, ']');
	if (!json_parse(wrapped.data, wrapped.len, INPUT_MAX + 2, &again, NULL))
		FUZZ_ASSERT(json_count(again) == 1);
	return 0;
}
