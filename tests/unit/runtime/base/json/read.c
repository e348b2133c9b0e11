/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/base/json/read.h"

#include <stdint.h>

#include "runtime/base/err.h"
#include "tests/unit/tap.h"

static const struct json_rules strict = {
	.bytes_max = 1u << 20, .depth_max = 4, .values_max = 100000, .number_bytes_max = 20};
static const struct json_rules python = {.bytes_max = 1u << 20,
					 .depth_max = JSON_READ_DEPTH_MAX,
					 .values_max = 100000,
					 .number_bytes_max = 1u << 20,
					 .takes_python = true};

/* The tokens of a document as one line: k"a" s"b" #1.0 { } [ ] t f n. 0, or the reader's error. */
static int tokens(const char *text, size_t len, const struct json_rules *rules, struct strbuf *ret,
		  struct err *e)
{
	static const char marks[] = "?{}[]ks#tfn";
	_json_reader_ struct json_reader r;
	int token = json_read_begin(&r, text, len, rules, e);

	strbuf_reset(ret);
	if (token < 0)
		return token;
	while ((token = json_read(&r, e)) > 0) {
		strbuf_addch(ret, marks[token]);
		if (token == JSON_NUMBER)
			strbuf_add(ret, r.text.data, r.text.len);
		else if (token == JSON_KEY || token == JSON_STRING)
			strbuf_add_escaped(ret, strbuf_str(&r.text), r.text.len);
		strbuf_addch(ret, ' ');
	}
	return token;
}

struct sample {
	const char *text, *want; /* tokens, or what the error says */
	bool is_bad;
};

static void check(const struct sample *s, const struct json_rules *rules, const char *how)
{
	_strbuf_ struct strbuf got = STRBUF_INIT;
	struct err e = ERR_INIT;
	int r = tokens(s->text, strlen(s->text), rules, &got, &e);

	is_int(r, s->is_bad ? -EBADMSG : 0, "%s: %.60s: %s", how, s->text, e.msg);
	if (s->is_bad)
		ok(strstr(e.msg, s->want), "and says %s", s->want);
	else
		is_str(strbuf_str(&got), s->want, "and these are its tokens");
}

static void test_tokens(void)
{
	static const struct sample samples[] = {
		{"null", "n "},
		{" [ true , false ] ", "[ t f ] "},
		{"{\"a\":{\"b\":[]},\"c\":\"d\"}", "{ ka { kb [ ] } kc sd } "},
		{"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "s\"\\/\\x08\\x0c\\x0a\\x0d\\x09 "},
		{"[\"\\u0041\\u00e9\\u20ac\\ud83d\\ude00\"]",
		 "[ sA\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80 ] "},
		/* The text of a number, whatever a double would make of it. */
		{"[0,-0,1.0,9007199254740993]", "[ #0 #-0 #1.0 #9007199254740993 ] "},
		{"[1E+2,1e999,0.1e-2]", "[ #1E+2 #1e999 #0.1e-2 ] "},
		{"12345678901234567890", "#12345678901234567890 "},
		{"123456789012345678901", "overlong number", true},
		{"[[[[]]]]", "[ [ [ [ ] ] ] ] "},
		{"[[[[[]]]]]", "nested too deeply at column 5", true},
		{"{\"a\":[{\"b\":{\"c\":[]}}]}", "nested too deeply", true},
		{"[1]\n x", "bytes after the document at line 2, column 2", true},
		{"[NaN]", "unexpected byte", true},
		{"-Infinity", "unexpected byte", true},
		{"\"\\ud800\"", "lone surrogate", true},
		{"\"\\ud800\\u12\"", "lone surrogate", true},
		{"\"\\udc00\\ud800\"", "lone surrogate", true},
		{"\"\\u0000\"", "\\u0000", true},
	};

	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++)
		check(&samples[i], &strict, "strictly");
}

static void test_python(void)
{
	static const struct sample samples[] = {
		{"[NaN,Infinity,-Infinity,-1]", "[ #NaN #Infinity #-Infinity #-1 ] "},
		{"\"a\\u0000b\"", "sa\\x00b "},
		{"{\"\\u0000a\":1,\"\\u0000b\":2}", "{ k\\x00a #1 k\\x00b #2 } "},
		{"{\"\\u0000a\":1,\"\\u0000a\":2}", "twice", true},
		{"\"\\ud800\"", "s\\xed\\xa0\\x80 "},
		{"\"\\ude00\\ud83d\"", "s\\xed\\xb8\\x80\\xed\\xa0\\xbd "},
		{"\"\\ud800\\u0041\"", "s\\xed\\xa0\\x80"
				       "A "},
		{"\"\\ud800\\ud83d\\ude00\"", "s\\xed\\xa0\\x80\xf0\x9f\x98\x80 "},
		{"\"\\ud800\\u12\"", "bad \\u escape", true},
		{"\"\\ud800\\", "escape", true},
		{"nan", "unexpected byte", true},
		{"+Infinity", "unexpected byte", true},
		{"-NaN", "unexpected byte", true},
		{"Infinit", "unexpected byte", true},
		{"\"\xed\xa0\x80\"", "UTF-8", true},
		{"\xef\xbb\xbf[]", "byte order mark", true},
	};

	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++)
		check(&samples[i], &python, "as Python");
}

static void test_limits(void)
{
	static const struct json_rules few = {
		.bytes_max = 8, .depth_max = JSON_READ_DEPTH_MAX + 9, .values_max = 3};
	_strbuf_ struct strbuf got = STRBUF_INIT, deep = STRBUF_INIT;
	struct json_rules deeper = python;
	struct err e = ERR_INIT;

	is_int(tokens("[[],[]]", 7, &few, &got, &e), 0, "as many values as may be");
	is_int(tokens("[[],[[]]", 8, &few, &got, &e), -EBADMSG, "a value more: %s", e.msg);
	is_int(tokens("[[]]     ", 9, &few, &got, &e), -EFBIG, "a byte more: %s", e.msg);
	deeper.depth_max = JSON_READ_DEPTH_MAX + 9;
	for (int i = 0; i < JSON_READ_DEPTH_MAX + 1; i++)
		strbuf_addch(&deep, '[');
	is_int(tokens(deep.data, deep.len, &deeper, &got, &e), -EBADMSG,
	       "deeper than the reader can be, whatever the rules say: %s", e.msg);
	is_int(tokens("\"a\0b\"", 5, &python, &got, &e), -EBADMSG, "a NUL byte is none in JSON");
	is_int(tokens("[1]\0", 4, &python, &got, &e), -EBADMSG, "nor behind it");
	is_int(tokens("[1] ", 2, &python, &got, &e), -EBADMSG, "no byte behind the end is read");
	is_int(tokens("tru", 3, &python, &got, &e), -EBADMSG, "nor of a word");
}

/* n names in an order that looks random; the one at `twice` is there again at the end. */
static void write_names(struct strbuf *b, unsigned n, unsigned twice)
{
	strbuf_reset(b);
	strbuf_addstr(b, "[{\"k0\":{");
	for (unsigned i = 0; i < n; i++)
		strbuf_addf(b, "\"k%u\":%u,", i * 7919 % n, i);
	if (twice < n)
		strbuf_addf(b, "\"\\u006b%u\":0}", twice);
	else
		strbuf_addstr(b, "\"other\":0}");
	/* The names of an object that has ended, or is not this one, do not count. */
	strbuf_addstr(b, ",\"k1\":{\"k0\":{},\"k1\":0}},{\"k0\":1}]");
}

static void test_twice(void)
{
	static const unsigned counts[] = {1, 2, 3, 10, 1000, 5000};
	_strbuf_ struct strbuf text = STRBUF_INIT, got = STRBUF_INIT;

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		unsigned n = counts[i], places[] = {0, n / 2, n - 1};
		struct err e = ERR_INIT;

		write_names(&text, n, n);
		is_int(tokens(text.data, text.len, &strict, &got, &e), 0, "%u names: %s", n, e.msg);
		for (size_t at = 0; at < 3; at++) {
			char want[32];

			snprintf(want, sizeof(want), "\"k%u\" twice", places[at]);
			write_names(&text, n, places[at]);
			is_int(tokens(text.data, text.len, &strict, &got, &e), -EBADMSG,
			       "%u of %u names again", places[at], n);
			ok(strstr(e.msg, want), "%s: %s", want, e.msg);
		}
	}
}

int main(void)
{
	test_tokens();
	test_python();
	test_limits();
	test_twice();
	return done_testing();
}
