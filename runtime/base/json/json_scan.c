/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/base/json/json_scan.h"

#include <stdbool.h>
#include <stdint.h>

#include "runtime/base/json/json.h"
#include "runtime/base/err.h"

/*
 * A pushdown automaton over one byte array: `open` remembers the bracket of every level, so the
 * depth of a document costs a byte a level and no stack.
 */
struct scanner {
	const unsigned char *start, *p, *end;
	char open[JSON_DEPTH_MAX]; /* '{' or '[' */
	unsigned depth, n_values;
	struct json_scan *out;
	struct err *e;
};

/* 16 digits and more need a comparison to stay within 2^53 - 1, the last exact double. */
static const char largest_exact[] = "9007199254740991";
#define NUMBER_TEXT_MAX 60

static int fail(const struct scanner *s, const char *what)
{
	size_t line = 1, column = 1;

	for (const unsigned char *p = s->start; p < s->p; p++) {
		column++;
		if (*p == '\n') {
			line++;
			column = 1;
		}
	}
	return err_set(s->e, EBADMSG, "JSON: %s at line %zu, column %zu", what, line, column);
}

static int peek(const struct scanner *s)
{
	return s->p < s->end ? *s->p : -1;
}

static void skip_blanks(struct scanner *s)
{
	while (s->p < s->end && (*s->p == ' ' || *s->p == '\t' || *s->p == '\n' || *s->p == '\r'))
		s->p++;
}

static int hex_value(int c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Four digits after "\u"; -1 when they are not there. */
static int32_t scan_hex4(struct scanner *s)
{
	int32_t v = 0;

	for (int i = 0; i < 4; i++, s->p++) {
		int digit = hex_value(peek(s));

		if (digit < 0)
			return -1;
		v = v * 16 + digit;
	}
	return v;
}

/* Behind the "u" of an escape: one code point, which may take a second escape. */
static int scan_unicode(struct scanner *s)
{
	int32_t high = scan_hex4(s), low;

	if (high < 0)
		return fail(s, "bad \\u escape");
	if (!high)
		return fail(s, "\\u0000");
	if (high < 0xd800 || high > 0xdfff)
		return 0;
	if (high > 0xdbff || s->end - s->p < 2 || s->p[0] != '\\' || s->p[1] != 'u')
		return fail(s, "lone surrogate");
	s->p += 2;
	low = scan_hex4(s);
	return low < 0xdc00 || low > 0xdfff ? fail(s, "lone surrogate") : 0;
}

static int scan_string(struct scanner *s)
{
	s->p++;
	for (;;) {
		int c = peek(s);

		if (c < 0)
			return fail(s, "unfinished string");
		if (c < 0x20)
			return fail(s, "control byte in a string");
		s->p++;
		if (c == '"')
			return 0;
		if (c != '\\')
			continue;
		c = peek(s);
		if (c < 0 || !memchr("\"\\/bfnrtu", c, 9))
			return fail(s, "bad escape");
		s->p++;
		if (c == 'u') {
			int r = scan_unicode(s);

			if (r < 0)
				return r;
		}
	}
}

static size_t skip_digits(struct scanner *s)
{
	const unsigned char *from = s->p;

	while (s->p < s->end && *s->p >= '0' && *s->p <= '9')
		s->p++;
	return (size_t)(s->p - from);
}

static int scan_number(struct scanner *s)
{
	const unsigned char *from = s->p, *digits;
	bool integer = true;
	size_t n;

	s->p += *s->p == '-';
	digits = s->p;
	n = skip_digits(s);
	if (!n)
		return fail(s, "unexpected byte");
	if (n > 1 && *digits == '0')
		return fail(s, "number with a leading zero");
	if (*from == '-' && *digits == '0')
		integer = false;
	if (n > 16 || (n == 16 && memcmp(digits, largest_exact, 16) > 0))
		integer = false;
	if (peek(s) == '.') {
		s->p++;
		integer = false;
		if (!skip_digits(s))
			return fail(s, "number without digits behind the point");
	}
	if (peek(s) == 'e' || peek(s) == 'E') {
		s->p++;
		integer = false;
		s->p += peek(s) == '+' || peek(s) == '-';
		if (!skip_digits(s))
			return fail(s, "number without an exponent");
	}
	if (s->p - from > NUMBER_TEXT_MAX)
		return fail(s, "overlong number");
	strbuf_addch(&s->out->integers, integer);
	return 0;
}

static int scan_literal(struct scanner *s)
{
	static const char *const literals[] = {"true", "false", "null"};

	for (unsigned i = 0; i < sizeof(literals) / sizeof(literals[0]); i++) {
		size_t n = strlen(literals[i]);

		if ((size_t)(s->end - s->p) >= n && !memcmp(s->p, literals[i], n)) {
			s->p += n;
			return 0;
		}
	}
	return fail(s, s->p == s->end ? "unexpected end" : "unexpected byte");
}

/* A key and its colon, up to where the value begins. */
static int scan_key(struct scanner *s)
{
	int r;

	skip_blanks(s);
	if (peek(s) != '"')
		return fail(s, "expected a key");
	r = scan_string(s);
	if (r < 0)
		return r;
	skip_blanks(s);
	if (peek(s) != ':')
		return fail(s, "expected a colon");
	s->p++;
	return 0;
}

/* 1: a container was opened and its first value comes next; 0: one value is complete. */
static int scan_value(struct scanner *s)
{
	int c, r;

	skip_blanks(s);
	c = peek(s);
	if (++s->n_values > JSON_VALUES_MAX)
		return fail(s, "too many values");
	if (c == '"')
		return scan_string(s);
	if (c == '-' || (c >= '0' && c <= '9'))
		return scan_number(s);
	if (c != '{' && c != '[')
		return scan_literal(s);
	if (s->depth == JSON_DEPTH_MAX)
		return fail(s, "nested too deeply");
	s->p++;
	skip_blanks(s);
	if (peek(s) == (c == '{' ? '}' : ']')) {
		s->p++;
		return 0;
	}
	s->open[s->depth++] = (char)c;
	if (c == '[')
		return 1;
	r = scan_key(s);
	return r < 0 ? r : 1;
}

/* After a value: closes what ends here. 1: another value follows, 0: the document is complete. */
static int scan_next(struct scanner *s)
{
	while (s->depth) {
		bool object = s->open[s->depth - 1] == '{';
		int c, r;

		skip_blanks(s);
		c = peek(s);
		if (c == ',') {
			s->p++;
			r = object ? scan_key(s) : 0;
			return r < 0 ? r : 1;
		}
		if (c != (object ? '}' : ']'))
			return fail(s, c < 0 ? "unexpected end"
					     : "expected a comma or the closing bracket");
		s->p++;
		s->depth--;
	}
	skip_blanks(s);
	return s->p == s->end ? 0 : fail(s, "bytes after the document");
}

int json_scan(const void *text, size_t len, struct json_scan *ret, struct err *e)
{
	struct scanner s = {.start = text, .p = text, .out = ret, .e = e};
	int r;

	s.end = s.start + len;
	*ret = (struct json_scan){0};
	if (len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
		return fail(&s, "byte order mark");
	if (!str_is_utf8(text, len))
		return err_set(e, EBADMSG, "JSON: not valid UTF-8");
	do {
		do {
			r = scan_value(&s);
		} while (r > 0);
		if (!r)
			r = scan_next(&s);
	} while (r > 0);
	if (r >= 0)
		r = strbuf_check(&ret->integers, e);
	if (r < 0)
		json_scan_free(ret);
	return r;
}

void json_scan_free(struct json_scan *s)
{
	strbuf_free(&s->integers);
}
