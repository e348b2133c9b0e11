/* SPDX-License-Identifier: Apache-2.0 */
#include "image/registry/priv.h"

#include <stdlib.h>
#include <time.h>

#include "image/table/ref.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"

static bool is_listed(const struct strv *list, const char *registry)
{
	size_t i = 0;

	return registry_list_next(list, registry, &i);
}

/*
 * name: HOST[:PORT]. The lock is made first, so that servers_free() may be called whatever fails.
 */
static int server_init(struct registry *r, struct server *s, const char *name,
		       const char *repository, struct err *e)
{
	_free_ char *text = str_printf("https://%s/", str_eq(name, "docker.io") ? REF_HUB : name);
	int n;

	pthread_mutex_init(&s->lock, NULL);
	s->registry = r;
	s->name = strdup(name);
	s->repository = strdup(repository);
	if (!text || !s->name || !s->repository)
		return err_oom(e);
	n = url_parse(text, &s->url, e);
	if (n >= 0)
		n = certs_load(name, &s->certs, e);
	if (n < 0)
		return n;
	s->certs.tls.no_verify = is_listed(r->o.insecure, name);
	s->may_http = s->certs.tls.no_verify || url_host_is_local(s->url.host);
	s->is_settled = !s->may_http;
	return 0;
}

/* HOST[:PORT][/PREFIX] */
static int mirror_init(struct registry *r, struct server *s, const char *place,
		       const char *repository, struct err *e)
{
	size_t n = strcspn(place, "/"), end = strlen(place);
	_free_ char *host = strndup(place, n), *there = NULL;
	int k;

	while (place[n] == '/')
		n++;
	while (end > n && place[end - 1] == '/')
		end--;
	there = end > n ? str_printf("%.*s/%s", (int)(end - n), place + n, repository)
			: strdup(repository);
	if (!host || !there)
		return err_oom(e);
	s->is_mirror = true;
	k = server_init(r, s, host, there, e);
	return k < 0 ? err_wrap(e, "mirror %s", place) : 0;
}

int servers_init(struct registry *r, const struct image_ref *ref, struct err *e)
{
	const char *name = credentials_canonical(ref->registry), *place;
	size_t n = 1, i = 0;
	int k;

	while (registry_list_next(r->o.mirrors, name, &i))
		n++;
	r->servers = calloc(n, sizeof(*r->servers));
	if (!r->servers)
		return err_oom(e);
	for (i = 0; (place = registry_list_next(r->o.mirrors, name, &i));) {
		k = mirror_init(r, &r->servers[r->n_servers++], place, ref->repository, e);
		if (k < 0)
			return k;
	}
	return server_init(r, &r->servers[r->n_servers++], name, ref->repository, e);
}

static void server_free(struct server *s)
{
	if (s->authorization)
		explicit_bzero(s->authorization, strlen(s->authorization));
	free(s->name);
	free(s->repository);
	url_free(&s->url);
	certs_free(&s->certs);
	pthread_mutex_destroy(&s->lock);
	free(s->challenge.realm);
	free(s->challenge.service);
	free(s->challenge.scope);
	free(s->challenge.error);
	free(s->authorization);
	free(s->credentials_from);
}

void servers_free(struct registry *r)
{
	for (size_t i = 0; i < r->n_servers; i++)
		server_free(&r->servers[i]);
	free(r->servers);
	for (size_t i = 0; i < r->n_idle; i++)
		transport_close(&r->idle[i]);
}

int registry_take_transport(struct registry *r, struct transport **ret, struct err *e)
{
	*ret = NULL;
	pthread_mutex_lock(&r->lock);
	if (r->n_idle)
		*ret = r->idle[--r->n_idle];
	pthread_mutex_unlock(&r->lock);
	return *ret ? 0 : transport_open(ret, e);
}

void registry_give_transport(struct registry *r, struct transport *t)
{
	pthread_mutex_lock(&r->lock);
	if (r->n_idle < REGISTRY_TRANSPORTS_MAX) {
		r->idle[r->n_idle++] = t;
		t = NULL;
	}
	pthread_mutex_unlock(&r->lock);
	transport_close(&t);
}

/*
 * TLS comes first, as docker does it, so that an attacker who cuts the connection to a registry
 * that has TLS gains nothing unless the registry is listed as insecure or on this machine. The
 * request carries no secret.
 */
int server_settle(struct registry *r, struct server *s, struct transport *t, struct err *e)
{
	_http_response_ struct http_response answer = {0};
	struct http_request q = {.method = "GET",
				 .url = &s->url,
				 .max_bytes = 1u << 20,
				 .tls = &s->certs.tls,
				 .limits = registry_limits(r),
				 .cancel = r->o.cancel,
				 .tick = registry_tick,
				 .tick_arg = s};
	int code;

	pthread_mutex_lock(&s->lock);
	if (!s->is_settled) {
		_free_ char *path = strdup("/v2/");

		free(s->url.path);
		s->url.path = take_ptr(path);
		if (q.limits.connect_ms > REGISTRY_SETTLE_MS)
			q.limits.connect_ms = REGISTRY_SETTLE_MS;
		code = s->url.path ? transport_request(t, &q, &answer, e) : -ENOMEM;
		if (code == -EPROTO || code == -ECONNREFUSED || code == -ETIMEDOUT) {
			s->url.https = false;
			if (s->url.port == 443 && !strchr(s->name, ':'))
				s->url.port = 80;
		}
		s->is_settled = code != -ECANCELED;
	}
	pthread_mutex_unlock(&s->lock);
	return s->is_settled ? 0 : err_set(e, ECANCELED, "interrupted");
}
