/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/build/dockerfile/glob.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"

/*
 * A pattern is matched by the set of its places that may be reached after so many characters of the
 * text: nothing is tried twice, whatever the pattern. Place n: before the pattern's byte n.
 */
enum dialect { FILES, PATHS, TEXT };

struct match {
	enum dialect dialect;
	const char *pattern;
	size_t len;
	unsigned char *now, *next; /* len + 1 places each */
};

/* --- one element ---------------------------------------------------------------------------- */

/* The length of "[...]" at p; 0: it has no end, or is wrong. */
static size_t class_length(const char *p)
{
	const char *s = p + 1;

	if (*s == '^' || *s == '!')
		s++;
	if (*s == ']')
		return 0;
	for (; *s && *s != ']'; s++) {
		if (*s == '\\' && !*++s)
			return 0;
	}
	return *s ? (size_t)(s - p) + 1 : 0;
}

static unsigned char class_char(const char **s)
{
	if (**s == '\\')
		(*s)++;
	return (unsigned char)*(*s)++;
}

static bool class_has(const char *p, size_t len, unsigned char c)
{
	const char *s = p + 1, *end = p + len - 1;
	bool no = *s == '^' || *s == '!', found = false;

	s += no;
	while (s < end) {
		unsigned char from = class_char(&s), to = from;

		if (s + 1 < end && *s == '-') {
			s++;
			to = class_char(&s);
		}
		found |= from <= c && c <= to;
	}
	return found != no;
}

static size_t element_length(enum dialect dialect, const char *p)
{
	if (*p == '*')
		return dialect == PATHS && p[1] == '*' ? (p[2] == '/' ? 3 : 2) : 1;
	if (*p == '\\')
		return p[1] ? 2 : 0;
	if (*p == '[' && dialect != TEXT)
		return class_length(p);
	return 1;
}

/* True when the element of that length, which is no star, takes the character. */
static bool takes(enum dialect dialect, const char *p, size_t len, unsigned char c)
{
	if (*p == '?')
		return dialect == TEXT || c != '/';
	if (*p == '\\')
		return (unsigned char)p[1] == c;
	if (*p == '[' && dialect != TEXT)
		return c != '/' && class_has(p, len, c);
	return (unsigned char)*p == c;
}

/* --- sets of places ------------------------------------------------------------------------- */

/* Marks a place and those behind the stars that begin there. */
static void reach(const struct match *m, unsigned char *set, size_t at)
{
	while (at <= m->len && !set[at]) {
		set[at] = 1;
		if (at == m->len || m->pattern[at] != '*')
			return;
		at += element_length(m->dialect, m->pattern + at);
	}
}

static void advance(const struct match *m, size_t at, unsigned char c)
{
	const char *p = m->pattern + at;
	size_t len = element_length(m->dialect, p);

	if (*p != '*') {
		if (takes(m->dialect, p, len, c))
			reach(m, m->next, at + len);
		return;
	}
	if (len == 1 && m->dialect != TEXT && c == '/')
		return;
	/* Behind a double star with its slash a name begins: only after a slash of the text. */
	m->next[at] = 1;
	if (len != 3 || c == '/')
		reach(m, m->next, at + len);
}

static bool begin(struct match *m, enum dialect dialect, const char *pattern)
{
	*m = (struct match){.dialect = dialect, .pattern = pattern, .len = strlen(pattern)};
	for (size_t at = 0; at < m->len;) {
		size_t len = element_length(dialect, pattern + at);

		if (!len)
			return false;
		at += len;
	}
	m->now = calloc(2, m->len + 1);
	if (!m->now)
		return false;
	m->next = m->now + m->len + 1;
	reach(m, m->now, 0);
	return true;
}

static void feed(struct match *m, unsigned char c)
{
	unsigned char *old = m->now;

	memset(m->next, 0, m->len + 1);
	for (size_t at = 0; at < m->len; at++) {
		if (m->now[at])
			advance(m, at, c);
	}
	m->now = m->next;
	m->next = old;
}

static void end(struct match *m)
{
	free(m->now < m->next ? m->now : m->next);
}

static bool matches(enum dialect dialect, const char *pattern, const char *s, size_t len)
{
	struct match m;
	bool found;

	if (!begin(&m, dialect, pattern))
		return false;
	for (size_t i = 0; i < len; i++)
		feed(&m, (unsigned char)s[i]);
	found = m.now[m.len];
	end(&m);
	return found;
}

/* --- entries -------------------------------------------------------------------------------- */

int glob_check(const char *pattern, struct err *e)
{
	for (const char *p = pattern; *p;) {
		size_t len = element_length(PATHS, p);

		if (!len)
			return err_set(e, EINVAL, "syntax error in pattern");
		p += len;
	}
	return 0;
}

bool glob_matches(const char *pattern, const char *name)
{
	return matches(FILES, pattern, name, strlen(name));
}

bool glob_matches_path(const char *pattern, const char *path)
{
	return matches(PATHS, pattern, path, strlen(path));
}

bool glob_is_pattern(const char *s)
{
	return s[strcspn(s, "*?[\\")];
}

size_t glob_prefix(const char *pattern, const char *s, size_t len, bool longest)
{
	size_t found = 0;
	struct match m;

	if (!begin(&m, TEXT, pattern))
		return 0;
	if (!m.now[m.len] || longest) {
		for (size_t i = 0; i < len; i++) {
			feed(&m, (unsigned char)s[i]);
			if (m.now[m.len]) {
				found = i + 1;
				if (!longest)
					break;
			}
		}
	}
	end(&m);
	return found;
}

size_t glob_suffix(const char *pattern, const char *s, size_t len, bool longest)
{
	for (size_t i = 0; i <= len; i++) {
		size_t n = longest ? len - i : i;

		if (matches(TEXT, pattern, s + len - n, n))
			return n;
	}
	return 0;
}
