/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <locale.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/judge/value/compare.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"

/* Built-in exceptions and their bases: docs.python.org, "Exception hierarchy". */
static const struct {
	const char *name, *base;
} tree[] = {
	{"Exception", "BaseException"},
	{"SystemExit", "BaseException"},
	{"KeyboardInterrupt", "BaseException"},
	{"GeneratorExit", "BaseException"},
	{"BaseExceptionGroup", "BaseException"},
	{"ExceptionGroup", "Exception"},
	{"ArithmeticError", "Exception"},
	{"FloatingPointError", "ArithmeticError"},
	{"OverflowError", "ArithmeticError"},
	{"ZeroDivisionError", "ArithmeticError"},
	{"AssertionError", "Exception"},
	{"AttributeError", "Exception"},
	{"BufferError", "Exception"},
	{"EOFError", "Exception"},
	{"ImportError", "Exception"},
	{"ModuleNotFoundError", "ImportError"},
	{"LookupError", "Exception"},
	{"IndexError", "LookupError"},
	{"KeyError", "LookupError"},
	{"MemoryError", "Exception"},
	{"NameError", "Exception"},
	{"UnboundLocalError", "NameError"},
	{"OSError", "Exception"},
	{"BlockingIOError", "OSError"},
	{"ChildProcessError", "OSError"},
	{"ConnectionError", "OSError"},
	{"BrokenPipeError", "ConnectionError"},
	{"ConnectionAbortedError", "ConnectionError"},
	{"ConnectionRefusedError", "ConnectionError"},
	{"ConnectionResetError", "ConnectionError"},
	{"FileExistsError", "OSError"},
	{"FileNotFoundError", "OSError"},
	{"InterruptedError", "OSError"},
	{"IsADirectoryError", "OSError"},
	{"NotADirectoryError", "OSError"},
	{"PermissionError", "OSError"},
	{"ProcessLookupError", "OSError"},
	{"TimeoutError", "OSError"},
	{"ReferenceError", "Exception"},
	{"RuntimeError", "Exception"},
	{"NotImplementedError", "RuntimeError"},
	{"PythonFinalizationError", "RuntimeError"},
	{"RecursionError", "RuntimeError"},
	{"StopAsyncIteration", "Exception"},
	{"StopIteration", "Exception"},
	{"SyntaxError", "Exception"},
	{"IndentationError", "SyntaxError"},
	{"TabError", "IndentationError"},
	{"SystemError", "Exception"},
	{"TypeError", "Exception"},
	{"ValueError", "Exception"},
	{"UnicodeError", "ValueError"},
	{"UnicodeDecodeError", "UnicodeError"},
	{"UnicodeEncodeError", "UnicodeError"},
	{"UnicodeTranslateError", "UnicodeError"},
	{"Warning", "Exception"},
	{"BytesWarning", "Warning"},
	{"DeprecationWarning", "Warning"},
	{"EncodingWarning", "Warning"},
	{"FutureWarning", "Warning"},
	{"ImportWarning", "Warning"},
	{"PendingDeprecationWarning", "Warning"},
	{"ResourceWarning", "Warning"},
	{"RuntimeWarning", "Warning"},
	{"SyntaxWarning", "Warning"},
	{"UnicodeWarning", "Warning"},
	{"UserWarning", "Warning"},
};

static const char *base_of(const char *name)
{
	for (size_t i = 0; i < sizeof(tree) / sizeof(tree[0]); i++) {
		if (str_eq(tree[i].name, name))
			return tree[i].base;
	}
	return NULL;
}

bool exception_is_built_in(const char *name)
{
	return base_of(name) || str_eq(name, "BaseException");
}

bool exception_is(const char *raised, const char *base, const char *expected)
{
	bool is_own = !exception_is_built_in(raised);

	if (str_eq(expected, "IOError") || str_eq(expected, "EnvironmentError"))
		expected = "OSError";
	if (is_own && str_eq(raised, expected))
		return true;
	/* A class that we do not know is an exception, and no more is known of it. */
	if (is_own)
		raised = exception_is_built_in(base) ? base : "Exception";
	for (; raised; raised = base_of(raised)) {
		bool has_two_bases = str_eq(raised, "ExceptionGroup");

		if (str_eq(raised, expected) ||
		    (has_two_bases && str_eq(expected, "BaseExceptionGroup")))
			return true;
	}
	return false;
}

struct pattern {
	regex_t re;
};

/* Characters are those of UTF-8, whatever the caller's locale; where the C library has none, bytes. */
static locale_t use_characters(void)
{
	static locale_t characters;

	if (!characters)
		characters = newlocale(LC_CTYPE_MASK, "C.UTF-8", NULL);
	return uselocale(characters ? characters : (locale_t)0);
}

static int unknown(struct err *e, const char *what)
{
	return err_set(e, EINVAL, "%s is not known here", what);
}

/* Between brackets a backslash has no meaning in POSIX. Returns where the class ends. */
static const char *translate_class(const char *p, struct strbuf *out, struct err *e)
{
	const char *begin = p;

	strbuf_addch(out, *p++);
	if (*p == '^')
		strbuf_addch(out, *p++);
	if (*p == ']')
		strbuf_addch(out, *p++);
	for (; *p && *p != ']'; p++) {
		if (*p == '[' && strchr(":.=", p[1]))
			return unknown(e, "a class by its name"), NULL;
		if (*p != '\\') {
			strbuf_addch(out, *p);
			continue;
		}
		p++;
		if (*p == 'd')
			strbuf_addstr(out, "0-9");
		else if (*p == 's')
			strbuf_addstr(out, "[:space:]");
		else if (*p == 'w')
			strbuf_addstr(out, "[:alnum:]_");
		else if (*p && !strchr("[]\\-^", *p) && !isalnum((unsigned char)*p))
			strbuf_addch(out, *p);
		else
			return unknown(e, "such an escape between brackets"), NULL;
	}
	if (!*p)
		return err_set(e, EINVAL, "'%s' has no end", begin), NULL;
	strbuf_addch(out, *p);
	return p;
}

static int translate_escape(char c, struct strbuf *out, struct err *e)
{
	static const char same[] = "wWsSbB.^$*+?()[]{}|\\/";

	if (c == 'd')
		strbuf_addstr(out, "[0-9]");
	else if (c == 'D')
		strbuf_addstr(out, "[^0-9]");
	else if (c == 'n' || c == 't')
		strbuf_addch(out, c == 'n' ? '\n' : '\t');
	else if (c == 'A' || c == 'Z')
		strbuf_addch(out, c == 'A' ? '^' : '$');
	else if (c && strchr(same, c))
		strbuf_addf(out, "\\%c", c);
	else if (c && !(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z'))
		strbuf_addch(out, c); /* re.escape() puts a backslash before more than it must */
	else
		return unknown(e, "such an escape");
	return 0;
}

static int translate(const char *p, struct strbuf *out, struct err *e)
{
	bool repeats = false; /* the character before was one that says how often */

	for (; *p; p++) {
		bool was = repeats;

		repeats = strchr("*+?}", *p) && !was;
		if (*p == '\\') {
			if (translate_escape(*++p, out, e) < 0)
				return -EINVAL;
		} else if (*p == '[') {
			p = translate_class(p, out, e);
			if (!p)
				return -EINVAL;
		} else if (*p == '(' && p[1] == '?') {
			if (p[2] != ':')
				return unknown(e, "'(?'");
			strbuf_addch(out, '(');
			p += 2;
		} else if (*p == '?' && was) {
			continue; /* how much it takes does not change whether it is found */
		} else if (strchr("*+{", *p) && was) {
			return unknown(e, "a repetition of a repetition");
		} else if (*p == '.') {
			strbuf_addstr(out, "[^\n]");
		} else {
			strbuf_addch(out, *p);
		}
	}
	return strbuf_check(out, e);
}

int pattern_compile(const char *re, struct pattern **ret, struct err *e)
{
	_strbuf_ struct strbuf posix = STRBUF_INIT;
	struct pattern *p = calloc(1, sizeof(*p));
	locale_t before;
	char why[128];
	int r;

	if (!p)
		return err_oom(e);
	if (translate(re, &posix, e) < 0) {
		free(p);
		return -EINVAL;
	}
	before = use_characters();
	r = regcomp(&p->re, strbuf_str(&posix), REG_EXTENDED | REG_NOSUB);
	uselocale(before);
	if (r) {
		regerror(r, &p->re, why, sizeof(why));
		free(p);
		return err_set(e, EINVAL, "'%.100s': %s", re, why);
	}
	*ret = p;
	return 0;
}

bool pattern_is_in(const struct pattern *p, const char *text, size_t len)
{
	regmatch_t part = {.rm_eo = (regoff_t)(len < PATTERN_BYTES_MAX ? len : PATTERN_BYTES_MAX)};

	const locale_t before = use_characters();
	bool is_in = regexec(&p->re, text, 1, &part, REG_STARTEND) == 0;

	uselocale(before);
	return is_in;
}

void pattern_free(struct pattern *p)
{
	if (p)
		regfree(&p->re);
	free(p);
}
