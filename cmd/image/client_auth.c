/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/image/client_auth.h"

#include <string.h>

#include "runtime/base/base64.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/json/json.h"
#include "runtime/base/str.h"

/* The alphabet of URLs, with or without padding (RFC 4648, section 5), as both. */
static int decode(const char *text, struct strbuf *ret)
{
	_strbuf_ struct strbuf plain = STRBUF_INIT;

	for (; *text && *text != '='; text++)
		strbuf_addch(&plain, *text == '-' ? '+' : *text == '_' ? '/' : *text);
	while (plain.len % 4)
		strbuf_addch(&plain, '=');
	return base64_decode(strbuf_str(&plain), plain.len, ret);
}

char *client_auth_host(const char *address)
{
	if (str_has_prefix(address, "https://"))
		address += strlen("https://");
	else if (str_has_prefix(address, "http://"))
		address += strlen("http://");
	if (str_has_prefix(address, "index.docker.io") || !*address)
		address = "docker.io";
	return str_printf("%.*s", (int)strcspn(address, "/"), address);
}

const char *client_auth_text(const struct json *obj, const char *key)
{
	const struct json *m = NULL;

	if (json_get_any_case(obj, key, &m, NULL) < 0 || !m || !json_text(m) || !*json_text(m))
		return NULL;
	return json_text(m);
}

/* Names and passwords that no "NAME:PASSWORD" can carry are refused. */
static int take_words(const struct json *obj, const char *registry, char **ret, struct err *e)
{
	const char *user = client_auth_text(obj, "username"),
		   *password = client_auth_text(obj, "password");
	const char *coded = client_auth_text(obj, "auth");
	_strbuf_ struct strbuf pair = STRBUF_INIT;

	if (client_auth_text(obj, "identitytoken") || client_auth_text(obj, "registrytoken"))
		return err_set(e, EOPNOTSUPP,
			       "csbx takes a user and a password for a registry, not a token: "
			       "docker logout and docker login there with a password");
	if (!user && coded && decode(coded, &pair) < 0)
		return err_set(e, EBADMSG, "the registry's auth is not base64");
	if (!user && !pair.len)
		return 0;
	if (user && strchr(user, ':'))
		return err_set(e, EINVAL, "a registry's user name has no ':'");
	*ret = user ? str_printf("%s=%s:%s", registry, user, password ? password : "")
		    : str_printf("%s=%s", registry, strbuf_str(&pair));
	return *ret ? 0 : err_oom(e);
}

/* NULL in *ret: the header says nothing. */
static int read_header(const char *header, const char *name, struct json **ret, struct err *e)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;
	int r = 0;

	*ret = NULL;
	if (!header || !*header)
		return 0;
	if (decode(header, &text) < 0)
		return err_set(e, EBADMSG, "%s is not base64", name);
	if (text.len)
		r = json_parse(strbuf_str(&text), text.len, CLIENT_AUTH_MAX, ret, e);
	if (r >= 0 && *ret && !json_is_null(*ret) && !json_is_object(*ret))
		r = err_set(e, EBADMSG, "%s is no JSON object", name);
	explicit_bzero(text.data, text.len);
	return r;
}

int client_auth_one(const char *header, const char *registry, char **ret, struct err *e)
{
	_json_ struct json *doc = NULL;
	int r = read_header(header, "X-Registry-Auth", &doc, e);

	*ret = NULL;
	return r < 0 || !doc || json_is_null(doc) ? r : take_words(doc, registry, ret, e);
}

static int add_entry(const struct json *m, struct strbuf *lines, struct err *e)
{
	_free_ char *host = client_auth_host(json_name(m)), *words = NULL;
	int r = host ? 0 : err_oom(e);

	if (r >= 0 && !json_is_object(m))
		return err_set(e, EBADMSG, "X-Registry-Config: %s is no object", json_name(m));
	if (r >= 0)
		r = take_words(m, host, &words, e);
	if (r == -EOPNOTSUPP)
		return 0;
	if (r >= 0 && words && strchr(words, '\n'))
		return err_set(e, EINVAL, "a registry's user and password have no newline");
	if (r >= 0 && words)
		strbuf_addf(lines, "%s\n", words);
	return r;
}

int client_auth_map(const char *header, char **ret, struct err *e)
{
	_json_ struct json *doc = NULL;
	_strbuf_ struct strbuf lines = STRBUF_INIT;
	int r = read_header(header, "X-Registry-Config", &doc, e);

	*ret = NULL;
	if (r < 0 || !doc || json_is_null(doc))
		return r;
	for (const struct json *m = json_first(doc); r >= 0 && m; m = json_next(m))
		r = add_entry(m, &lines, e);
	if (r < 0 || !lines.len)
		return r;
	*ret = strbuf_take(&lines);
	return *ret ? 0 : err_oom(e);
}
