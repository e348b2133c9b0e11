/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Variables, quotes, patterns and .dockerignore. Values are those docker 20.10 and BuildKit give.
 */
#include "cmd/build/dockerfile/expand.h"

#include "cmd/build/dockerfile/clean.h"
#include "cmd/build/dockerfile/glob.h"
#include "cmd/build/dockerfile/ignore.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "tests/unit/tap.h"

static const struct {
	const char *text, *want;
} words[] = {
	{"", ""},
	{"plain text", "plain text"},
	{"$A", "1"},
	{"${A}x$A-y", "1x1-y"},
	{"$AB|$UNSET|", "||"},
	{"$", "$"},
	{"a$ b", "a$ b"},
	{"$.x", "$.x"},
	{"$1$12x", "x"},
	{"\\$A", "$A"},
	{"\\a\\\\", "a\\"},
	{"'$A \\'x", "$A \\x"},
	{"\"$A 'q' \\\" \\$A \\n\"", "1 'q' \" $A \\n"},
	{"it''s\"\"", "its"},
	{"${A:-x}${U:-x}${E:-x}", "1xx"},
	{"${A-x}${U-x}${E-x}", "1x"},
	{"${A:+x}${U:+x}${E:+x}", "x"},
	{"${A+x}${U+x}${E+x}", "xx"},
	{"${U:-${A}b}", "1b"},
	{"${U:-${U:-'$A'}}", "$A"},
	{"${A:?no}", "1"},
	{"${P#*/}|${P##*/}|${P%/*}|${P%%/*}", "b/c.tar.gz|c.tar.gz|a/b|a"},
	{"${P%.*}|${P%%.*}|${P#x}|${P%?}", "a/b/c.tar|a/b/c|a/b/c.tar.gz|a/b/c.tar.g"},
	{"${P/b/X}|${P//\\//_}|${P/q/X}", "a/X/c.tar.gz|a_b_c.tar.gz|a/b/c.tar.gz"},
	{"'open",
	 "failed to process \"'open\": unexpected end of statement while looking for matching "
	 "single-quote"},
	{"\"open", "failed to process \"\\\"open\""},
	{"${A", "failed to process \"${A\": syntax error: missing '}'"},
	{"${}", "failed to process \"${}\": syntax error: bad substitution"},
	{"${A:=x}", "failed to process \"${A:=x}\": unsupported modifier (:=) in substitution"},
	{"${A!x}", "failed to process \"${A!x}\": unsupported modifier (!) in substitution"},
	{"${U:?}", "failed to process \"${U:?}\": U: is not allowed to be unset"},
	{"${E:?}", "failed to process \"${E:?}\": E: is not allowed to be empty"},
	{"${U?say so}", "failed to process \"${U?say so}\": U: say so"},
	{"${A:-x", "failed to process \"${A:-x\": syntax error: missing '}'"},
};

static void fill(struct strv *env)
{
	strv_add(env, "A=1");
	strv_add(env, "E=");
	strv_add(env, "P=a/b/c.tar.gz");
	strv_add(env, "S=x y");
}

static void test_words(void)
{
	_strv_ struct strv env = STRV_INIT;
	const struct expand x = {.env = &env, .escape = '\\'};

	fill(&env);
	for (size_t n = 0; n < sizeof(words) / sizeof(words[0]); n++) {
		_free_ char *got = NULL;
		struct err e = ERR_INIT;

		if (str_eq(words[n].text, "\"open")) {
			ok(expand_word(&x, words[n].text, &got, &e) == -EINVAL &&
				   strstr(e.msg, "matching double-quote"),
			   "a double quote without its end");
			continue;
		}
		if (expand_word(&x, words[n].text, &got, &e) < 0)
			got = strdup(e.msg);
		is_str(got, words[n].want, "%s", words[n].text);
	}
}

static void split(const char *text, const char *want)
{
	_strv_ struct strv env = STRV_INIT, got = STRV_INIT;
	_strbuf_ struct strbuf out = STRBUF_INIT;
	const struct expand x = {.env = &env, .escape = '\\'};

	fill(&env);
	expand_words(&x, text, &got, NULL);
	for (size_t n = 0; n < got.n; n++)
		strbuf_addf(&out, "<%s>", got.items[n]);
	is_str(strbuf_str(&out), want, "split %s", text);
}

static void test_growth(void)
{
	_strv_ struct strv env = STRV_INIT;
	_strbuf_ struct strbuf deep = STRBUF_INIT;
	const struct expand x = {.env = &env, .escape = '\\'};
	struct err e = ERR_INIT;
	_free_ char *value = strdup("0123456789abcdef"), *out = NULL;
	int r = 0;

	for (int n = 0; r >= 0 && n < 40; n++) {
		_free_ char *assign = str_printf("V=%s", value);

		strv_set_env(&env, assign);
		free(take_ptr(value));
		r = expand_word(&x, "$V$V", &value, &e);
	}
	is_int(r, -EFBIG, "a value that doubles itself ends");
	for (int n = 0; n < 100; n++)
		strbuf_addstr(&deep, "${U:-");
	is_int(expand_word(&x, strbuf_str(&deep), &out, &e), -EINVAL, "depth is bounded");
}

static const struct {
	const char *pattern, *path;
	bool want;
} globs[] = {
	{"a", "a", true},
	{"*", "a", true},
	{"*", "a/b", false},
	{"a*c", "abbc", true},
	{"a?c", "abc", true},
	{"a?c", "a/c", false},
	{"[a-c]x", "bx", true},
	{"[^a-c]x", "bx", false},
	{"[^a-c]x", "dx", true},
	{"\\*", "*", true},
	{"\\*", "a", false},
	{"*.o", "x.o", true},
	{"*.o", "a/x.o", false},
	{"**/x.o", "x.o", true},
	{"**/x.o", "a/b/x.o", true},
	{"**/x.o", "ax.o", false},
	{"a/**", "a/b/c", true},
	{"a/**", "b", false},
	{"a/**/c", "a/c", true},
	{"a/**/c", "a/b/b/c", true},
	{"**", "a/b", true},
	{"a**b", "a/x/b", true},
	{"[", "[", false},
	{"a\\", "a", false},
	{"a.c", "abc", false},
	{"(a|b)+", "a", false},
	{"[]a]", "a", false},
};

static void test_globs(void)
{
	for (size_t n = 0; n < sizeof(globs) / sizeof(globs[0]); n++)
		is_int(glob_matches_path(globs[n].pattern, globs[n].path), globs[n].want,
		       "%s on %s", globs[n].pattern, globs[n].path);
	ok(!glob_matches("**", "a/b") && glob_matches("**", "ab"), "a file's pattern has no **");
}

static void ignored(const char *text, const char *path, bool want)
{
	_ignore_ struct ignore g = {0};
	struct err e = ERR_INIT;

	ok(ignore_parse(text, strlen(text), &g, &e) >= 0, "it parses: %s", e.msg);
	is_int(ignore_has(&g, path), want, "%s", path);
}

static void test_ignore(void)
{
	_ignore_ struct ignore g = {0};
	struct err e = ERR_INIT;

	ignored("a\n", "a", true);
	ignored("a\n", "a/b/c", true);
	ignored("/a\n", "a", true);
	ignored("a/\n", "a", true);
	ignored("./a/../b\n", "b", true);
	ignored("*.pyc\n", "x/y.pyc", false);
	ignored("**/*.pyc\n", "x/y.pyc", true);
	ignored("# a\n\n  b  \n", "b", true);
	ignored("#a\n", "#a", false);
	ignored("*\n!keep\n", "keep", false);
	ignored("*\n!keep\n", "other", true);
	ignored("a\n!a/b\n", "a/b/c", false);
	ignored("!a\na\n", "a", true);
	ignored(".\n", "a", false);
	ignored("*\r\n!b\r\n", "b", false);
	is_int(ignore_parse("!\n", 2, &g, &e), -EINVAL, "an exclamation mark alone");
	is_str(e.msg, "illegal exclusion pattern: \"!\"", "its text");
	is_int(ignore_parse("[\n", 2, &g, &e), -EINVAL, "a pattern that is wrong");
}

static void cleaned(const char *path, const char *want)
{
	_free_ char *got = path_clean(path);

	is_str(got, want, "clean %s", path);
}

int main(void)
{
	test_words();
	split("a  b\t c", "<a><b><c>");
	split("$S 'p q'", "<x><y><p q>");
	split("\"$S\" '' a\\ b", "<x y><><a b>");
	split("", "");
	test_growth();
	test_globs();
	test_ignore();
	cleaned("", ".");
	cleaned("a//b/./c/", "a/b/c");
	cleaned("a/../..", "..");
	cleaned("/../a", "/a");
	cleaned("/", "/");
	cleaned("../../a/..", "../..");
	cleaned("/a/..", "/");
	return done_testing();
}
