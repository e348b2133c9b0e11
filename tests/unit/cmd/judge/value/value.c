/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/judge/value/compare.h"
#include "cmd/judge/value/value.h"
#include "cmd/judge/value/json.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "tests/unit/tap.h"

/* 10^310: no double is as large. */
#define ZEROS "00000000000000000000000000000000000000000000000000000000000000"
#define BEYOND_FLOAT "1" ZEROS ZEROS ZEROS ZEROS ZEROS

static struct value_pool pool;

static struct value json(const char *text)
{
	struct value v = {.kind = VALUE_NONE};
	struct err e = ERR_INIT;

	if (value_read_json(&pool, text, strlen(text), &v, &e) < 0 || value_sort(&v, &e) < 0)
		ok(false, "%s: %s", text, e.msg);
	return v;
}

static struct value literal(const char *text)
{
	struct value v = {.kind = VALUE_NONE};
	struct err e = ERR_INIT;

	if (value_read_literal(&pool, text, strlen(text), &v, &e) < 0 || value_sort(&v, &e) < 0)
		ok(false, "%s: %s", text, e.msg);
	return v;
}

static void test_json_round_trip(void)
{
	static const char *const texts[] = {
		"null",
		"true",
		"0",
		"-12",
		"123456789012345678901234567890",
		"1.5",
		"1e+300",
		"\"\"",
		"\"a\\u0000\\n\xc3\xa9\"",
		"[]",
		"[1,[2,{}]]",
		"{\"a\":{\"b\":[null]}}",
		"{\"$tuple\":[1]}",
		"{\"$set\":[1,2]}",
		"{\"$bytes\":\"AP8=\"}",
		"{\"$dict\":[[1,2]]}",
		"{\"$float\":\"nan\"}",
		"{\"$float\":\"-inf\"}",
		"{\"$complex\":[1.0,{\"$float\":\"nan\"}]}",
		"{\"$range\":[0,-9223372036854775808,-9223372036854775808]}",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		_strbuf_ struct strbuf out = STRBUF_INIT;
		struct value v = json(texts[i]);

		value_write_json(&v, &out);
		is_str(strbuf_str(&out), texts[i], "written as it was read");
	}
}

static void test_bad_json(void)
{
	static const char *const texts[] = {
		"",
		"[",
		"[1,]",
		"{\"a\"}",
		"{\"a\":1,\"a\":2}",
		"01",
		"1.",
		"1e",
		"+1",
		".5",
		"{\"$complex\":[1]}",
		"{\"$complex\":[1,null]}",
		"{\"$range\":[1,2]}",
		"{\"$range\":[1,2,0]}",
		"{\"$range\":[1,2,1.0]}",
		"{\"$range\":[0,9223372036854775808,1]}",
		"nul",
		"\"",
		"\"\\x\"",
		"\"\\u12\"",
		"[1] 2",
		"\xff",
		"\"\n\"",
		"{1:2}",
		"'a'",
		"--1",
	};
	char deep[300];

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct err e = ERR_INIT;
		struct value v;

		is_int(value_read_json(&pool, texts[i], strlen(texts[i]), &v, &e), -EBADMSG,
		       "refused: %s", texts[i]);
	}
	memset(deep, '[', sizeof(deep));
	is_int(value_read_json(&pool, deep, sizeof(deep), &(struct value){0}, NULL), -EBADMSG,
	       "300 levels are refused");
}

static void test_literals(void)
{
	static const char *const good[] = {
		"N",
		"T",
		"F",
		"i0;",
		"i-12;",
		"f1.5;",
		"s3:abc",
		"b0:",
		"l0:",
		"l2:i1;t1:N",
		"d1:s1:ae1:i1;",
		"os3:Foos4:repr",
		"cf1;f-0;",
		"ri0;i3;i-1;",
		"xs7:Decimals3:1.5",
		"xs9:frozensete1:i1;",
		"xs5:dequet2:l1:i1;N",
		"l2:l0:xs4:samei1;",
		"l1:xs4:samei0;",
		"l1:t2:i2;xs8:argumenti2;",
		"d1:xs7:builtins3:intN",
		"xs6:objectt4:xs5:classt0:s1:aNd0:",
		"xs5:errorl0:",
	};
	static const char *const bad[] = {
		"x",
		"xs7:Decimal",
		"xs7:Decimali1;",
		"xs8:arguments1:2",
		"xNN",
		"xi1;N",
		"xs10:subprocesss1:x",
		"xs5:classl0:",
		"xs5:errort0:",
		"xs9:frozensetl1:i1;",
		"xs4:samei0;",
		"l1:xs4:samei1;",
		"l1:xs4:samei-1;",
		"l1:xs4:samei99999999999999999999;",
		"l1:xs4:sames1:0",
		"",
		"X",
		"i;",
		"i01;",
		"i-0;",
		"i1",
		"f;",
		"fx;",
		"s4:abc",
		"s-1:",
		"s99999999999999999999:",
		"l1:",
		"l9:NN",
		"d1:N",
		"NN",
		"o",
		"oNN",
		"l1:l1:",
		"e1000000:",
		"f1;2;",
		"cf1;",
		"cf1;i2;",
		"ri1;i2;",
		"ri1;i2;i0;",
		"ri1;i2;f1;",
		"ri1;i9223372036854775808;i1;",
	};

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		_strbuf_ struct strbuf out = STRBUF_INIT;
		struct value v = literal(good[i]);

		value_write_literal(&v, &out);
		is_str(strbuf_str(&out), good[i], "written as it was read");
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		is_int(value_read_literal(&pool, bad[i], strlen(bad[i]), &(struct value){0}, NULL),
		       -EBADMSG, "refused: %s", bad[i]);
}

static void test_order(void)
{
	static const struct {
		const char *a, *b;
		int order;
	} rows[] = {
		{"i1;", "f1;", 0},
		{"T", "i1;", 0},
		{"F", "f0;", 0},
		{"i9007199254740993;", "f9007199254740992;", 1},
		{"i9007199254740992;", "f9007199254740992;", 0},
		{"i-5;", "i-40;", 1},
		{"i10;", "i9;", 1},
		{"f0.5;", "i1;", -1},
		{"i1;", "f1.5;", -1},
		{"i-1;", "f-1.5;", 1},
		{"i1;", "finf;", -1},
		{"f-inf;", "i-999;", -1},
		{"fnan;", "fnan;", 0},
		{"f0;", "f-0;", 0},
		{"i0;", "f-0.5;", 1},
		{"s1:a", "s2:aa", -1},
		{"s1:a", "b1:a", -1},
		{"l1:i1;", "t1:f1;", 0},
		{"l2:i1;i2;", "l1:i3;", -1},
		{"N", "F", -1},
		{"cf3;f0;", "i3;", 0},
		{"cf3;f-0;", "T", 1},
		{"cf3;f1;", "cf3;f2;", -1},
		{"ri0;i7;i2;", "ri0;i8;i2;", 0},
		{"ri0;i1;i5;", "ri0;i9;i9;", 0},
		{"ri3;i3;i1;", "ri9;i0;i2;", 0},
		{"ri0;i3;i1;", "ri0;i4;i1;", -1},
		{"ri0;i-9223372036854775808;i-9223372036854775808;", "ri0;i1;i1;", 0},
		{"ri-9223372036854775808;i9223372036854775807;i1;", "ri0;i9223372036854775807;i1;",
		 1},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct value a = literal(rows[i].a), b = literal(rows[i].b);

		is_int(value_order(&a, &b), rows[i].order, "%s and %s", rows[i].a, rows[i].b);
		is_int(value_order(&b, &a), -rows[i].order, "%s and %s", rows[i].b, rows[i].a);
	}
}

/* The digits of a double are needed where a whole number rounds to it, and nowhere else. */
static void test_large_numbers(void)
{
	static const struct {
		const char *a, *b;
		int order;
	} rows[] = {
		{"i10000000000000000000000;", "f1e22;", 0},
		{"i10000000000000000000001;", "f1e22;", 1},
		{"i-10000000000000000000001;", "f-1e22;", -1},
		{"i999999999999999;", "f999999999999999;", 0},
		{"i9007199254740991;", "f9007199254740992;", -1},
		{"i" BEYOND_FLOAT ";", "f1.7976931348623157e308;", 1},
		{"i-" BEYOND_FLOAT ";", "f-1.7976931348623157e308;", -1},
		{"i" BEYOND_FLOAT ";", "finf;", -1},
		{"i0;", "f-0.0;", 0},
		{"i0;", "f5e-324;", -1},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct value a = literal(rows[i].a), b = literal(rows[i].b);

		is_int(value_order(&a, &b), rows[i].order, "%s and %s", rows[i].a, rows[i].b);
		is_int(value_order(&b, &a), -rows[i].order, "%s and %s", rows[i].b, rows[i].a);
	}
}

/* Judged code has its answer sorted by csbx, outside of its own limits. */
static void test_sort_of_mixed_numbers(void)
{
	enum { PAIRS = 150000 };
	_strbuf_ struct strbuf text = STRBUF_INIT;
	struct value v = {.kind = VALUE_NONE};
	clock_t begin;

	strbuf_addf(&text, "e%d:", PAIRS * 2);
	for (int i = 0; i < PAIRS; i++)
		strbuf_addf(&text, "i%d;f%de300;", i, i % 9 + 1);
	is_int(value_read_literal(&pool, strbuf_str(&text), text.len, &v, NULL), 0, "read");
	begin = clock();
	is_int(value_sort(&v, NULL), -EBADMSG, "members that are there twice");
	ok(clock() - begin < 2 * CLOCKS_PER_SEC, "sorted in %.1f s of CPU time",
	   (double)(clock() - begin) / CLOCKS_PER_SEC);
}

static void test_compare(void)
{
	static const struct {
		enum compare_kind kind;
		const char *expected, *answer;
		bool is_same;
	} rows[] = {
		{COMPARE_EQUAL, "1", "f1.0;", true},
		{COMPARE_EQUAL, "true", "i1;", true},
		{COMPARE_EQUAL, "\"1\"", "i1;", false},
		{COMPARE_EQUAL, "null", "F", false},
		{COMPARE_EQUAL, "[1,2]", "t2:i1;i2;", true},
		{COMPARE_EQUAL, "{\"$tuple\":[1]}", "l1:i1;", false},
		{COMPARE_EQUAL, "{\"$tuple\":[[1]]}", "t1:t1:i1;", true},
		{COMPARE_EQUAL, "[1]", "e1:i1;", false},
		{COMPARE_EQUAL, "{\"a\":1,\"b\":[2]}", "d2:s1:bl1:i2;s1:ai1;", true},
		{COMPARE_EQUAL, "{\"a\":1}", "d1:s1:ai2;", false},
		{COMPARE_EQUAL, "{\"a\":1}", "d2:s1:ai1;s1:bi1;", false},
		{COMPARE_EQUAL, "{\"$set\":[3,1]}", "e2:i1;i3;", true},
		{COMPARE_EQUAL, "\"x\"", "os3:strs1:x", false},
		{COMPARE_EQUAL, "[null]", "l1:os1:xs1:x", false},
		{COMPARE_EQUAL, "{\"$set\":[1]}", "e1:os1:xs1:x", false},
		{COMPARE_EQUAL, "{\"$float\":\"nan\"}", "fnan;", true},
		{COMPARE_EQUAL, "0.3", "f0.30000000000000004;", false},
		{COMPARE_CLOSE, "0.3", "f0.30000000000000004;", true},
		{COMPARE_CLOSE, "[{\"a\":0.3}]", "l1:d1:s1:af0.30000000000000004;", true},
		{COMPARE_CLOSE, "1", "f1.1;", false},
		{COMPARE_CLOSE, "1", "i2;", false},
		{COMPARE_CLOSE, "{\"$float\":\"inf\"}", "f1e308;", false},
		{COMPARE_CLOSE, "{\"$float\":\"inf\"}", "finf;", true},
		{COMPARE_CLOSE, "{\"$float\":\"inf\"}", "i" BEYOND_FLOAT ";", false},
		{COMPARE_CLOSE, "{\"$float\":\"-inf\"}", "i-" BEYOND_FLOAT ";", false},
		{COMPARE_CLOSE, BEYOND_FLOAT, "finf;", false},
		{COMPARE_CLOSE, BEYOND_FLOAT, "f1e308;", false},
		{COMPARE_CLOSE, BEYOND_FLOAT, "i" BEYOND_FLOAT ";", true},
		{COMPARE_EQUAL, "{\"$complex\":[1,2]}", "cf1;f2;", true},
		{COMPARE_EQUAL, "{\"$complex\":[1,2]}", "cf1;f3;", false},
		{COMPARE_EQUAL, "3", "cf3;f0;", true},
		{COMPARE_EQUAL, "{\"$complex\":[3,0]}", "i3;", true},
		{COMPARE_EQUAL, "{\"$set\":[3]}", "e1:cf3;f0;", true},
		{COMPARE_EQUAL, "[1.0,2.0]", "cf1;f2;", false},
		{COMPARE_CLOSE, "{\"$complex\":[1,2]}", "cf1.0000000000000002;f2;", true},
		{COMPARE_CLOSE, "{\"$complex\":[1.0,2.0]}", "cf1.5e308;f1.5e308;", false},
		{COMPARE_CLOSE, "3", "cf1.5e308;f1.5e308;", false},
		{COMPARE_CLOSE, "{\"$complex\":[1.5e308,1.5e308]}", "cf7e307;f7e307;", false},
		{COMPARE_CLOSE, "{\"$complex\":[1.5e308,1.5e308]}", "cf1.5e308;f1.5e308;", true},
		{COMPARE_CLOSE, "1", "cf1;f1e-12;", true},
		{COMPARE_CLOSE, "1", "cf1;f0.1;", false},
		{COMPARE_CLOSE, "{\"$complex\":[{\"$float\":\"inf\"},0]}", "f1;", false},
		{COMPARE_EQUAL, "{\"$range\":[0,8,2]}", "ri0;i7;i2;", true},
		{COMPARE_EQUAL, "{\"$range\":[0,2,1]}", "l2:i0;i1;", false},
		{COMPARE_EQUAL, "[0,1]", "ri0;i2;i1;", false},
		{COMPARE_SET, "[1,2,2]", "l3:i2;i1;f1.0;", true},
		{COMPARE_SET, "[1,2]", "e1:i1;", false},
		{COMPARE_SET, "[[1,2]]", "l1:t2:i1;i2;", true},
		{COMPARE_SET, "[1]", "i1;", false},
		{COMPARE_SET, "[]", "l1:os1:xs1:x", false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct compare c = {.kind = rows[i].kind, .rel = 1e-9};
		struct value expected = json(rows[i].expected), answer = literal(rows[i].answer);

		is_int(compare_values(&c, &expected, &answer), rows[i].is_same, "%d: %s and %s",
		       rows[i].kind, rows[i].expected, rows[i].answer);
	}
}

static void test_texts(void)
{
	static const struct {
		const char *expected, *printed;
		bool trimmed, exact;
	} rows[] = {
		{"a", "a", true, true},           {"a", "a\n\n", true, false},
		{"a \nb", "a\nb ", true, false},  {"a\nb", "a b", false, false},
		{"", " \n", true, false},         {" a", "a", false, false},
		{"a\n\nb", "a\nb", false, false}, {"a\r\nb\r\n", "a\nb", true, false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *a = rows[i].expected, *b = rows[i].printed;

		for (int exact = 0; exact < 2; exact++) {
			const struct compare c = {.kind = COMPARE_STDOUT, .exact = exact};

			is_int(compare_texts(&c, a, strlen(a), b, strlen(b)),
			       exact ? rows[i].exact : rows[i].trimmed, "row %zu, exact %d", i,
			       exact);
		}
	}
}

static void test_exceptions(void)
{
	ok(exception_is("KeyError", "", "KeyError"), "itself");
	ok(exception_is("KeyError", "", "LookupError"), "a base");
	ok(exception_is("FileNotFoundError", "", "IOError"), "the old name of OSError");
	ok(exception_is("DeprecationWarning", "", "Warning"), "a warning");
	ok(exception_is("Mine", "UserWarning", "Warning"), "one's own warning");
	ok(exception_is("ExceptionGroup", "", "BaseExceptionGroup"), "a second base");
	ok(exception_is("Mine", "", "Mine"), "one's own");
	ok(exception_is("Mine", "", "Exception"), "one's own is an exception");
	ok(!exception_is("Mine", "", "ValueError"), "what it derives from is not known");
	ok(exception_is("Mine", "KeyError", "Mine"), "one's own has its own name");
	ok(exception_is("Mine", "KeyError", "LookupError"),
	   "and the bases of what it derives from");
	ok(!exception_is("Mine", "KeyError", "ValueError"), "and no others");
	ok(!exception_is("Mine", "Other", "Other"), "it derives from what is built in");
	ok(!exception_is("Mine", "BaseException", "Exception"), "one that is no Exception");
	ok(!exception_is("KeyError", "ValueError", "ValueError"),
	   "a built-in name has its own bases");
	ok(!exception_is("LookupError", "", "KeyError"), "a base is not what derives from it");
	ok(!exception_is("SystemExit", "", "Exception"), "sys.exit() is none");
	ok(exception_is("SystemExit", "", "BaseException"), "but its base");
}

static void test_patterns(void)
{
	static const struct {
		const char *re, *text;
		int found; /* -1: not known here */
	} rows[] = {
		{"out of \\w+", "list index out of range", 1},
		{"^\\d{2,3}$", "123", 1},
		{"^\\d{2,3}$", "1234", 0},
		{"a.*?b", "xaxxb", 1},
		{"\\*?x", "x", 1},
		{"(?:a|b)c", "bc", 1},
		{"[\\d\\s]+z", "1 z", 1},
		{"[^\\w]", "abc", 0},
		{"a\\.b", "axb", 0},
		{"\\'q\\'", "'q'", 1},
		{"(?i)x", "X", -1},
		{"(?=x)", "x", -1},
		{"(", "(", -1},
		{"[a", "a", -1},
		{"a\\", "a", -1},
		{"\\1", "a", -1},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pattern *p = NULL;
		struct err e = ERR_INIT;
		int r = pattern_compile(rows[i].re, &p, &e);

		is_int(r < 0 ? -1 : pattern_is_in(p, rows[i].text, strlen(rows[i].text)),
		       rows[i].found, "%s in %s", rows[i].re, rows[i].text);
		pattern_free(r < 0 ? NULL : p);
	}
}

/* The program writes the message: as long as it likes. */
static void test_long_message(void)
{
	enum { LEN = 4 << 20 };
	_free_ char *text = malloc(LEN + 1);
	struct pattern *p = NULL;
	struct err e = ERR_INIT;

	for (size_t i = 0; i < LEN; i++)
		text[i] = i % 2 ? ' ' : 'a';
	text[LEN - 1] = '!';
	text[LEN] = 0; /* AddressSanitizer's regexec(3) looks for it, in spite of REG_STARTEND */
	is_int(pattern_compile("(\\w+\\s?)+!", &p, &e), 0, "compiled");
	is_int(pattern_is_in(p, text, LEN), 0, "its end is not searched");
	pattern_free(p);
}

static void test_words(void)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;
	struct value v = literal("l6:Ns3:a'bd1:i1;t1:Tf2;e0:b1:\x01");

	value_write_python(&v, 300, &out);
	is_str(strbuf_str(&out), "[None, 'a\\'b', {1: (True,)}, 2.0, set(), b'\\x01']", "Python's");
	strbuf_reset(&out);
	v = literal("s6:\xc3\xa9\xc3\xa9\xc3\xa9");
	value_write_python(&v, 4, &out);
	is_str(strbuf_str(&out), "'\xc3\xa9...", "cut between characters");
	strbuf_reset(&out);
	v = literal("l6:cf1;f-2.5;cf0;f2;cf-0;f2;cf1;fnan;ri0;i3;i1;ri3;i0;i-1;");
	value_write_python(&v, 300, &out);
	is_str(strbuf_str(&out), "[(1-2.5j), 2j, (-0+2j), (1+nanj), range(0, 3), range(3, 0, -1)]",
	       "as Python writes it");
	strbuf_reset(&out);
	v = literal("l1:xs5:dequet2:l1:i1;N");
	value_write_python(&v, 300, &out);
	is_str(strbuf_str(&out), "[deque(([1], None))]", "a made value");
	strbuf_reset(&out);
	value_write_json(&v, &out);
	is_str(strbuf_str(&out), "[{\"$made\":[\"deque\",{\"$tuple\":[[1],null]}]}]",
	       "a made value");
}

static void test_marshal(void)
{
	static const struct {
		const char *literal, *data;
		size_t len;
	} rows[] = {
		{"l4:NTFi0;", "[\4\0\0\0NTFi\0\0\0\0", 13},
		{"i2147483647;", "i\xff\xff\xff\x7f", 5},
		{"i-2147483647;", "i\1\0\0\x80", 5},
		{"i2147483648;", "l\3\0\0\0\0\0\0\0\2\0", 11},
		{"i-2147483648;", "l\xfd\xff\xff\xff\0\0\0\0\2\0", 11},
		{"i18446744073709551615;", "l\5\0\0\0\xff\x7f\xff\x7f\xff\x7f\xff\x7f\x0f\0", 15},
		{"f1.5;", "g\0\0\0\0\0\0\xf8?", 9},
		{"cf1.5;f-2.0;", "y\0\0\0\0\0\0\xf8?\0\0\0\0\0\0\0\xc0", 17},
		{"t2:s2:\xc3\xa9"
		 "b1:\xff",
		 "(\2\0\0\0u\2\0\0\0\xc3\xa9s\1\0\0\0\xff", 18},
		{"d1:i1;e1:N", "{i\1\0\0\0<\1\0\0\0N0", 13},
	};
	static const char *const others[] = {
		"i18446744073709551616;", "i-18446744073709551616;", "l1:ri0;i3;i1;",
		"d1:i1;os1:Xs1:x",        "l1:xs7:Decimals3:1.5",
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		_strbuf_ struct strbuf out = STRBUF_INIT;
		struct value v = literal(rows[i].literal);

		ok(value_write_marshal(&v, &out), "%s is told", rows[i].literal);
		is_mem(out.data, out.len, rows[i].data, rows[i].len, "%s", rows[i].literal);
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		_strbuf_ struct strbuf out = STRBUF_INIT;
		struct value v = literal(others[i]);

		ok(!value_write_marshal(&v, &out), "%s is not", others[i]);
		strbuf_reset(&out);
		value_write_call(&v, &out);
		is_str(strbuf_str(&out), others[i], "but by a literal");
	}
}

int main(void)
{
	test_json_round_trip();
	test_bad_json();
	test_literals();
	test_order();
	test_large_numbers();
	test_sort_of_mixed_numbers();
	test_compare();
	test_texts();
	test_exceptions();
	test_patterns();
	test_long_message();
	test_words();
	test_marshal();
	value_pool_free(&pool);
	return done_testing();
}
