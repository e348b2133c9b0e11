/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/base/json/json.h"

#include "runtime/base/err.h"
#include "runtime/base/json/out.h"
#include "runtime/base/str.h"
#include "tests/unit/tap.h"

static int parse(const char *text, size_t len, struct err *e)
{
	struct json *doc = NULL;
	int r = json_parse(text, len, JSON_MANIFEST_MAX, &doc, e);

	json_free(doc);
	return r;
}

static void accepts(const char *text)
{
	struct err e = ERR_INIT;

	ok(!parse(text, strlen(text), &e), "accepts %.40s", text);
	if (e.code)
		printf("# %s\n", e.msg);
}

static void refuses(const char *text, const char *why)
{
	struct err e = ERR_INIT;

	is_int(parse(text, strlen(text), &e), -EBADMSG, "refuses %.40s", text);
	ok(strstr(e.msg, why), "and says %s: %s", why, e.msg);
}

static void test_grammar(void)
{
	static const char *const good[] = {
		"{}",
		"[]",
		"null",
		"true",
		" \t\r\n[1 , 2]\n",
		"\"\"",
		"0",
		"-1",
		"1.5e+3",
		"[[],{}]",
		"{\"a\":{\"b\":[null,false,\"x\"]}}",
		"\"\\u00e9\\ud83d\\ude00\\n\\/\"",
		"\"\xc3\xa9\"",
		"{\"a\":1,\"A\":2}",
		"[-0,1e999]",
	};
	static const struct {
		const char *text, *why;
	} bad[] = {
		{"", "unexpected end"},
		{" ", "unexpected end"},
		{"{", "key"},
		{"[", "unexpected end"},
		{"[1,]", "unexpected byte"},
		{"{\"a\":1,}", "key"},
		{"{\"a\"}", "colon"},
		{"{a:1}", "key"},
		{"[1 2]", "comma"},
		{"[1}", "comma"},
		{"{} {}", "after the document"},
		{"{}x", "after"},
		{"nul", "unexpected"},
		{"True", "unexpected"},
		{"NaN", "unexpected"},
		{"Infinity", "unexpected"},
		{"01", "leading zero"},
		{"1.", "digits"},
		{".5", "unexpected"},
		{"+1", "unexpected"},
		{"1e", "exponent"},
		{"-", "unexpected"},
		{"0x1", "after"},
		{"\"a", "unfinished"},
		{"\"\\x\"", "escape"},
		{"\"\\u12g4\"", "escape"},
		{"\"\\u0000\"", "u0000"},
		{"\"\\ud800\"", "surrogate"},
		{"\"\\udc00\"", "surrogate"},
		{"\"\\ud800\\u0041\"", "surrogate"},
		{"\"a\nb\"", "control"},
		{"'a'", "unexpected"},
		{"/**/1", "unexpected"},
		{"\xef\xbb\xbf{}", "byte order mark"},
		{"\"\xff\"", "UTF-8"},
		{"\"\xc0\xaf\"", "UTF-8"},
		{"\"\xed\xa0\x80\"", "UTF-8"},
		{"{\"a\":1,\"a\":2}", "twice"},
		{"{\"a\":1,\"\\u0061\":2}", "twice"},
		{"[{\"x\":{\"k\":1,\"j\":2,\"k\":3}}]", "twice"},
	};

	for (unsigned i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		accepts(good[i]);
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		refuses(bad[i].text, bad[i].why);
	is_int(parse("{}\0", 3, NULL), -EBADMSG, "refuses a NUL byte behind the document");
	is_int(parse("\"a\0b\"", 5, NULL), -EBADMSG, "refuses a NUL byte in a string");
}

/* text repeated n times, then more. */
static void repeat(struct strbuf *b, const char *text, size_t n, const char *more)
{
	strbuf_reset(b);
	for (size_t i = 0; i < n; i++)
		strbuf_addstr(b, text);
	strbuf_addstr(b, more);
}

static void test_limits(void)
{
	_strbuf_ struct strbuf b = STRBUF_INIT;
	struct json *doc = NULL;
	struct err e = ERR_INIT;

	repeat(&b, "[", JSON_DEPTH_MAX, "");
	for (unsigned i = 0; i < JSON_DEPTH_MAX; i++)
		strbuf_addch(&b, ']');
	is_int(parse(b.data, b.len, &e), 0, "%u levels", JSON_DEPTH_MAX);
	repeat(&b, "[", 100000, "");
	is_int(parse(b.data, b.len, &e), -EBADMSG, "100000 levels: %s", e.msg);
	repeat(&b, "{\"a\":", 100000, "");
	is_int(parse(b.data, b.len, &e), -EBADMSG, "100000 objects: %s", e.msg);
	strbuf_reset(&b);
	strbuf_addch(&b, '[');
	for (unsigned i = 0; i < JSON_VALUES_MAX + 1; i++)
		strbuf_addstr(&b, "0,");
	strbuf_addstr(&b, "0]");
	is_int(parse(b.data, b.len, &e), -EBADMSG, "too many values: %s", e.msg);
	is_int(json_parse("[1,2,3]", 7, 6, &doc, &e), -EFBIG, "above the cap: %s", e.msg);
}

static void test_getters(void)
{
	static const char text[] = "{\"s\":\"x\",\"n\":null,\"o\":{\"k\":1},\"a\":[\"p\",\"q\"],"
				   "\"mixed\":[\"p\",1],\"S\":\"upper\"}";
	_strv_ struct strv v = STRV_INIT;
	_json_ struct json *doc = NULL;
	const struct json *j;
	struct err e = ERR_INIT;
	const char *s;

	is_int(json_parse(text, strlen(text), 4096, &doc, &e), 0, "parses");
	ok(!json_get_str(doc, "s", &s, &e) && str_eq(s, "x"), "string");
	ok(!json_get_str(doc, "S", &s, &e) && str_eq(s, "upper"), "keys differ by case");
	ok(!json_get_str(doc, "n", &s, &e) && !s, "null is absent");
	ok(!json_get_str(doc, "N", &s, &e) && !s, "absent");
	is_int(json_get_str(doc, "o", &s, &e), -EBADMSG, "object for a string: %s", e.msg);
	ok(!json_get_object(doc, "o", &j, &e) && json_is_object(j), "object");
	ok(!json_get_array(doc, "a", &j, &e) && json_count(j) == 2, "array");
	is_int(json_get_array(doc, "o", &j, &e), -EBADMSG, "object for an array");
	ok(!json_get_strv(doc, "a", &v, &e) && v.n == 2 && str_eq(v.items[1], "q"), "strings");
	is_int(json_get_strv(doc, "mixed", &v, &e), -EBADMSG, "not only strings: %s", e.msg);
}

static void test_numbers(void)
{
	static const struct {
		const char *text;
		long long want; /* -1: refused */
	} numbers[] = {
		{"0", 0},
		{"1", 1},
		{"9007199254740991", 9007199254740991},
		{"9007199254740992", -1},
		{"9007199254740993", -1},
		{"18446744073709551616", -1},
		{"-1", -1},
		{"-0", -1},
		{"1.0", -1},
		{"1e3", -1},
		{"1e308", -1},
		{"1e999", -1},
		{"\"1\"", -1},
		{"true", -1},
		{"null", -1},
		{"[1]", -1},
	};

	for (unsigned i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		_strbuf_ struct strbuf b = STRBUF_INIT;
		_json_ struct json *doc = NULL;
		struct err e = ERR_INIT;
		uint64_t v = 0;
		int r;

		/* Numbers before it, so that a wrong count of them would show. */
		strbuf_addf(&b, "{\"x\":[1.5,2,{\"y\":3e1}],\"size\":%s,\"z\":7}", numbers[i].text);
		is_int(json_parse(b.data, b.len, 4096, &doc, &e), 0, "parses %s", b.data);
		r = json_get_size(doc, "size", &v, &e);
		if (numbers[i].want < 0)
			is_int(r, -EBADMSG, "size %s refused", numbers[i].text);
		else
			ok(!r && v == (uint64_t)numbers[i].want, "size %s", numbers[i].text);
		ok(!json_get_size(doc, "z", &v, &e) && v == 7, "its neighbour");
		if (strchr("-0123456789", numbers[i].text[0]))
			is_str(json_number(json_member(doc, "size")), numbers[i].text, "its text");
		else
			ok(!json_member(doc, "size") || !json_number(json_member(doc, "size")),
			   "%s is no number", numbers[i].text);
	}
}

static void test_written_again(void)
{
	static const char *const texts[] = {
		"{\"b\":[1,-0,1.50,1E400,12345678901234567890],\"a\":{\"\":null},\"c\":true}",
		"[]",
		"{}",
		"false",
		"\"\\\"\\\\\\n\xc3\xa9\"",
	};
	_strbuf_ struct strbuf deep = STRBUF_INIT;

	for (unsigned i = 0; i <= sizeof(texts) / sizeof(texts[0]); i++) {
		const char *text = i < sizeof(texts) / sizeof(texts[0]) ? texts[i] : NULL;
		struct json_out j = JSON_OUT_INIT;
		_json_ struct json *doc = NULL;
		struct err e = ERR_INIT;

		if (!text) {
			repeat(&deep, "[", JSON_DEPTH_MAX, "");
			for (unsigned n = 0; n < JSON_DEPTH_MAX; n++)
				strbuf_addch(&deep, ']');
			text = deep.data;
		}
		is_int(json_parse(text, strlen(text), 4096, &doc, &e), 0, "parses %.40s", text);
		json_out_value(&j, doc);
		is_int(json_finish(&j, &e), 0, "is written: %s", e.msg);
		is_str(strbuf_str(&j.buf), text, "as it was read");
		json_out_free(&j);
	}
}

static void test_keys(void)
{
	static const char *const known[] = {"layers", "config", NULL};
	static const struct {
		const char *text;
		bool fine;
	} tests[] = {
		{"{\"layers\":1,\"config\":2,\"more\":3}", true},
		{"{\"Layers\":1}", false},
		{"{\"layers\":1,\"LAYERS\":2}", false},
		{"{\"layer\":1}", true},
		{"{\"layer\u017f\":1}", false},
	};

	for (unsigned i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		_json_ struct json *doc = NULL;
		struct err e = ERR_INIT;

		json_parse(tests[i].text, strlen(tests[i].text), 4096, &doc, &e);
		is_int(json_check_keys(doc, known, &e), tests[i].fine ? 0 : -EBADMSG, "keys of %s",
		       tests[i].text);
	}
}

static void test_any_case(void)
{
	static const struct {
		const char *text, *key;
		int want; /* the member's number; 0: absent, -EBADMSG: refused */
	} tests[] = {
		{"{\"Image\":1,\"Cmd\":2}", "Image", 1},
		{"{\"image\":1,\"cmd\":2}", "Cmd", 2},
		{"{\"IMAGE\":1}", "image", 1},
		{"{\"Images\":1,\"Imag\":2,\"\":3}", "Image", 0},
		{"{\"image\":null}", "Image", 0},
		{"{}", "Image", 0},
		{"{\"Image\":1,\"image\":2}", "Image", -EBADMSG},
		{"{\"image\":1,\"Image\":1}", "Image", -EBADMSG},
		{"{\"image\":null,\"Image\":1}", "Image", -EBADMSG},
		/* The letters whose simple folds are ASCII; no other one is. */
		{"{\"bind\u017f\":1}", "Binds", 1},
		{"{\"networ\u212aMode\":1}", "NetworkMode", 1},
		{"{\"Binds\":1,\"Bind\u017f\":2}", "Binds", -EBADMSG},
		{"{\"\u0131mage\":1,\"\u0130mage\":2}", "Image", 0},
		{"{\"a@\":1}", "A`", 0},
		{"{\"a[\":1}", "A{", 0},
		{"{\"\u00e9\":1}", "\xc3\x89", 0},
	};

	for (unsigned i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		_json_ struct json *doc = NULL;
		const struct json *m = NULL;
		struct err e = ERR_INIT;
		uint64_t n = 0;
		int r = json_parse(tests[i].text, strlen(tests[i].text), 4096, &doc, &e);

		if (r >= 0) {
			r = json_get_any_case(doc, tests[i].key, &m, &e);
			if (!r && m)
				r = json_whole(m, &n) < 0 ? -EINVAL : (int)n;
		}
		is_int(r, tests[i].want, "%s in %s: %s", tests[i].key, tests[i].text, e.msg);
	}
}

int main(void)
{
	test_grammar();
	test_limits();
	test_getters();
	test_numbers();
	test_written_again();
	test_keys();
	test_any_case();
	return done_testing();
}
