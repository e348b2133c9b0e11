/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/enroot/conf/conf.h"

#include <stdlib.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"

#define WARNINGS_MAX 20u

/* --- text --------------------------------------------------------------------------------- */

struct scope {
	const struct enroot_conf *conf;
	const struct enroot_conf_env *env;
};

/* The environment, then what lines before this one set. */
static const char *lookup(void *ctx, const char *name)
{
	const struct scope *s = ctx;
	const char *value = s->env->get ? s->env->get(s->env->ctx, name) : NULL;
	const struct enroot_setting *before = value ? NULL : enroot_conf_find(s->conf, name);

	return before ? before->value : value;
}

static const char *user(void *ctx)
{
	const struct scope *s = ctx;

	return s->env->user ? s->env->user(s->env->ctx) : NULL;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static bool is_name(char c)
{
	return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9');
}

static int unknown_key(struct enroot_conf *c, const char *place, const char *key, size_t len)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;

	if (c->warnings.n > WARNINGS_MAX)
		return 0;
	if (c->warnings.n == WARNINGS_MAX) {
		strv_add(&c->warnings, "and more unknown keys");
		return 0;
	}
	strbuf_addf(&text, "%s: unknown key '", place);
	strbuf_add_escaped(&text, key, len < 64 ? len : 64);
	strbuf_addstr(&text, "' is passed over");
	if (text.failed)
		return -ENOMEM;
	strv_add(&c->warnings, text.data);
	return 0;
}

static int parse_line(struct enroot_conf *c, const struct enroot_conf_env *env, const char *place,
		      const char *p, size_t len, struct err *e)
{
	struct scope scope = {c, env};
	const struct enroot_conf_env inner = {lookup, user, &scope, env->uid};
	_strbuf_ struct strbuf value = STRBUF_INIT;
	_free_ char *key = NULL;
	size_t n = 0, at;
	int r;

	while (len && is_blank(*p))
		p++, len--;
	if (!len || *p == '#')
		return 0;
	while (n < len && is_name(p[n]))
		n++;
	at = n;
	if (at < len && p[at] == '=')
		at++;
	else
		while (at < len && is_blank(p[at]))
			at++;
	if (!n || at == n)
		return err_set(e, EINVAL, "%s: not a line of KEY VALUE", place);
	if (!enroot_conf_key_is_known(p, n))
		return unknown_key(c, place, p, n) < 0 ? err_oom(e) : 0;
	key = strndup(p, n);
	if (!key)
		return err_oom(e);
	r = enroot_conf_expand(&inner, place, p + at, len - at, &value, e);
	return r < 0 ? r : enroot_conf_set(c, key, strbuf_str(&value), place, e);
}

int enroot_conf_parse(struct enroot_conf *c, const struct enroot_conf_env *env, const char *file,
		      const char *buf, size_t len, struct err *e)
{
	unsigned number = 0;

	while (len) {
		const char *end = memchr(buf, '\n', len);
		size_t n = end ? (size_t)(end - buf) : len;
		_free_ char *place = str_printf("%s:%u", file, ++number);
		int r = place ? 0 : err_oom(e);

		if (r >= 0 && memchr(buf, 0, n))
			r = err_set(e, EINVAL, "%s: a NUL byte", place);
		if (r >= 0)
			r = parse_line(c, env, place, buf, n, e);
		if (r < 0)
			return r;
		n += end != NULL;
		buf += n;
		len -= n;
	}
	return strv_check(&c->warnings, e);
}
