/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/build/dockerfile/words.h"

#include <stdlib.h>

#include "cmd/build/dockerfile/dockerfile.h"
#include "runtime/base/err.h"
#include "runtime/base/json/json.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r' || c == '\n';
}

const char *words_skip_blanks(const char *s)
{
	while (is_blank(*s))
		s++;
	return s;
}

const char *words_skip_text(const char *s)
{
	while (*s && !is_blank(*s))
		s++;
	return s;
}

/* --- flags -------------------------------------------------------------------------------- */

/* One word without its quotes; a backslash takes what follows as it is. */
static const char *flag_word(const char *s, struct strbuf *out)
{
	char quote = 0;

	for (; *s && (quote || !is_blank(*s)); s++) {
		if (*s == '\\' && s[1])
			strbuf_addch(out, *++s);
		else if (quote ? *s == quote : *s == '\'' || *s == '"')
			quote = quote ? 0 : *s;
		else if (*s != '\\')
			strbuf_addch(out, *s);
	}
	return s;
}

const char *words_flags(const char *s, struct strv *flags)
{
	for (;;) {
		_strbuf_ struct strbuf word = STRBUF_INIT;

		s = words_skip_blanks(s);
		if (!str_has_prefix(s, "--"))
			return s;
		s = flag_word(s, &word);
		if (str_eq(strbuf_str(&word), "--"))
			return words_skip_blanks(s);
		strv_take(flags, strbuf_take(&word));
	}
}

/* --- words -------------------------------------------------------------------------------- */

void words_plain(const char *s, struct strv *ret)
{
	while (*(s = words_skip_blanks(s))) {
		const char *end = words_skip_text(s);

		strv_addn(ret, s, (size_t)(end - s));
		s = end;
	}
}

/* An escape character goes with what follows it; one at the very end is dropped. */
static const char *quoted_word(const char *s, char escape, struct strbuf *out)
{
	char quote = 0;

	for (; *s && (quote || !is_blank(*s)); s++) {
		if (*s == escape && quote != '\'') {
			if (!s[1])
				return s + 1;
			strbuf_addch(out, *s++);
		} else if (quote ? *s == quote : *s == '\'' || *s == '"') {
			quote = quote ? 0 : *s;
		}
		strbuf_addch(out, *s);
	}
	return s;
}

void words_quoted(const char *s, char escape, struct strv *ret)
{
	while (*(s = words_skip_blanks(s))) {
		_strbuf_ struct strbuf word = STRBUF_INIT;

		s = quoted_word(s, escape, &word);
		if (word.len)
			strv_take(ret, strbuf_take(&word));
	}
}

/* --- pairs -------------------------------------------------------------------------------- */

static int old_pair(const char *name, const char *s, struct strv *ret, struct err *e)
{
	const char *end = words_skip_text(s), *value = words_skip_blanks(end);

	if (!*value)
		return err_set(e, EINVAL, "%s must have two arguments", name);
	strv_addn(ret, s, (size_t)(end - s));
	strv_add(ret, value);
	return strv_check(ret, e);
}

int words_pairs(const char *name, const char *s, char escape, struct strv *ret, struct err *e)
{
	_strv_ struct strv words = STRV_INIT;
	int r;

	words_quoted(s, escape, &words);
	r = strv_check(&words, e);
	if (r < 0 || !words.n)
		return r;
	if (!strchr(words.items[0], '='))
		return old_pair(name, words_skip_blanks(s), ret, e);
	for (size_t i = 0; i < words.n; i++) {
		const char *sign = strchr(words.items[i], '=');

		if (!sign)
			return err_set(e, EINVAL,
				       "Syntax error - can't find = in \"%.200s\". Must be of the "
				       "form: name=value",
				       words.items[i]);
		strv_addn(ret, words.items[i], (size_t)(sign - words.items[i]));
		strv_add(ret, sign + 1);
	}
	return strv_check(ret, e);
}

/* --- JSON --------------------------------------------------------------------------------- */

int words_json(const char *s, struct strv *ret, struct err *e)
{
	_json_ struct json *doc = NULL;
	int r;

	if (*s != '[')
		return 0;
	r = json_parse(s, strlen(s), DOCKERFILE_MAX_BYTES, &doc, NULL);
	if (r == -ENOMEM)
		return err_oom(e);
	if (r < 0 || !json_is_array(doc))
		return 0;
	for (const struct json *v = json_first(doc); v; v = json_next(v)) {
		if (!json_text(v))
			return err_set(e, EINVAL,
				       "When using JSON array syntax, arrays must be comprised of "
				       "strings only.");
		strv_add(ret, json_text(v));
	}
	r = strv_check(ret, e);
	return r < 0 ? r : 1;
}
