/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/build/dockerfile/expand.h"

#include <ctype.h>
#include <stdlib.h>

#include "cmd/build/dockerfile/glob.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"

struct lexer {
	const struct expand *x;
	const char *p;
	struct strbuf *out;
	struct strv *words; /* NULL: one word */
	bool in_word;
	bool raw; /* escape characters stay: this is a pattern */
	unsigned depth;
	struct err *e;
};

static int run(struct lexer *l, char stop);

static void put(struct lexer *l, const char *s, size_t len)
{
	strbuf_add(l->out, s, len);
	l->in_word = true;
}

static void end_word(struct lexer *l)
{
	if (!l->in_word)
		return;
	strv_addn(l->words, strbuf_str(l->out), l->out->len);
	strbuf_reset(l->out);
	l->in_word = false;
}

/* A value that stands outside of quotes. */
static void put_value(struct lexer *l, const char *value)
{
	if (!l->words) {
		put(l, value, strlen(value));
		return;
	}
	for (; *value; value++) {
		if (isspace((unsigned char)*value))
			end_word(l);
		else
			put(l, value, 1);
	}
}

static int fail(struct lexer *l, const char *text)
{
	return err_set(l->e, EINVAL, "%s", text);
}

/* --- names ---------------------------------------------------------------------------------- */

static size_t name_length(const char *s)
{
	size_t n = 0;

	if (isdigit((unsigned char)*s)) {
		while (isdigit((unsigned char)s[n]))
			n++;
	} else if (isalpha((unsigned char)*s) || *s == '_') {
		while (isalnum((unsigned char)s[n]) || s[n] == '_')
			n++;
	} else if (*s && strchr("@*#?-$!", *s)) {
		n = 1;
	}
	return n;
}

static const char *value_of(const struct lexer *l, const char *name)
{
	return strv_get_env(l->x->env, name);
}

/* --- ${...} --------------------------------------------------------------------------------- */

/* The text up to stop, itself expanded; the lexer stands behind the stop. Caller frees. */
static int inner(struct lexer *l, char stop, bool raw, char **ret)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;
	struct lexer in = {
		.x = l->x, .p = l->p, .out = &text, .raw = raw, .depth = l->depth + 1, .e = l->e};
	int r;

	if (in.depth > EXPAND_DEPTH_MAX)
		return fail(l, "substitutions are nested too deep");
	r = run(&in, stop);
	if (r < 0)
		return r;
	if (*in.p != stop)
		return fail(l, "syntax error: missing '}'");
	l->p = in.p + 1;
	*ret = strbuf_take(&text);
	if (!*ret)
		*ret = strdup("");
	return *ret ? 0 : err_oom(l->e);
}

static void keep(struct lexer *l, const char *from)
{
	put(l, from, (size_t)(l->p - from));
}

static int demand(struct lexer *l, const char *name, const char *value, const char *word)
{
	return err_set(l->e, EINVAL, "%.100s: %.200s", name,
		       *word   ? word
		       : value ? "is not allowed to be empty"
			       : "is not allowed to be unset");
}

/* ${NAME-word} and its kin; the lexer stands behind the sign. from: the '$'. */
static int choose(struct lexer *l, const char *from, const char *name, char sign,
		  bool empty_is_unset)
{
	const char *value = value_of(l, name);
	_free_ char *word = NULL;
	bool has = value && (*value || !empty_is_unset);
	int r = inner(l, '}', false, &word);

	if (r < 0)
		return r;
	if (l->x->keep_unset && !value)
		return keep(l, from), 0;
	if (sign == '?' && !has)
		return demand(l, name, value, word);
	if (sign == '+')
		put_value(l, has ? word : "");
	else
		put_value(l, has ? value : word);
	return 0;
}

/* ${NAME#pattern} and its kin. */
static int cut(struct lexer *l, const char *from, const char *name, char sign)
{
	const char *value = value_of(l, name);
	_free_ char *pattern = NULL;
	size_t start = 0, len = value ? strlen(value) : 0;
	bool greedy = *l->p == sign;
	int r;

	l->p += greedy;
	r = inner(l, '}', true, &pattern);
	if (r < 0)
		return r;
	if (!value)
		return l->x->keep_unset ? keep(l, from) : (void)0, 0;
	if (sign == '#')
		start = glob_prefix(pattern, value, len, greedy);
	else
		len -= glob_suffix(pattern, value, len, greedy);
	_free_ char *left = strndup(value + start, len - start);

	if (!left)
		return err_oom(l->e);
	put_value(l, left);
	return 0;
}

/* ${NAME/pattern/text}, "//" for all. */
static int replace(struct lexer *l, const char *from, const char *name)
{
	const char *value = value_of(l, name);
	_free_ char *pattern = NULL, *text = NULL;
	_strbuf_ struct strbuf out = STRBUF_INIT;
	bool all = *l->p == '/', done = false;
	int r;

	l->p += all;
	r = inner(l, '/', true, &pattern);
	if (r >= 0)
		r = inner(l, '}', true, &text);
	if (r < 0)
		return r;
	if (!value)
		return l->x->keep_unset ? keep(l, from) : (void)0, 0;
	while (*value) {
		size_t n = done && !all ? 0 : glob_prefix(pattern, value, strlen(value), true);

		if (out.len > EXPAND_MAX_BYTES)
			return err_set(l->e, EFBIG, "the result is too long");
		if (n)
			strbuf_addstr(&out, text);
		else
			strbuf_addch(&out, *value);
		done |= n > 0;
		value += n ? n : 1;
	}
	put_value(l, strbuf_str(&out));
	return strbuf_check(&out, l->e);
}

static int unsupported(struct lexer *l, const char *sign, size_t len)
{
	return err_set(l->e, EINVAL, "unsupported modifier (%.*s) in substitution", (int)len, sign);
}

/* The lexer stands behind "${"; from: the '$'. */
static int braces(struct lexer *l, const char *from)
{
	size_t len = name_length(l->p);
	_free_ char *name = strndup(l->p, len);
	const char *sign = l->p + len, *value;
	bool colon = *sign == ':';

	if (!name)
		return err_oom(l->e);
	if (!*l->p)
		return fail(l, "syntax error: missing '}'");
	if (!len)
		return fail(l, "syntax error: bad substitution");
	if (!*sign || (colon && !sign[1]))
		return fail(l, "syntax error: missing '}'");
	if (*sign == '}') {
		l->p = sign + 1;
		value = value_of(l, name);
		if (value)
			put_value(l, value);
		else if (l->x->keep_unset)
			keep(l, from);
		return 0;
	}
	if (strchr("-+?", sign[colon])) {
		l->p = sign + colon + 1;
		return choose(l, from, name, sign[colon], colon);
	}
	if (colon || !strchr("#%/", *sign))
		return unsupported(l, sign, 1 + (colon && sign[1]));
	l->p = sign + 1;
	return *sign == '/' ? replace(l, from, name) : cut(l, from, name, *sign);
}

/* The lexer stands behind the '$'. */
static int dollar(struct lexer *l)
{
	const char *from = l->p - 1, *value;
	size_t len;

	if (*l->p == '{') {
		l->p++;
		return braces(l, from);
	}
	len = name_length(l->p);
	if (!len) {
		put(l, "$", 1);
		return 0;
	}
	_free_ char *name = strndup(l->p, len);

	if (!name)
		return err_oom(l->e);
	l->p += len;
	value = value_of(l, name);
	if (value)
		put_value(l, value);
	else if (l->x->keep_unset)
		keep(l, from);
	return 0;
}

/* --- quotes --------------------------------------------------------------------------------- */

static int single_quoted(struct lexer *l)
{
	const char *end = strchr(l->p, '\'');

	if (!end)
		return fail(l, "unexpected end of statement while looking for matching "
			       "single-quote");
	put(l, l->p, (size_t)(end - l->p));
	l->p = end + 1;
	return 0;
}

static int double_quoted(struct lexer *l)
{
	struct strv *words = l->words;
	int r = 0;

	l->words = NULL; /* a value in quotes stays one word */
	put(l, "", 0);
	while (r >= 0 && *l->p && *l->p != '"') {
		char c = *l->p++;

		if (c == '$') {
			r = dollar(l);
			continue;
		}
		if (c == l->x->escape && *l->p &&
		    (*l->p == '"' || *l->p == '$' || *l->p == l->x->escape))
			c = *l->p++;
		put(l, &c, 1);
	}
	l->words = words;
	if (r >= 0 && !*l->p)
		return fail(l, "unexpected end of statement while looking for matching "
			       "double-quote");
	l->p++;
	return r;
}

/* The lexer stands behind the escape character. */
static void escaped(struct lexer *l)
{
	if (l->raw || l->x->keep_quotes)
		put(l, &l->x->escape, 1);
	if (*l->p)
		put(l, l->p++, 1);
}

static int step(struct lexer *l)
{
	char c = *l->p++;

	if (c == '$')
		return dollar(l);
	if (c == '\'' && !l->x->keep_quotes)
		return single_quoted(l);
	if (c == '"' && !l->x->keep_quotes)
		return double_quoted(l);
	if (c == l->x->escape)
		escaped(l);
	else if (l->words && isspace((unsigned char)c))
		end_word(l);
	else
		put(l, &c, 1);
	return 0;
}

static int run(struct lexer *l, char stop)
{
	int r = 0;

	while (r >= 0 && *l->p && *l->p != stop) {
		r = step(l);
		if (r >= 0 && l->out->len > EXPAND_MAX_BYTES)
			r = err_set(l->e, EFBIG, "the result is too long");
	}
	return r < 0 ? r : strbuf_check(l->out, l->e);
}

/* --- entries -------------------------------------------------------------------------------- */

static int failed(const char *word, struct err *e)
{
	return err_wrap(e, "failed to process \"%.200s\"", word);
}

int expand_word(const struct expand *x, const char *word, char **ret, struct err *e)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;
	struct lexer l = {.x = x, .p = word, .out = &out, .e = e};
	int r = run(&l, 0);

	if (r < 0)
		return failed(word, e);
	*ret = out.len ? strbuf_take(&out) : strdup("");
	return *ret ? 0 : err_oom(e);
}

int expand_words(const struct expand *x, const char *text, struct strv *ret, struct err *e)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;
	struct lexer l = {.x = x, .p = text, .out = &out, .words = ret, .e = e};
	int r = run(&l, 0);

	if (r < 0)
		return failed(text, e);
	end_word(&l);
	return strv_check(ret, e);
}
