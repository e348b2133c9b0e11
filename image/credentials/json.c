/* SPDX-License-Identifier: Apache-2.0 */
#include "image/credentials/credentials.h"

#include <stdlib.h>
#include <strings.h>

#include "runtime/base/json/json.h"
#include "runtime/base/base64.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/json/out.h"

#define WHOLE_DEPTH_MAX 16

/* "https://index.docker.io/v1/" -> "index.docker.io"; the path stays but for the API's version. */
static char *key_name(const char *key)
{
	size_t n;

	if (!strncasecmp(key, "https://", 8))
		key += 8;
	else if (!strncasecmp(key, "http://", 7))
		key += 7;
	n = strlen(key);
	while (n && key[n - 1] == '/')
		n--;
	if (n > 3 && (!strncmp(key + n - 3, "/v1", 3) || !strncmp(key + n - 3, "/v2", 3)))
		n -= 3;
	return strndup(key, n);
}

/* The rank of a key by how much of HOST[/NAMESPACE]... it names: 0 nothing of it, more is
 * nearer. */
static size_t key_rank(const char *key, const struct credentials_query *q)
{
	_free_ char *name = key_name(key);
	char *slash = name ? strchr(name, '/') : NULL;
	size_t n;

	if (!name)
		return 0;
	if (slash)
		*slash = 0;
	if (strcasecmp(credentials_canonical(name), credentials_canonical(q->registry)))
		return 0;
	if (!slash)
		return 1;
	n = strlen(slash + 1);
	if (!q->repository || strncmp(q->repository, slash + 1, n) ||
	    (q->repository[n] && q->repository[n] != '/'))
		return 0;
	return 1 + n;
}

static int copy(const char *s, char **ret, struct err *e)
{
	free(*ret);
	*ret = strdup(s);
	return *ret ? 0 : err_oom(e);
}

/* "user:password" in base64; docker of old times ends it with NULs. */
static int parse_auth(const char *auth, struct credentials *ret, struct err *e)
{
	_strbuf_ struct strbuf plain = STRBUF_INIT;
	char *colon;
	int r = base64_decode(auth, strlen(auth), &plain);

	colon = r < 0 ? NULL : strchr(strbuf_str(&plain), ':');
	if (!colon)
		return err_set(e, EBADMSG, "auth: not user:password in base64");
	*colon = 0;
	r = copy(plain.data, &ret->user, e);
	if (r >= 0)
		r = copy(colon + 1, &ret->password, e);
	explicit_bzero(plain.data, plain.len);
	return r;
}

static int parse_entry(const struct json *v, struct credentials *ret, struct err *e)
{
	const char *auth, *user, *password, *token;
	int r = json_get_str(v, "auth", &auth, e);

	if (r >= 0)
		r = json_get_str(v, "username", &user, e);
	if (r >= 0)
		r = json_get_str(v, "password", &password, e);
	if (r >= 0)
		r = json_get_str(v, "identitytoken", &token, e);
	if (r >= 0 && auth && *auth)
		r = parse_auth(auth, ret, e);
	if (r >= 0 && !ret->user && user && *user && password) {
		r = copy(user, &ret->user, e);
		if (r >= 0)
			r = copy(password, &ret->password, e);
	}
	if (r >= 0 && token && *token)
		r = copy(token, &ret->identity_token, e);
	if (r < 0)
		return r;
	return (ret->password && *ret->password) || ret->identity_token;
}

static const struct json *best_member(const struct json *obj, const struct credentials_query *q)
{
	const struct json *best = NULL;
	size_t best_rank = 0;

	for (const struct json *m = obj ? json_first(obj) : NULL; m; m = json_next(m)) {
		size_t rank = key_rank(json_name(m), q);

		if (rank > best_rank) {
			best_rank = rank;
			best = m;
		}
	}
	return best;
}

static int find_helper(const struct json *doc, const struct credentials_query *q, char **ret,
		       struct err *e)
{
	const struct json *helpers, *found;
	const char *store;
	int r = json_get_object(doc, "credHelpers", &helpers, e);

	if (r >= 0)
		r = json_get_str(doc, "credsStore", &store, e);
	if (r < 0)
		return r;
	found = best_member(helpers, q);
	if (found && !json_text(found))
		return err_set(e, EBADMSG, "credHelpers: not a name");
	if (found)
		store = json_text(found);
	if (!store || !*store)
		return 0;
	r = copy(store, ret, e);
	return r < 0 ? r : 1;
}

static int find_entry(const struct json *doc, const struct credentials_query *q,
		      struct credentials *ret, struct err *e)
{
	const struct json *auths, *entry;
	int r = json_get_object(doc, "auths", &auths, e);

	if (r < 0)
		return r;
	entry = best_member(auths, q);
	if (!entry || !json_is_object(entry))
		return 0;
	r = parse_entry(entry, ret, e);
	if (r > 0 && q->user && (!ret->user || !str_eq(q->user, ret->user)))
		r = 0;
	if (r <= 0)
		credentials_free(ret);
	return r < 0 ? err_wrap(e, "auths") : r;
}

int credentials_from_json(const void *text, size_t len, const struct credentials_query *q,
			  struct credentials *ret, char **ret_helper, struct err *e)
{
	_json_ struct json *doc = NULL;
	int r = json_parse(text, len, CREDENTIALS_FILE_MAX, &doc, e);

	if (r < 0)
		return r;
	if (!json_is_object(doc))
		return err_set(e, EBADMSG, "not a JSON object");
	r = find_helper(doc, q, ret_helper, e);
	return r ? r : find_entry(doc, q, ret, e);
}

/* {"ServerURL", "Username", "Secret"}; the user name <token> marks an identity token. */
int credentials_from_helper(const void *text, size_t len, struct credentials *ret, struct err *e)
{
	_json_ struct json *doc = NULL;
	const char *user, *secret;
	int r = json_parse(text, len, CREDENTIALS_FILE_MAX, &doc, e);

	if (r >= 0 && !json_is_object(doc))
		r = err_set(e, EBADMSG, "not a JSON object");
	if (r >= 0)
		r = json_get_str(doc, "Username", &user, e);
	if (r >= 0)
		r = json_get_str(doc, "Secret", &secret, e);
	if (r < 0)
		return r;
	if (!user || !secret)
		return err_set(e, EBADMSG, "no Username or no Secret");
	if (str_eq(user, "<token>"))
		return copy(secret, &ret->identity_token, e);
	r = copy(user, &ret->user, e);
	return r < 0 ? r : copy(secret, &ret->password, e);
}

static int write_value(struct json_out *j, const struct json *v, int depth, struct err *e)
{
	bool object = json_is_object(v);
	uint64_t whole;
	int r = 0;

	if (depth > WHOLE_DEPTH_MAX)
		return err_set(e, EBADMSG, "nested too deep to be written again");
	if (json_text(v)) {
		json_str(j, json_text(v));
	} else if (json_is_null(v)) {
		json_null(j);
	} else if (json_truth(v) >= 0) {
		json_bool(j, json_truth(v));
	} else if (!json_whole(v, &whole)) {
		json_u64(j, whole);
	} else if (object || json_is_array(v)) {
		object ? json_begin_object(j) : json_begin_array(j);
		for (const struct json *m = json_first(v); m && r >= 0; m = json_next(m)) {
			if (object)
				json_key(j, json_name(m));
			r = write_value(j, m, depth + 1, e);
		}
		object ? json_end_object(j) : json_end_array(j);
	} else {
		return err_set(e, EBADMSG, "holds a number that would not be written as it is");
	}
	return r;
}

static void write_entry(struct json_out *j, const char *registry, const struct credentials *c)
{
	_strbuf_ struct strbuf plain = STRBUF_INIT, auth = STRBUF_INIT;

	strbuf_addf(&plain, "%s:%s", c->user, c->password);
	base64_encode(strbuf_str(&plain), plain.len, &auth);
	if (plain.failed || auth.failed)
		j->buf.failed = true;
	json_key(j, registry);
	json_begin_object(j);
	json_kstr(j, "auth", strbuf_str(&auth));
	json_end_object(j);
	if (plain.data)
		explicit_bzero(plain.data, plain.len);
	if (auth.data)
		explicit_bzero(auth.data, auth.len);
}

/* 1 when the registry itself, not a namespace of it, was among them. */
static int write_auths(struct json_out *j, const struct json *auths, const char *registry,
		       const struct credentials *c, struct err *e)
{
	const struct credentials_query q = {.registry = registry};
	int found = 0, r = 0;

	json_key(j, "auths");
	json_begin_object(j);
	for (const struct json *m = auths ? json_first(auths) : NULL; m && r >= 0;
	     m = json_next(m)) {
		if (key_rank(json_name(m), &q)) {
			found = 1;
			continue;
		}
		json_key(j, json_name(m));
		r = write_value(j, m, 0, e);
	}
	if (c)
		write_entry(j, registry, c);
	json_end_object(j);
	return r < 0 ? r : found;
}

int credentials_edit_json(const void *text, size_t len, const char *registry,
			  const struct credentials *c, struct strbuf *out, struct err *e)
{
	_json_ struct json *doc = NULL;
	struct json_out j = {.pretty = true};
	const struct json *auths = NULL;
	int r = json_parse(len ? text : "{}", len ? len : 2, CREDENTIALS_FILE_MAX, &doc, e),
	    found = 0;

	if (r >= 0 && !json_is_object(doc))
		r = err_set(e, EBADMSG, "not a JSON object");
	if (r >= 0)
		r = json_get_object(doc, "auths", &auths, e);
	if (r < 0)
		return r;
	json_begin_object(&j);
	for (const struct json *m = json_first(doc); m && r >= 0; m = json_next(m)) {
		if (str_eq(json_name(m), "auths"))
			continue;
		json_key(&j, json_name(m));
		r = write_value(&j, m, 0, e);
	}
	if (r >= 0)
		r = found = write_auths(&j, auths, registry, c, e);
	json_end_object(&j);
	if (r >= 0)
		r = json_finish(&j, e);
	if (r >= 0) {
		strbuf_add(out, j.buf.data, j.buf.len);
		strbuf_addch(out, '\n');
		r = strbuf_check(out, e);
	}
	if (j.buf.data)
		explicit_bzero(j.buf.data, j.buf.len);
	json_out_free(&j);
	return r < 0 ? r : found;
}
