/* SPDX-License-Identifier: Apache-2.0 */
#include "image/registry/priv.h"

#include <stdlib.h>

#include "runtime/base/base64.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"

/*
 * A registry answers 401 and says how to log in. Basic: user and password with every request.
 * Bearer: they, or nothing for an anonymous token, go to the token server named by `realm`, and
 * the token it gives goes with every request. A registry could name any server: the password
 * goes to one at another origin only when that one is known to belong to the registry, has
 * credentials of its own in the user's files, or was allowed by the user.
 */

#define EXPIRY_MARGIN_MS 5000u

static const struct {
	const char *registry, *token_host;
} known_token_servers[] = {
	{"docker.io", "auth.docker.io"},
	{"nvcr.io", "authn.nvidia.com"},
	{"registry.gitlab.com", "gitlab.com"},
};

static int basic_header(const struct credentials *c, char **ret, struct err *e)
{
	_strbuf_ struct strbuf plain = STRBUF_INIT, coded = STRBUF_INIT;

	strbuf_addf(&plain, "%s:%s", c->user ? c->user : "", c->password ? c->password : "");
	base64_encode(strbuf_str(&plain), plain.len, &coded);
	*ret = plain.failed || coded.failed
		       ? NULL
		       : str_printf("Authorization: Basic %s", strbuf_str(&coded));
	if (plain.data)
		explicit_bzero(plain.data, plain.len);
	if (coded.data)
		explicit_bzero(coded.data, coded.len);
	return *ret ? 0 : err_oom(e);
}

static char *host_and_port(const struct url *u)
{
	if (u->port == (u->https ? 443 : 80))
		return strdup(u->host);
	return str_printf("%s:%u", u->host, u->port);
}

/* True when the registry's own password may go to the realm. */
static bool is_trusted(const struct registry *r, const struct server *s, const struct url *realm,
		       const char *realm_name)
{
	const char *allowed;
	size_t i = 0;

	if (url_same_origin(&s->url, realm))
		return true;
	if (!realm->https && s->url.https)
		return false;
	while ((allowed = registry_list_next(r->o.token_servers, s->name, &i))) {
		if (str_eq(allowed, realm_name))
			return true;
	}
	for (i = 0; i < sizeof(known_token_servers) / sizeof(known_token_servers[0]); i++) {
		if (str_eq(known_token_servers[i].registry, s->name) && realm->https &&
		    str_eq(known_token_servers[i].token_host, realm_name))
			return true;
	}
	return false;
}

static int find(const struct registry *r, const struct server *s, const char *name,
		struct credentials *ret, struct err *e)
{
	struct credentials_query q = {.registry = name,
				      .repository = s->repository,
				      .user = s->is_mirror ? NULL : r->user,
				      .given = r->o.auth,
				      .authfile = r->o.authfile,
				      .cancel = r->o.cancel};

	return credentials_find(&q, ret, e);
}

static int no_password(const struct registry *r, const struct server *s, struct err *e)
{
	return err_set(e, EACCES, "no password for user %s at %s; csbx login -u %s %s", r->user,
		       s->name, r->user, s->name);
}

/* 1 and credentials for the token server, 0: anonymous. */
static int find_for_realm(const struct registry *r, const struct server *s, const struct url *realm,
			  struct credentials *ret, struct err *e)
{
	_free_ char *name = host_and_port(realm);
	_credentials_ struct credentials c = {0};
	int k;

	if (!name)
		return err_oom(e);
	k = find(r, s, s->name, &c, e);
	if (k > 0 && !is_trusted(r, s, realm, name)) {
		credentials_free(&c);
		k = find(r, s, name, &c, e);
		if (!k)
			return err_set(e, EPERM,
				       "%s wants its password sent to %s; if that is right, "
				       "set CSBX_REGISTRY_TOKEN_SERVER %s=%s",
				       s->name, name, s->name, name);
	} else if (!k && !url_same_origin(&s->url, realm)) {
		k = find(r, s, name, &c, e);
	}
	if (!k && r->user && !s->is_mirror)
		return no_password(r, s, e);
	if (k > 0) {
		*ret = c;
		c = (struct credentials){0};
	}
	return k;
}

/*
 * The scope that was asked for, or what reading needs (docker's token specification); for a
 * registry as such, "" stands for none.
 */
static char *scope_of(const struct server *s, const struct auth_challenge *c)
{
	if (!c->scope && !*s->repository)
		return strdup("");
	return c->scope ? strdup(c->scope) : str_printf("repository:%s:pull", s->repository);
}

static int build_get(const struct url *realm, const struct auth_challenge *c, const char *scope,
		     const struct credentials *who, struct url *ret, struct err *e)
{
	_free_ char *text = url_format(realm);
	_strbuf_ struct strbuf b = STRBUF_INIT;

	strbuf_addstr(&b, text ? text : "");
	if (c->service)
		auth_add_query(&b, "service", c->service);
	if (*scope)
		auth_add_query(&b, "scope", scope);
	auth_add_query(&b, "client_id", "csbx");
	if (who->user)
		auth_add_query(&b, "account", who->user);
	if (!text || strbuf_check(&b, e) < 0)
		return err_oom(e);
	return url_parse(b.data, ret, e);
}

static int build_post(const struct auth_challenge *c, const char *scope,
		      const struct credentials *who, struct strbuf *form, struct err *e)
{
	auth_add_form(form, "grant_type", "refresh_token");
	if (c->service)
		auth_add_form(form, "service", c->service);
	if (*scope)
		auth_add_form(form, "scope", scope);
	auth_add_form(form, "client_id", "csbx");
	auth_add_form(form, "refresh_token", who->identity_token);
	return strbuf_check(form, e);
}

static int token_refused(const struct server *s, const struct url *realm,
			 const struct http_response *answer, bool anonymous, struct err *e)
{
	_strbuf_ struct strbuf said = STRBUF_INIT;
	_free_ char *origin = url_format_origin(realm);

	auth_add_error_text(&said, strbuf_str(&answer->body), answer->body.len);
	err_set(e, answer->status == 401 || answer->status == 403 ? EACCES : EIO,
		"%s: its token server %s answered %u%s%s", s->name, origin ? origin : "",
		answer->status, said.len ? " " : "", strbuf_str(&said));
	if (answer->status == 401 || answer->status == 403)
		err_append(e,
			   anonymous ? "csbx login %s"
				     : "the password is wrong or expired: csbx login %s",
			   s->name);
	return answer->status == 401 || answer->status == 403 ? -EACCES : -EIO;
}

/* One request; a token server that sends us elsewhere is followed nowhere with credentials. */
static int request_token(struct registry *r, struct server *s, struct transport *t,
			 const struct url *realm, const struct auth_challenge *c,
			 const struct credentials *who, struct http_response *answer, struct err *e)
{
	_free_ char *scope = scope_of(s, c), *basic = NULL;
	_strbuf_ struct strbuf form = STRBUF_INIT;
	_strv_ struct strv headers = STRV_INIT;
	_url_ struct url get = {0};
	bool post = who->identity_token;
	struct http_request q = {.method = post ? "POST" : "GET",
				 .url = post ? realm : &get,
				 .headers = &headers,
				 .max_bytes = AUTH_TOKEN_MAX,
				 .tls = url_same_origin(realm, &s->url) ? &s->certs.tls : NULL,
				 .limits = registry_limits(r),
				 .cancel = r->o.cancel,
				 .tick = registry_tick,
				 .tick_arg = s};
	struct certs certs = {0};
	_free_ char *name = host_and_port(realm);
	int k = scope && name ? 0 : err_oom(e);

	if (k >= 0)
		k = post ? build_post(c, scope, who, &form, e)
			 : build_get(realm, c, scope, who, &get, e);
	if (k >= 0 && !post && who->user)
		k = basic_header(who, &basic, e);
	if (k >= 0 && !q.tls) {
		k = certs_load(name, &certs, e);
		q.tls = &certs.tls;
	}
	q.body = strbuf_str(&form);
	if (basic)
		strv_add(&headers, basic);
	if (k >= 0)
		k = strv_check(&headers, e);
	if (k >= 0)
		k = transport_request(t, &q, answer, e);
	certs_free(&certs);
	return k < 0 ? err_wrap(e, "token server %s of %s", name ? name : "", s->name) : 0;
}

static int fetch_token(struct registry *r, struct server *s, struct transport *t,
		       const struct auth_challenge *c, struct err *e)
{
	_http_response_ struct http_response answer = {0};
	_credentials_ struct credentials who = {0};
	_url_ struct url realm = {0};
	_free_ char *token = NULL;
	uint64_t seconds;
	int k = url_parse(c->realm, &realm, e);

	if (k >= 0)
		k = url_may_go(&s->url, &realm, e);
	if (k < 0)
		return err_wrap(e, "%s names a token server that is not asked", s->name);
	k = find_for_realm(r, s, &realm, &who, e);
	if (k >= 0)
		k = request_token(r, s, t, &realm, c, &who, &answer, e);
	if (k < 0)
		return k;
	if (answer.status != 200)
		return token_refused(s, &realm, &answer, !who.from, e);
	k = auth_token_parse(strbuf_str(&answer.body), answer.body.len, &token, &seconds, e);
	if (k < 0)
		return err_wrap(e, "token server of %s", s->name);
	free(s->authorization);
	s->authorization = str_printf("Authorization: Bearer %s", token);
	s->expires_ms = registry_clock_ms() + seconds * 1000 - EXPIRY_MARGIN_MS;
	s->has_credentials = who.from;
	free(s->credentials_from);
	s->credentials_from = take_ptr(who.from);
	return s->authorization ? 0 : err_oom(e);
}

static int use_basic(struct registry *r, struct server *s, struct err *e)
{
	_credentials_ struct credentials who = {0};
	int k;

	if (!s->url.https && !s->may_http)
		return err_set(e, EPERM, "%s asks for a password without TLS", s->name);
	k = find(r, s, s->name, &who, e);
	if (!k && r->user && !s->is_mirror)
		return no_password(r, s, e);
	if (k <= 0)
		return k < 0 ? k
			     : err_set(e, EACCES, "%s asks for a password; csbx login %s", s->name,
				       s->name);
	if (!who.password)
		return err_set(e, EACCES,
			       "%s asks for a password, and %s has an identity token only", s->name,
			       who.from);
	free(s->authorization);
	s->authorization = NULL;
	s->expires_ms = 0;
	s->has_credentials = true;
	free(s->credentials_from);
	s->credentials_from = take_ptr(who.from);
	return basic_header(&who, &s->authorization, e);
}

static int copy_challenge(const struct auth_challenge *from, struct auth_challenge *to)
{
	*to = (struct auth_challenge){
		.scheme = from->scheme,
		.realm = from->realm ? strdup(from->realm) : NULL,
		.service = from->service ? strdup(from->service) : NULL,
		.scope = from->scope ? strdup(from->scope) : NULL,
	};
	return !from->realm == !to->realm && !from->service == !to->service &&
			       !from->scope == !to->scope
		       ? 0
		       : -ENOMEM;
}

int server_refresh(struct registry *r, struct server *s, struct transport *t, struct err *e)
{
	int k = s->challenge.scheme == AUTH_BEARER ? fetch_token(r, s, t, &s->challenge, e)
						   : use_basic(r, s, e);

	if (k >= 0)
		s->logins++;
	return k;
}

int server_login(struct registry *r, struct server *s, struct transport *t,
		 const struct auth_challenges *c, struct err *e)
{
	const struct auth_challenge *one = auth_choose(c);

	if (!one)
		return err_set(e, EACCES,
			       "%s wants a way of logging in that is not supported "
			       "(only Bearer and Basic are)",
			       s->name);
	free(s->challenge.realm);
	free(s->challenge.service);
	free(s->challenge.scope);
	if (copy_challenge(one, &s->challenge) < 0)
		return err_oom(e);
	return server_refresh(r, s, t, e);
}
