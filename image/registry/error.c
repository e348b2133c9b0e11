/* SPDX-License-Identifier: Apache-2.0 */
#include "image/registry/priv.h"

#include "runtime/base/err.h"
#include "runtime/base/fd.h"

/* "HOST answered 404 (MANIFEST_UNKNOWN: manifest unknown)" */
static void add_answer(struct strbuf *b, const struct server *s, const struct http_response *answer)
{
	_strbuf_ struct strbuf said = STRBUF_INIT;

	auth_add_error_text(&said, strbuf_str(&answer->body), answer->body.len);
	strbuf_addf(b, "%s answered %u", s->name, answer->status);
	if (said.len)
		strbuf_addf(b, " (%s)", strbuf_str(&said));
}

static int refused_login(const struct registry *r, const struct server *s, const char *said,
			 struct err *e)
{
	if (!s->has_credentials)
		return err_set(e, EACCES,
			       "%s: %s; it does not exist or needs a login: csbx login %s", r->name,
			       said, s->name);
	return err_set(e, EACCES,
		       "%s: %s; the user of %s may not read it, or the password is wrong: "
		       "csbx login %s",
		       r->name, said, s->credentials_from ? s->credentials_from : "the login",
		       s->name);
}

static int not_found(const struct registry *r, const struct question *q, const char *said,
		     struct err *e)
{
	if (!q->blob)
		return err_from(
			ERR_NO_MANIFEST, e,
			err_set(e, ENOENT, "%s: %s; check the name and the tag", r->name, said));
	if (q->foreign)
		return err_set(e, ENOENT,
			       "%s: %s: %s; the manifest keeps this layer outside the registry "
			       "(urls), and csbx does not fetch from there",
			       r->name, q->what, said);
	return err_set(e, ENOENT, "%s: %s: %s; the image is incomplete there: push it again",
		       r->name, q->what, said);
}

int registry_refused(const struct registry *r, const struct server *s, const struct question *q,
		     const struct http_response *answer, struct err *e)
{
	const char *after = http_answer_header(answer, "Retry-After", 0);
	_strbuf_ struct strbuf said = STRBUF_INIT;

	add_answer(&said, s, answer);
	switch (answer->status) {
	case 401:
	case 403:
		return refused_login(r, s, strbuf_str(&said), e);
	case 404:
		return not_found(r, q, strbuf_str(&said), e);
	case 429:
		return err_set(
			e, EBUSY, "%s: %s: too many requests%s%.40s; try later%s%s", r->name,
			strbuf_str(&said), after ? ", it asks to wait " : "", after ? after : "",
			s->has_credentials ? "" : ", or log in for a higher limit: csbx login ",
			s->has_credentials ? "" : s->name);
	default:
		return err_set(e, EIO, "%s: %s: %s; %s", r->name, q->what, strbuf_str(&said),
			       answer->status >= 500 ? "the registry is in trouble: try later"
						     : "is it a registry?");
	}
}

static void advise(const struct server *s, int code, struct err *e)
{
	switch (code) {
	case -EHOSTUNREACH:
		err_append(e, "check the name of the registry");
		break;
	case -ECONNREFUSED:
		err_append(e, "nothing listens there");
		break;
	case -EPROTO:
		if (s->may_http)
			err_append(e, "is it a registry?");
		else
			err_append(e, "if it speaks plain HTTP: --insecure-registry %s", s->name);
		break;
	case -EKEYREJECTED:
		if (e && e->origin == ERR_TLS_CLIENT)
			err_append(e,
				   "it wants a client certificate: put client.cert and client.key "
				   "into "
				   "~/.config/containers/certs.d/%s",
				   s->name);
		else
			err_append(e,
				   "put its authority's certificate into "
				   "~/.config/containers/certs.d/%s "
				   "or --insecure-registry %s",
				   s->name, s->name);
		break;
	case -ETIMEDOUT:
		err_append(e, "try later, or with a longer --registry-timeout");
		break;
	case -ECONNRESET:
		err_append(e, "try again");
		break;
	}
}

int registry_unreachable(const struct registry *r, const struct server *s, const struct question *q,
			 int code, struct err *e)
{
	if (code == -ECANCELED)
		return code;
	err_wrap(e, "%s: %s", r->name, q->what);
	advise(s, code, e);
	return code;
}
