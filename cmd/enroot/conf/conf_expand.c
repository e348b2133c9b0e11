/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The words of a configuration file's value, as far as sh would not run anything for them. One
 * pass, no recursion: the word of ${VAR:-word} is taken as it stands, with `$VAR` inside it
 * expanded by the same loop, since it only moves the end of what is read.
 */
#include "cmd/enroot/conf/conf.h"

#include <stdio.h>
#include <stdlib.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"

#define VALUE_BYTES_MAX (1u << 20)
#define NESTED_MAX 8u

enum quote { QUOTE_NONE, QUOTE_DOUBLE };

struct expand {
	const struct enroot_conf_env *env;
	const char *shown, *p, *end;
	struct strbuf *out;
	enum quote quote;
	unsigned open; /* words of ${VAR:-word} that are being read */
	bool started;  /* the present word has begun, be it empty */
	bool pending;  /* a blank is due before the next word */
	struct err *e;
};

static int bad(struct expand *x, const char *what)
{
	return err_set(x->e, EINVAL, "%s: %s", x->shown, what);
}

/* Blanks between words are one, as echo would write them. */
static void begin_word(struct expand *x)
{
	if (x->pending && x->out->len)
		strbuf_addch(x->out, ' ');
	x->pending = false;
	x->started = true;
}

static void add(struct expand *x, const char *s, size_t len)
{
	if (!len)
		return;
	begin_word(x);
	strbuf_add(x->out, s, len);
}

/* The value of a variable: outside quotes its blanks separate words. */
static void add_value(struct expand *x, const char *value)
{
	if (x->quote == QUOTE_DOUBLE) {
		add(x, value, strlen(value));
		return;
	}
	for (; *value; value++) {
		if (*value == ' ' || *value == '\t' || *value == '\n') {
			x->pending = x->out->len > 0;
			x->started = false;
		} else {
			add(x, value, 1);
		}
	}
}

static bool is_name(char c, bool first)
{
	return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (!first && c >= '0' && c <= '9');
}

static size_t name_len(const struct expand *x)
{
	size_t n = 0;

	while (x->p + n < x->end && is_name(x->p[n], !n))
		n++;
	return n;
}

static const char *value_of(struct expand *x, size_t n, int *ret)
{
	_free_ char *name = strndup(x->p, n);

	*ret = name ? 0 : err_oom(x->e);
	return name && x->env->get ? x->env->get(x->env->ctx, name) : NULL;
}

/* At what follows "$(": the two commands whose answer is known without running them. */
static int command(struct expand *x)
{
	static const char uid[] = "id -u)", user[] = "id -un)";
	size_t left = (size_t)(x->end - x->p);
	const char *name;
	char number[16];

	if (left >= strlen(uid) && !memcmp(x->p, uid, strlen(uid))) {
		snprintf(number, sizeof(number), "%u", x->env->uid);
		add(x, number, strlen(number));
		x->p += strlen(uid);
		return 0;
	}
	if (left >= strlen(user) && !memcmp(x->p, user, strlen(user))) {
		name = x->env->user ? x->env->user(x->env->ctx) : NULL;
		if (!name)
			return bad(x, "$(id -un): the caller has no name");
		add_value(x, name);
		x->p += strlen(user);
		return 0;
	}
	return bad(x, "only $(id -u) and $(id -un) are understood: nothing is run");
}

/* Past the word that is not wanted, to behind its brace. */
static int skip_word(struct expand *x)
{
	unsigned depth = 1;

	for (; x->p < x->end; x->p++) {
		if (*x->p == '\\' && x->p + 1 < x->end)
			x->p++;
		else if (*x->p == '{')
			depth++;
		else if (*x->p == '}' && !--depth)
			return x->p++, 0;
	}
	return bad(x, "${ without its }");
}

/* At what follows "${". */
static int braces(struct expand *x)
{
	size_t n = name_len(x);
	const char *value;
	bool empty_too = false;
	int r;

	if (!n)
		return bad(x, "${ without a name");
	value = value_of(x, n, &r);
	if (r < 0)
		return r;
	x->p += n;
	if (x->p < x->end && *x->p == '}') {
		x->p++;
		add_value(x, value ? value : "");
		return 0;
	}
	if (x->end - x->p > 1 && x->p[0] == ':' && x->p[1] == '-') {
		empty_too = true;
		x->p++;
	}
	if (x->p >= x->end || *x->p != '-')
		return bad(x, "of ${...} only ${VAR}, ${VAR-word} and ${VAR:-word} are understood");
	x->p++;
	if (value && (*value || !empty_too)) {
		add_value(x, value);
		return skip_word(x);
	}
	if (++x->open > NESTED_MAX)
		return bad(x, "too many ${ in each other");
	return 0;
}

static int dollar(struct expand *x)
{
	const char *value;
	size_t n;
	int r;

	if (x->p < x->end && *x->p == '(') {
		x->p++;
		return command(x);
	}
	if (x->p < x->end && *x->p == '{') {
		x->p++;
		return braces(x);
	}
	n = name_len(x);
	if (!n) {
		add(x, "$", 1);
		return 0;
	}
	value = value_of(x, n, &r);
	x->p += n;
	if (r >= 0 && value)
		add_value(x, value);
	return r;
}

static int single_quoted(struct expand *x)
{
	const char *close = memchr(x->p, '\'', (size_t)(x->end - x->p));

	if (!close)
		return bad(x, "a ' without its end");
	begin_word(x);
	strbuf_add(x->out, x->p, (size_t)(close - x->p));
	x->p = close + 1;
	return 0;
}

static int backslash(struct expand *x)
{
	if (x->p >= x->end)
		return bad(x, "a \\ at the end of the line");
	if (x->quote == QUOTE_DOUBLE && !strchr("$`\"\\", *x->p))
		add(x, "\\", 1);
	add(x, x->p++, 1);
	return 0;
}

/* Refuses a character that means something to a shell and nothing here, rather than read it in
 * another way. */
static int shell_word(struct expand *x, char c)
{
	if (c == '`')
		return bad(x, "`: nothing is run");
	if (x->quote == QUOTE_NONE && strchr(";&|<>()", c))
		return bad(x, "a shell's operator outside quotes");
	add(x, &c, 1);
	return 0;
}

static int one(struct expand *x)
{
	char c = *x->p++;

	if (c == '\'' && x->quote == QUOTE_NONE)
		return single_quoted(x);
	if (c == '"') {
		x->quote = x->quote == QUOTE_NONE ? QUOTE_DOUBLE : QUOTE_NONE;
		begin_word(x);
		return 0;
	}
	if (c == '\\')
		return backslash(x);
	if (c == '$')
		return dollar(x);
	if (c == '}' && x->open) {
		x->open--;
		return 0;
	}
	if (x->quote == QUOTE_NONE && (c == ' ' || c == '\t' || c == '\r')) {
		x->pending = x->out->len > 0;
		x->started = false;
		return 0;
	}
	if (x->quote == QUOTE_NONE && c == '#' && !x->started) {
		x->p = x->end;
		return 0;
	}
	return shell_word(x, c);
}

int enroot_conf_expand(const struct enroot_conf_env *env, const char *shown, const char *text,
		       size_t len, struct strbuf *ret, struct err *e)
{
	struct err local = ERR_INIT;
	struct expand x = {
		.env = env,
		.shown = shown,
		.p = text,
		.end = text + len,
		.out = ret,
		.e = e ? e : &local,
	};
	int r = 0;

	while (r >= 0 && x.p < x.end) {
		r = one(&x);
		if (r >= 0 && ret->len > VALUE_BYTES_MAX)
			r = bad(&x, "the value is too long");
	}
	if (r >= 0 && x.quote != QUOTE_NONE)
		r = bad(&x, "a \" without its end");
	if (r >= 0 && x.open)
		r = bad(&x, "${ without its }");
	return r < 0 ? r : strbuf_check(ret, e);
}
