/* SPDX-License-Identifier: Apache-2.0 */
#include "image/registry/priv.h"

#include <stdlib.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"

#define REDIRECTS_MAX 5
#define LOGINS_MAX 2 /* the first for a challenge; the second for a token that just expired */

/* One question on its way: its address now, and the user it is asked as. */
struct trip {
	struct registry *r;
	struct server *s;
	const struct question *q;
	struct transport *t;
	struct url url;
	bool at_origin; /* still at the server itself: it may know who we are */
	unsigned logins_seen;
};

/* The place where an upload goes on: the server, or a storage behind it. */
static int set_location(struct trip *p, struct err *e)
{
	_url_ struct url to = {0};
	int k = url_resolve(&p->s->url, p->q->location, &to, e);

	if (k >= 0)
		k = url_may_go(&p->s->url, &to, e);
	if (k < 0)
		return err_wrap(e, "%s names a place for the upload", p->s->name);
	url_free(&p->url);
	p->at_origin = url_same_origin(&to, &p->s->url);
	p->url = to;
	to = (struct url){0};
	return 0;
}

static int set_url(struct trip *p, struct err *e)
{
	_free_ char *origin = url_format_origin(&p->s->url), *text = NULL;

	if (p->q->location)
		return set_location(p, e);
	if (p->q->path)
		text = str_printf("%s/v2/%s/%s", origin, p->s->repository, p->q->path);
	else
		text = str_printf("%s/v2/", origin);
	if (!origin || !text)
		return err_oom(e);
	url_free(&p->url);
	p->at_origin = true;
	return url_parse(text, &p->url, e);
}

/* Adds our credentials for the server; a token about to expire is replaced before it is used. */
static int add_authorization(struct trip *p, struct strv *headers, struct err *e)
{
	struct server *s = p->s;
	int k = 0;

	if (!p->at_origin)
		return 0;
	pthread_mutex_lock(&s->lock);
	if (s->expires_ms && registry_clock_ms() >= s->expires_ms)
		k = server_refresh(p->r, s, p->t, e);
	if (k >= 0 && s->authorization)
		strv_add(headers, s->authorization);
	p->logins_seen = s->logins;
	pthread_mutex_unlock(&s->lock);
	return k;
}

static int send(struct trip *p, struct http_response *answer, struct err *e)
{
	const struct question *q = p->q;
	_strv_ struct strv headers = STRV_INIT;
	struct http_request request = {.method = q->method,
				       .url = &p->url,
				       .headers = &headers,
				       .data = q->data,
				       .data_len = q->data_len,
				       .max_bytes = q->max_bytes,
				       .tls = p->at_origin ? &p->s->certs.tls : NULL,
				       .limits = registry_limits(p->r),
				       .begin = q->begin,
				       .sink = q->sink,
				       .arg = q->arg,
				       .cancel = p->r->o.cancel,
				       .tick = registry_tick,
				       .tick_arg = p->s};
	struct transport_tls elsewhere = {0};
	int k = add_authorization(p, &headers, e);

	if (!p->at_origin)
		request.tls = &elsewhere;
	if (q->accept)
		strv_add(&headers, q->accept);
	if (q->range)
		strv_add(&headers, q->range);
	for (size_t i = 0; q->headers && i < q->headers->n; i++)
		strv_add(&headers, q->headers->items[i]);
	if (k >= 0)
		k = strv_check(&headers, e);
	return k < 0 ? k : transport_request(p->t, &request, answer, e);
}

/* 401: asks for a token or takes the password; another thread may have done so already. */
static int log_in(struct trip *p, const struct http_response *answer, struct err *e)
{
	_auth_challenges_ struct auth_challenges c = {0};
	const char *value;
	int k = 0;

	for (size_t i = 0; k >= 0 && (value = http_answer_header(answer, "WWW-Authenticate", i));
	     i++)
		k = auth_challenges_parse(&c, value, e);
	if (k < 0)
		return err_wrap(e, "%s", p->s->name);
	pthread_mutex_lock(&p->s->lock);
	if (p->s->logins == p->logins_seen)
		k = server_login(p->r, p->s, p->t, &c, e);
	pthread_mutex_unlock(&p->s->lock);
	return k;
}

static bool is_redirect(unsigned status)
{
	return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

/*
 * Storage behind a registry is another host with a signed URL: our credentials for the registry are
 * not for that server. Once away, a redirect back does not bring it back.
 */
static int follow(struct trip *p, const struct http_response *answer, struct err *e)
{
	const char *location = http_answer_header(answer, "Location", 0);
	_url_ struct url to = {0};
	_free_ char *origin = NULL;
	int k;

	if (!location)
		return err_set(e, EPROTO, "%s redirects to nowhere (%u without Location)",
			       p->s->name, answer->status);
	k = url_resolve(&p->url, location, &to, e);
	if (k < 0)
		return err_wrap(e, "%s redirects to", p->s->name);
	origin = url_format_origin(&to);
	k = url_may_go(&p->url, &to, e);
	if (k < 0)
		return err_wrap(e, "%s redirects to %s, which is not followed", p->s->name,
				origin ? origin : "");
	p->at_origin = p->at_origin && url_same_origin(&to, &p->s->url);
	url_free(&p->url);
	p->url = to;
	to = (struct url){0};
	return 0;
}

static int run(struct trip *p, struct http_response *answer, struct err *e)
{
	unsigned redirects = 0, logins = 0;

	for (;;) {
		int k = send(p, answer, e);

		if (k < 0)
			return k;
		if (answer->status == 401 && p->at_origin && logins++ < LOGINS_MAX) {
			k = log_in(p, answer, e);
			if (k >= 0)
				k = set_url(p, e);
		} else if (is_redirect(answer->status)) {
			if (redirects++ == REDIRECTS_MAX)
				return err_set(e, ELOOP, "%s redirects more than %d times",
					       p->s->name, REDIRECTS_MAX);
			k = follow(p, answer, e);
		} else {
			return 0;
		}
		if (k < 0)
			return k;
	}
}

int server_ask(struct registry *r, struct server *s, const struct question *q,
	       struct http_response *answer, struct err *e)
{
	struct trip p = {.r = r, .s = s, .q = q};
	int k = registry_take_transport(r, &p.t, e);

	if (k < 0)
		return k;
	k = server_settle(r, s, p.t, e);
	if (k >= 0)
		k = set_url(&p, e);
	if (k >= 0)
		k = run(&p, answer, e);
	url_free(&p.url);
	registry_give_transport(r, p.t);
	return k;
}
