/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/base/json/out.h"

#include "runtime/base/err.h"
#include "tests/unit/tap.h"

/* Compares a finished writer's text and empties it. */
static void is_text(struct json_out *j, const char *want, const char *what)
{
	struct err e = ERR_INIT;

	is_int(json_finish(j, &e), 0, "%s: finished", what);
	is_str(strbuf_str(&j->buf), want, "%s", what);
	json_out_free(j);
}

static void test_nesting(void)
{
	struct json_out j = JSON_OUT_INIT;
	struct strv v = STRV_INIT;

	strv_add(&v, "a");
	strv_add(&v, "b");
	json_begin_object(&j);
	json_kstr(&j, "name", "py");
	json_key(&j, "list");
	json_begin_array(&j);
	json_u64(&j, UINT64_MAX);
	json_i64(&j, INT64_MIN);
	json_bool(&j, false);
	json_null(&j);
	json_begin_object(&j);
	json_end_object(&j);
	json_end_array(&j);
	json_kstrv(&j, "v", &v);
	json_kstr(&j, "none", NULL);
	json_end_object(&j);
	is_text(&j,
		"{\"name\":\"py\",\"list\":[18446744073709551615,-9223372036854775808,false,null,{}"
		"],"
		"\"v\":[\"a\",\"b\"],\"none\":null}",
		"compact");
	strv_free(&v);

	j.pretty = true;
	json_begin_array(&j);
	json_begin_object(&j);
	json_ku64(&j, "a", 1);
	json_kbool(&j, "b", true);
	json_end_object(&j);
	json_begin_array(&j);
	json_end_array(&j);
	json_end_array(&j);
	is_text(&j, "[\n  {\n    \"a\": 1,\n    \"b\": true\n  },\n  []\n]", "indented");
}

static void is_escaped(const char *s, size_t len, const char *want, const char *what)
{
	struct json_out j = JSON_OUT_INIT;

	json_strn(&j, s, len);
	is_text(&j, want, what);
}

static void test_strings(void)
{
	is_escaped("q\" b\\ /", 7, "\"q\\\" b\\\\ /\"", "quotes and backslashes");
	is_escaped("\0\x1b[31m\n\t\r\x7f", 10, "\"\\u0000\\u001b[31m\\n\\t\\r\\u007f\"",
		   "control bytes");
	is_escaped("gr\xc3\xbc\xc3\x9f \xf0\x9f\x90\x8d", 11,
		   "\"gr\xc3\xbc\xc3\x9f \xf0\x9f\x90\x8d\"", "UTF-8 stays");
	is_escaped("a\xff\xc3", 3, "\"a\\ufffd\\ufffd\"", "bytes that are not UTF-8");
	is_escaped("\xed\xa0\x80", 3, "\"\\ufffd\\ufffd\\ufffd\"", "a surrogate");
	is_escaped("a\xe2\x80\xae!", 5, "\"a\\u202e!\"", "a bidi override");
	is_escaped("", 0, "\"\"", "empty");
}

static void is_milli(uint64_t milli, const char *want)
{
	struct json_out j = JSON_OUT_INIT;

	json_milli(&j, milli);
	is_text(&j, want, want);
}

static void is_time(uint64_t ns, const char *want)
{
	struct json_out j = JSON_OUT_INIT;

	json_time(&j, ns);
	is_text(&j, want, want);
}

static void test_numbers(void)
{
	is_milli(0, "0");
	is_milli(1500, "1.5");
	is_milli(250, "0.25");
	is_milli(12005, "12.005");
	is_milli(3000, "3");

	is_time(0, "null");
	is_time(UINT64_C(951782400123000000), "\"2000-02-29T00:00:00.123Z\"");
	is_time(UINT64_C(1709251199999999999), "\"2024-02-29T23:59:59.999Z\"");
	is_time(UINT64_C(1735689600000000000), "\"2025-01-01T00:00:00.000Z\"");
	is_time(UINT64_C(4107542400000000000), "\"2100-03-01T00:00:00.000Z\"");
}

static bool is_misuse(struct json_out *j)
{
	bool bad = json_finish(j, NULL) < 0;

	json_out_free(j);
	return bad;
}

static void test_misuse(void)
{
	struct json_out j = JSON_OUT_INIT;

	ok(is_misuse(&j), "nothing written");
	json_begin_object(&j);
	ok(is_misuse(&j), "not ended");
	json_begin_object(&j);
	json_u64(&j, 1);
	json_end_object(&j);
	ok(is_misuse(&j), "value without a key");
	json_begin_object(&j);
	json_key(&j, "k");
	json_end_object(&j);
	ok(is_misuse(&j), "key without a value");
	json_begin_object(&j);
	json_end_array(&j);
	ok(is_misuse(&j), "wrong end");
	json_u64(&j, 1);
	json_u64(&j, 2);
	ok(is_misuse(&j), "two texts");
	json_begin_array(&j);
	json_key(&j, "k");
	json_end_array(&j);
	ok(is_misuse(&j), "key in an array");
	for (int i = 0; i <= JSON_OUT_DEPTH; i++)
		json_begin_array(&j);
	for (int i = 0; i <= JSON_OUT_DEPTH; i++)
		json_end_array(&j);
	ok(is_misuse(&j), "too deep");
}

int main(void)
{
	test_nesting();
	test_strings();
	test_numbers();
	test_misuse();
	return done_testing();
}
