/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The JSON reader, and those who read with it. A text that the strict rules take is valid UTF-8
 * without NUL, has no key twice in one object and no more levels and values than allowed; the
 * looser rules take it as well; it stays the same in brackets, when it is written again, and as a
 * value of a judged program; and a config of it as one layer is a config.
 */
#include "runtime/base/json/json.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/judge/value/json.h"
#include "image/oci/config_layers.h"
#include "runtime/base/err.h"
#include "runtime/base/json/out.h"
#include "runtime/base/json/read.h"
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
			if (json_get_any_case(v, json_name(i), &found, NULL) >= 0)
				FUZZ_ASSERT(json_is_null(i) ? !found : found == i);
			if (!json_get_size(v, json_name(i), &size, NULL))
				FUZZ_ASSERT(size <= (UINT64_C(1) << 53) - 1);
		}
		n += check_value(i, depth + 1);
	}
	return n;
}

/* The rules of the values of judged programs: the loosest there are. */
static void check_loose(const char *text, size_t len, bool is_strict)
{
	_value_pool_ struct value_pool pool = VALUE_POOL_INIT;
	struct err e = ERR_INIT;
	struct value v;
	int r = value_read_json(&pool, text, len, &v, &e);

	FUZZ_ASSERT(r >= 0 || (e.code > 0 && e.msg[0]));
	/* Its own words are the one thing that it may refuse. */
	if (is_strict)
		FUZZ_ASSERT(r >= 0 || strchr(e.msg, '$'));
}

static void check_in_brackets(const char *text, size_t len)
{
	_strbuf_ struct strbuf wrapped = STRBUF_INIT;
	_json_ struct json *again = NULL;

	strbuf_addch(&wrapped, '[');
	strbuf_add(&wrapped, text, len);
	strbuf_addch(&wrapped, ']');
	if (!json_parse(wrapped.data, wrapped.len, INPUT_MAX + 2, &again, NULL))
		FUZZ_ASSERT(json_count(again) == 1);
}

/* Written, read and written again: twice the same text. */
static void check_written(const struct json *doc)
{
	struct json_out j = JSON_OUT_INIT, k = JSON_OUT_INIT;
	_json_ struct json *again = NULL;

	json_out_value(&j, doc);
	FUZZ_ASSERT(json_finish(&j, NULL) >= 0);
	FUZZ_ASSERT(json_parse(j.buf.data, j.buf.len, 8 * INPUT_MAX, &again, NULL) >= 0);
	json_out_value(&k, again);
	FUZZ_ASSERT(k.buf.len == j.buf.len && !memcmp(k.buf.data, j.buf.data, j.buf.len));
	json_out_free(&j);
	json_out_free(&k);
}

static void check_squashed(const char *text, size_t len, bool is_object)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;
	_json_ struct json *config = NULL;
	struct err e = ERR_INIT;
	int r = squashed_config(text, len, "sha256:1", &out, &e);

	FUZZ_ASSERT(is_object ? r >= 0 : r == -EBADMSG);
	if (is_object && json_parse(out.data, out.len, 8 * INPUT_MAX, &config, &e) < 0)
		FUZZ_ASSERT(strstr(e.msg, "too many")); /* a few values are new */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_json_ struct json *doc = NULL;
	/* No byte behind the end may be read. */
	char *exact;
	int r;

	if (size > INPUT_MAX || !(exact = malloc(size + !size)))
		return 0;
	memcpy(exact, data, size);
	r = json_parse(exact, size, INPUT_MAX, &doc, NULL);
	check_loose(exact, size, r >= 0);
	if (r >= 0) {
		FUZZ_ASSERT(str_is_utf8(exact, size) && !memchr(exact, 0, size));
		FUZZ_ASSERT(check_value(doc, 0) <= JSON_VALUES_MAX);
		check_in_brackets(exact, size);
		check_written(doc);
		check_squashed(exact, size, json_is_object(doc));
	}
	free(exact);
	return 0;
}
