/* SPDX-License-Identifier: Apache-2.0 */
#include "image/registry/auth.h"

#include <stdlib.h>
#include <strings.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"

#define TCHAR "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define TOKEN68 "-._~+/0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

static const char *skip(const char *p, const char *set)
{
	return p + strspn(p, set);
}

static int malformed(struct err *e)
{
	return err_set(e, EBADMSG, "malformed WWW-Authenticate");
}

/* A token or a quoted string at *p. */
static int parse_value(const char **p, char **ret, struct err *e)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;
	size_t n = strspn(*p, TCHAR);

	if (**p != '"') {
		if (!n)
			return malformed(e);
		*ret = strndup(*p, n);
		*p += n;
		return *ret ? 0 : err_oom(e);
	}
	for ((*p)++; **p != '"'; (*p)++) {
		if (**p == '\\')
			(*p)++;
		if (!**p)
			return malformed(e);
		strbuf_addch(&out, **p);
	}
	(*p)++;
	if (strbuf_check(&out, e) < 0)
		return -ENOMEM;
	*ret = out.len ? strbuf_take(&out) : strdup("");
	return *ret ? 0 : err_oom(e);
}

/* Takes the value. A parameter that is given twice could mean either: it is an error. */
static int set_param(struct auth_challenge *c, const char *name, size_t len, char **value,
		     struct err *e)
{
	const struct {
		const char *name;
		char **at;
	} known[] = {
		{"realm", &c->realm},
		{"service", &c->service},
		{"scope", &c->scope},
		{"error", &c->error},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strlen(known[i].name) != len || strncasecmp(known[i].name, name, len))
			continue;
		if (*known[i].at)
			return malformed(e);
		*known[i].at = take_ptr(*value);
	}
	return 0;
}

static void challenge_free(struct auth_challenge *c)
{
	free(c->realm);
	free(c->service);
	free(c->scope);
	free(c->error);
	*c = (struct auth_challenge){0};
}

static enum auth_scheme scheme_of(const char *s, size_t len)
{
	if (len == 6 && !strncasecmp(s, "bearer", 6))
		return AUTH_BEARER;
	return len == 5 && !strncasecmp(s, "basic", 5) ? AUTH_BASIC : AUTH_OTHER;
}

static int add(struct auth_challenges *c, struct auth_challenge *one)
{
	if (c->n < AUTH_CHALLENGES_MAX)
		c->items[c->n++] = *one;
	else
		challenge_free(one);
	*one = (struct auth_challenge){0};
	return 0;
}

/* Behind a scheme and blanks: where token68 ends, or p when what follows are parameters. */
static const char *skip_token68(const char *p)
{
	const char *end = skip(skip(p, TOKEN68), "=");

	end = skip(end, " \t");
	return !*end || *end == ',' ? end : p;
}

int auth_challenges_parse(struct auth_challenges *c, const char *value, struct err *e)
{
	struct auth_challenge one = {0};
	const char *p = skip(value, ", \t");
	bool have = false;
	int r = 0;

	while (*p && r >= 0) {
		const char *name = p;
		size_t n = strspn(p, TCHAR);
		_free_ char *text = NULL;

		p = skip(p + n, " \t");
		if (!n) {
			r = malformed(e);
		} else if (*p == '=' && have) {
			p = skip(p + 1, " \t");
			r = parse_value(&p, &text, e);
			if (r >= 0)
				r = set_param(&one, name, n, &text, e);
			p = skip(p, " \t");
			if (r >= 0 && *p && *p != ',')
				r = malformed(e);
		} else {
			if (have)
				add(c, &one);
			have = true;
			one.scheme = scheme_of(name, n);
			p = skip_token68(p);
		}
		p = skip(p, ", \t");
	}
	if (r >= 0 && have)
		return add(c, &one);
	challenge_free(&one);
	return r;
}

void auth_challenges_free(struct auth_challenges *c)
{
	for (size_t i = 0; i < c->n; i++)
		challenge_free(&c->items[i]);
	c->n = 0;
}

const struct auth_challenge *auth_choose(const struct auth_challenges *c)
{
	const struct auth_challenge *basic = NULL;

	for (size_t i = 0; i < c->n; i++) {
		if (c->items[i].scheme == AUTH_BEARER && c->items[i].realm)
			return &c->items[i];
		if (c->items[i].scheme == AUTH_BASIC && !basic)
			basic = &c->items[i];
	}
	return basic;
}

static void add_pair(struct strbuf *b, const char *name, const char *value)
{
	strbuf_addstr(b, name);
	strbuf_addch(b, '=');
	for (; *value; value++) {
		unsigned char c = (unsigned char)*value;

		if (strchr("-._~", c) || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
		    (c >= 'a' && c <= 'z'))
			strbuf_addch(b, (char)c);
		else
			strbuf_addf(b, "%%%02X", c);
	}
}

void auth_add_query(struct strbuf *b, const char *name, const char *value)
{
	strbuf_addch(b, strchr(strbuf_str(b), '?') ? '&' : '?');
	add_pair(b, name, value);
}

void auth_add_form(struct strbuf *b, const char *name, const char *value)
{
	if (b->len)
		strbuf_addch(b, '&');
	add_pair(b, name, value);
}
