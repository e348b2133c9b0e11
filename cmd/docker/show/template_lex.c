/* SPDX-License-Identifier: Apache-2.0 */

/* Go's text/template/parse/lex.go, as a function that gives one token a call. */

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cmd/docker/show/template_priv.h"

static bool at(const struct lexer *x, const char *word)
{
	size_t n = strlen(word);

	return x->len - x->pos >= n && !memcmp(x->text + x->pos, word, n);
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool is_word(char c)
{
	return c == '_' || isalnum((unsigned char)c) || (unsigned char)c >= 0x80;
}

static char peek(const struct lexer *x, size_t ahead)
{
	return x->pos + ahead < x->len ? x->text[x->pos + ahead] : 0;
}

__attribute__((format(printf, 2, 3))) static struct token fail(struct lexer *x, const char *fmt,
							       ...)
{
	struct token t = {TOKEN_ERROR, x->message, 0, x->pos};
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(x->message, sizeof(x->message), fmt, ap);
	va_end(ap);
	t.len = strlen(x->message);
	x->pos = x->len;
	x->inside = false;
	return t;
}

/* Takes n bytes as a token. */
static struct token take(struct lexer *x, enum token_kind kind, size_t n)
{
	struct token t = {kind, x->text + x->pos, n, x->pos};

	x->pos += n;
	return t;
}

/* "- " behind "{{": blanks before the action go. */
static bool trims_left(const struct lexer *x, size_t pos)
{
	return pos + 1 < x->len && x->text[pos] == '-' && is_blank(x->text[pos + 1]);
}

/* A comment must fill its action. */
static bool skip_comment(struct lexer *x, struct token *ret_error)
{
	const char *end = memmem(x->text + x->pos + 2, x->len - x->pos - 2, "*/", 2);

	if (!end) {
		*ret_error = fail(x, "unclosed comment");
		return false;
	}
	x->pos = (size_t)(end - x->text) + 2;
	x->trim = false;
	if (is_blank(peek(x, 0)) && peek(x, 1) == '-') {
		x->trim = true;
		x->pos += 2;
	}
	if (!at(x, "}}")) {
		*ret_error = fail(x, "comment ends before closing delimiter");
		return false;
	}
	x->pos += 2;
	return true;
}

/* From "{{": a token, or TOKEN_TEXT of no length for a comment. */
static struct token enter(struct lexer *x)
{
	size_t begin = x->pos, skip = trims_left(x, x->pos + 2) ? 4 : 2;
	struct token t = {TOKEN_TEXT, x->text + begin, 0, begin};

	x->pos += skip;
	if (at(x, "/*")) {
		if (!skip_comment(x, &t))
			return t;
		return t;
	}
	x->inside = true;
	x->parens = 0;
	return (struct token){TOKEN_LEFT, x->text + begin, skip, begin};
}

static struct token next_text(struct lexer *x)
{
	const char *left;
	struct token t;
	size_t n;

	while (x->trim && is_blank(peek(x, 0)))
		x->pos++;
	x->trim = false;
	if (x->pos == x->len)
		return take(x, TOKEN_EOF, 0);
	if (at(x, "{{"))
		return enter(x);
	left = memmem(x->text + x->pos, x->len - x->pos, "{{", 2);
	n = left ? (size_t)(left - x->text) - x->pos : x->len - x->pos;
	t = take(x, TOKEN_TEXT, n);
	if (left && trims_left(x, x->pos + 2)) {
		while (t.len && is_blank(t.text[t.len - 1]))
			t.len--;
	}
	return t;
}

static struct token quoted(struct lexer *x)
{
	char quote = peek(x, 0);
	size_t n = 1;

	for (;; n++) {
		char c = peek(x, n);

		if (!c || (c == '\n' && quote != '`'))
			return fail(x, quote == '`'    ? "unterminated raw quoted string"
				       : quote == '\'' ? "unterminated character constant"
						       : "unterminated quoted string");
		if (c == '\\' && quote != '`' && peek(x, n + 1) && peek(x, n + 1) != '\n')
			n++;
		else if (c == quote)
			break;
	}
	if (quote == '\'')
		return fail(x, "character constants are not supported");
	return take(x, TOKEN_STRING, n + 1);
}

static enum token_kind word_kind(const char *s, size_t len)
{
	static const struct {
		const char *word;
		enum token_kind kind;
	} words[] = {
		{"if", TOKEN_IF},          {"else", TOKEN_ELSE},   {"end", TOKEN_END},
		{"range", TOKEN_RANGE},    {"with", TOKEN_WITH},   {"true", TOKEN_TRUE},
		{"false", TOKEN_FALSE},    {"nil", TOKEN_NIL},     {"define", TOKEN_OTHER},
		{"template", TOKEN_OTHER}, {"block", TOKEN_OTHER}, {"break", TOKEN_OTHER},
		{"continue", TOKEN_OTHER},
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strlen(words[i].word) == len && !memcmp(words[i].word, s, len))
			return words[i].kind;
	}
	return TOKEN_WORD;
}

static size_t word_length(const struct lexer *x, size_t from)
{
	size_t n = from;

	while (is_word(peek(x, n)))
		n++;
	return n;
}

static struct token symbol(struct lexer *x, char c)
{
	if (c == '|')
		return take(x, TOKEN_PIPE, 1);
	if (c == ',')
		return take(x, TOKEN_COMMA, 1);
	if (c == '=')
		return take(x, TOKEN_ASSIGN, 1);
	if (c == ':')
		return peek(x, 1) == '=' ? take(x, TOKEN_DECLARE, 2) : fail(x, "expected :=");
	if (c == '(') {
		x->parens++;
		return take(x, TOKEN_OPEN, 1);
	}
	if (c == ')') {
		if (!x->parens)
			return fail(x, "unexpected right paren");
		x->parens--;
		return take(x, TOKEN_CLOSE, 1);
	}
	return fail(x, "unrecognized character in action: U+%04X '%c'", (unsigned char)c,
		    isprint((unsigned char)c) ? c : '?');
}

static struct token next_inside(struct lexer *x)
{
	char c = peek(x, 0);

	if (!c)
		return fail(x, "unclosed action");
	if (c == '"' || c == '`' || c == '\'')
		return quoted(x);
	if (c == '$')
		return take(x, TOKEN_VARIABLE, word_length(x, 1));
	if (c == '.' && is_word(peek(x, 1)) && !isdigit((unsigned char)peek(x, 1)))
		return take(x, TOKEN_FIELD, word_length(x, 1));
	if (c == '.')
		return take(x, TOKEN_DOT, 1);
	if (isdigit((unsigned char)c) ||
	    ((c == '+' || c == '-') && isdigit((unsigned char)peek(x, 1))))
		return take(x, TOKEN_NUMBER, word_length(x, 1));
	if (is_word(c)) {
		size_t n = word_length(x, 0);

		return take(x, word_kind(x->text + x->pos, n), n);
	}
	return symbol(x, c);
}

/* "}}" or " -}}". */
static bool leave(struct lexer *x, bool spaced, struct token *ret)
{
	size_t skip = at(x, "}}") ? 2 : spaced && at(x, "-}}") ? 3 : 0;

	if (!skip)
		return false;
	*ret = x->parens ? fail(x, "unclosed left paren") : take(x, TOKEN_RIGHT, skip);
	x->inside = false;
	x->trim = skip == 3;
	return true;
}

struct token lexer_next(struct lexer *x)
{
	bool spaced = false;
	struct token t;

	if (!x->inside)
		return next_text(x);
	while (is_blank(peek(x, 0))) {
		x->pos++;
		spaced = true;
	}
	if (!leave(x, spaced, &t))
		t = next_inside(x);
	t.spaced = spaced;
	return t;
}
