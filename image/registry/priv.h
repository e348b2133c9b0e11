/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_REGISTRY_PRIV_H
#define CSBX_IMAGE_REGISTRY_PRIV_H

/*
 * Between the parts of the registry client:
 *
 *	registry.c		what there is to ask: manifests, digests
 *	push.c			what is sent: blobs piece by piece, manifests
 *	blob.c		a blob, resumed where it broke
 *	retry.c	one question to mirrors and registry, again where that may help
 *	http.c		one question to one server: logging in, redirects
 *	token.c	how to log in: credentials and token servers
 *	server.c	the servers of a reference: addresses, certificates, connections
 *	error.c	what an answer means, as a sentence
 */

#include <pthread.h>
#include <stdatomic.h>

#include "image/registry/auth.h"
#include "image/registry/certs.h"
#include "image/credentials/credentials.h"
#include "image/registry/registry.h"
#include "image/registry/transport.h"
#include "image/registry/url.h"

#define REGISTRY_BACKOFF_MS 500u
#define REGISTRY_PAUSE_MAX_MS 60000u
#define REGISTRY_TICK_MS 50u
#define REGISTRY_SILENT_MS 10000u

#define REGISTRY_TRANSPORTS_MAX 64
#define REGISTRY_SETTLE_MS 5000u /* for TLS from a server that may have plain HTTP */

/* One place that has the repository: a mirror, or the registry itself. */
struct server {
	char *name;       /* HOST[:PORT] as users write it */
	char *repository; /* there */
	struct url url;   /* its scheme, host and port; the path is "/" */
	bool is_mirror;
	bool may_http; /* plain HTTP will do */
	struct certs certs;
	pthread_mutex_t lock;            /* of all below */
	bool is_settled;                 /* whether it speaks TLS is known */
	struct auth_challenge challenge; /* the last that was answered */
	char *authorization;  /* the header line that answers it; NULL: none needed so far */
	unsigned logins;      /* how often that changed */
	uint64_t expires_ms;  /* of CLOCK_MONOTONIC; 0: does not */
	bool has_credentials; /* authorization is somebody's, not anonymous */
	char *credentials_from;
	const struct registry *registry;
	_Atomic uint64_t
		heard_ms; /* of CLOCK_MONOTONIC: when it sent something, or was first asked */
	atomic_flag told_silent;
};

struct registry {
	struct registry_options o;
	char *user, *tag;
	char *name; /* "HOST/REPOSITORY:TAG" or "...@sha256:..." for messages */
	struct digest digest;
	struct server *servers; /* mirrors first; the registry is the last */
	size_t n_servers;
	pthread_mutex_t lock; /* of the connections that no process uses */
	struct transport *idle[REGISTRY_TRANSPORTS_MAX];
	size_t n_idle;
	_Atomic bool reached; /* a request has succeeded: a failure now may pass */
	_Atomic unsigned jitter;
};

/* One question; path follows /v2/REPOSITORY. */
struct question {
	const char *method;
	const char *path; /* NULL: /v2/ itself */
	const char *
		location; /* a URL that the server gave, absolute or not, instead of path; or NULL */
	const struct strv *headers; /* further lines; NULL: none */
	const void *data;           /* of a PUT or PATCH: data_len bytes */
	size_t data_len;
	const char *accept; /* NULL: anything */
	const char *range;  /* a header line, NULL: none */
	size_t max_bytes;
	const char *what;          /* "the manifest", "layer sha256:0123..." for messages */
	const struct digest *blob; /* a blob was asked for */
	bool foreign;
	/*
	 * Checks a 2xx answer when it is complete: one that fails counts as the server's failure.
	 */
	int (*check)(void *arg, struct http_response *answer, struct err *e);
	int (*begin)(void *arg, const struct http_response *answer, struct err *e);
	int (*sink)(void *arg, const void *data, size_t len, struct err *e);
	void *arg; /* of all three */
};

uint64_t registry_clock_ms(void);

/* server.c */
int servers_init(struct registry *r, const struct image_ref *ref, struct err *e);
void servers_free(struct registry *r);
int registry_take_transport(struct registry *r, struct transport **ret, struct err *e);
void registry_give_transport(struct registry *r, struct transport *t);
/* Finds out whether a server that may speak plain HTTP does. */
int server_settle(struct registry *r, struct server *s, struct transport *t, struct err *e);
struct transport_limits registry_limits(const struct registry *r);
/* The next item of list ("NAME" or "NAME=VALUE") that names the registry: its text behind the name;
 * *i moves on. */
const char *registry_list_next(const struct strv *list, const char *registry, size_t *i);

/* token.c: answers a challenge; s->lock is held. -EACCES: with what we have, no. */
int server_login(struct registry *r, struct server *s, struct transport *t,
		 const struct auth_challenges *c, struct err *e);
/* A token that is about to expire is fetched anew; s->lock is held. */
int server_refresh(struct registry *r, struct server *s, struct transport *t, struct err *e);

/* http.c: any answer is 0. */
int server_ask(struct registry *r, struct server *s, const struct question *q,
	       struct http_response *answer, struct err *e);

/* retry.c: 0 for a 2xx answer only. The mirrors in turn, then the registry. */
int registry_ask(struct registry *r, const struct question *q, struct http_response *answer,
		 struct err *e);
/* Waits; -ECANCELED. */
int registry_pause(struct registry *r, uint64_t ms, struct err *e);
/* Try number n (from 1) at one server. On failure: how long to wait before the next; 0: no use. */
int registry_try(struct registry *r, struct server *s, const struct question *q, unsigned n,
		 struct http_response *answer, uint64_t *ret_pause_ms, struct err *e);
/* The number of times that a server is asked whose last failure was code. */
unsigned registry_tries(const struct registry *r, const struct server *s, int code);
/* A question to s begins; its silence counts from now. */
void registry_ask_begin(struct server *s);
/* An http_request.tick of a question to the struct server arg. */
void registry_tick(void *arg, const struct http_request *q, bool heard);

/* error.c */
int registry_refused(const struct registry *r, const struct server *s, const struct question *q,
		     const struct http_response *answer, struct err *e);
int registry_unreachable(const struct registry *r, const struct server *s, const struct question *q,
			 int code, struct err *e);

#endif
