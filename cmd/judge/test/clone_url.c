/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/judge/test/clone_url.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/err.h"
#include "runtime/base/str.h"

/* [*ret, *ret + *ret_len): user information, without its "@". False: there is none. */
static bool find_user(const char *text, const char **ret, size_t *ret_len)
{
	static const char *const protocols[] = {"https://", "http://", "git://"};

	for (size_t i = 0; i < sizeof(protocols) / sizeof(protocols[0]); i++) {
		const char *host, *at;

		if (!str_has_prefix(text, protocols[i]))
			continue;
		host = text + strlen(protocols[i]);
		at = memrchr(host, '@', strcspn(host, "/?#"));
		if (!at)
			return false;
		*ret = host;
		*ret_len = (size_t)(at - host);
		return true;
	}
	return false;
}

static int hex(char c)
{
	const char *digits = "0123456789abcdef", *p = c ? strchr(digits, c | 0x20) : NULL;

	return p ? (int)(p - digits) : -1;
}

static char *decode(const char *text, size_t len, struct err *e)
{
	struct strbuf out = STRBUF_INIT;
	bool is_line = true;

	for (size_t i = 0; i < len; i++) {
		int high = text[i] == '%' && i + 2 < len ? hex(text[i + 1]) : -1;
		int low = high < 0 ? -1 : hex(text[i + 2]);
		unsigned char c = (unsigned char)(low < 0 ? text[i] : (char)(high << 4 | low));

		i += low < 0 ? 0 : 2;
		is_line = is_line && c >= ' ' && c != 0x7f;
		strbuf_addch(&out, (char)c);
	}
	if (is_line && strbuf_check(&out, e) >= 0)
		return out.len ? strbuf_take(&out) : strdup("");
	if (!is_line)
		err_set(e, EINVAL, "--clone: a control character in the user or password");
	strbuf_free(&out);
	return NULL;
}

static int take_user(const char *text, const char *user, size_t len, struct clone_url *u,
		     struct err *e)
{
	const char *colon = memchr(user, ':', len), *rest = user + len + 1;
	size_t user_len = colon ? (size_t)(colon - user) : len;

	u->user = decode(user, user_len, e);
	u->password = !u->user ? NULL
		      : colon  ? decode(colon + 1, len - user_len - 1, e)
			       : strdup("");
	if (!u->user || !u->password)
		return e && e->code ? -e->code : -ENOMEM;
	u->url = str_printf("%.*s%s", (int)(user - text), text, rest);
	u->origin =
		str_printf("%.*s%.*s", (int)(user - text), text, (int)strcspn(rest, "/?#"), rest);
	return u->url && u->origin ? 0 : err_oom(e);
}

int clone_url_split(const char *text, struct clone_url *ret, struct err *e)
{
	struct err why = ERR_INIT;
	const char *user;
	size_t len;
	int r;

	*ret = (struct clone_url){0};
	if (find_user(text, &user, &len)) {
		r = take_user(text, user, len, ret, &why);
	} else {
		ret->url = strdup(text);
		r = ret->url ? 0 : err_oom(&why);
	}
	if (r < 0) {
		clone_url_free(ret);
		if (e)
			*e = why;
	}
	return r;
}

void clone_url_free(struct clone_url *u)
{
	free(u->url);
	free(u->origin);
	free(u->user);
	if (u->password)
		explicit_bzero(u->password, strlen(u->password));
	free(u->password);
	*u = (struct clone_url){0};
}

void clone_url_hide(char *text)
{
	const char *user;
	size_t len;

	if (find_user(text, &user, &len))
		memset(text + (user - text), '*', len);
}
