/* SPDX-License-Identifier: Apache-2.0 */
#include "image/registry/auth.h"

#include <stdlib.h>

#include "runtime/base/json/json.h"
#include "runtime/base/err.h"
#include "runtime/base/str.h"

#define ERROR_TEXT_MAX 200u

/* RFC 6750 allows fewer bytes; what matters is that none of them ends a header line. */
static bool is_header_safe(const char *s)
{
	if (!*s)
		return false;
	for (; *s; s++) {
		if (*s <= ' ' || *s >= 0x7f)
			return false;
	}
	return true;
}

int auth_token_parse(const void *text, size_t len, char **ret_token, uint64_t *ret_seconds,
		     struct err *e)
{
	_json_ struct json *doc = NULL;
	const struct json *expires;
	const char *token = NULL;
	int r = json_parse(text, len, AUTH_TOKEN_MAX, &doc, e);

	if (r < 0)
		return r;
	if (!json_is_object(doc))
		return err_set(e, EBADMSG, "not a JSON object");
	r = json_get_str(doc, "token", &token, e);
	if (r >= 0 && (!token || !*token))
		r = json_get_str(doc, "access_token", &token, e);
	if (r < 0)
		return r;
	if (!token || !is_header_safe(token))
		return err_set(e, EBADMSG, token ? "malformed token" : "no token");
	expires = json_member(doc, "expires_in");
	if (!expires || json_whole(expires, ret_seconds) < 0 || *ret_seconds < AUTH_TOKEN_SECONDS)
		*ret_seconds = AUTH_TOKEN_SECONDS;
	*ret_token = strdup(token);
	return *ret_token ? 0 : err_oom(e);
}

static const char *member_text(const struct json *obj, const char *key)
{
	const struct json *v = json_is_object(obj) ? json_member(obj, key) : NULL;

	return v ? json_text(v) : NULL;
}

static void add_cut(struct strbuf *b, const char *s)
{
	size_t n = strlen(s);

	strbuf_add_escaped(b, s, n < ERROR_TEXT_MAX ? n : ERROR_TEXT_MAX);
}

void auth_add_error_text(struct strbuf *b, const void *text, size_t len)
{
	_json_ struct json *doc = NULL;
	const struct json *errors;
	const char *code, *message;

	if (json_parse(text, len, AUTH_TOKEN_MAX, &doc, NULL) < 0 || !json_is_object(doc))
		return;
	errors = json_member(doc, "errors");
	if (!errors || !json_is_array(errors) || !json_first(errors))
		return;
	code = member_text(json_first(errors), "code");
	message = member_text(json_first(errors), "message");
	if (code)
		add_cut(b, code);
	if (message && *message) {
		strbuf_addstr(b, code ? ": " : "");
		add_cut(b, message);
	}
}
