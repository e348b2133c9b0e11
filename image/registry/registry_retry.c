/* SPDX-License-Identifier: Apache-2.0 */
#include "image/registry/registry_priv.h"

#include <time.h>

#include "image/registry/http_value.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/log.h"

#define BACKOFF_MS 500u
#define PAUSE_MAX_MS 60000u
#define TICK_MS 50u
#define SILENT_MS 10000u

int registry_pause(struct registry *r, uint64_t ms, struct err *e)
{
	for (uint64_t waited = 0; waited < ms; waited += TICK_MS) {
		uint64_t step = ms - waited < TICK_MS ? ms - waited : TICK_MS;
		struct timespec t = {.tv_nsec = (long)step * 1000000};

		if (r->o.cancel && *r->o.cancel)
			return err_set(e, ECANCELED, "interrupted");
		nanosleep(&t, NULL);
	}
	return 0;
}

/* Doubled each time and spread by a quarter, so that a thousand nodes do not come back at once. */
static uint64_t backoff_ms(struct registry *r, unsigned n)
{
	uint64_t ms = (uint64_t)BACKOFF_MS << (n < 8 ? n - 1 : 7);
	unsigned spread = r->jitter * 1103515245u + 12345u;

	r->jitter = spread;
	ms = ms * 3 / 4 + ms / 2 * (spread >> 16 & 0xff) / 256;
	return ms < PAUSE_MAX_MS ? ms : PAUSE_MAX_MS;
}

static bool may_retry(const struct registry *r, int code)
{
	switch (code) {
	case -ECONNRESET:
	case -ETIMEDOUT:
		return true;
	case -ECONNREFUSED:
	case -EHOSTUNREACH:
	case -EPROTO:
		/* A wrong name does not become right; a registry that was there may come back. */
		return r->reached;
	default:
		return false;
	}
}

static bool status_may_change(unsigned status)
{
	return status == 408 || status == 425 || status == 429 || status >= 500;
}

/* How long to wait before asking again; 0: not worth it. */
static uint64_t pause_for(struct registry *r, const struct http_response *answer, unsigned n)
{
	const char *after = http_header(answer, "Retry-After", 0);
	uint64_t ms;

	if (!after || retry_after_parse(after, time(NULL), &ms) < 0)
		return backoff_ms(r, n);
	if (ms > PAUSE_MAX_MS)
		return 0;
	return ms ? ms : 1;
}

int registry_try(struct registry *r, struct server *s, const struct question *q, unsigned n,
		 struct http_response *answer, uint64_t *ret_pause_ms, struct err *e)
{
	int k = server_ask(r, s, q, answer, e);

	*ret_pause_ms = 0;
	if (k < 0) {
		if (may_retry(r, k))
			*ret_pause_ms = backoff_ms(r, n);
		return registry_unreachable(r, s, q, k, e);
	}
	if (answer->status >= 200 && answer->status < 300) {
		r->reached = true;
		return q->check ? q->check(q->arg, answer, e) : 0;
	}
	/* Without a body there is no reason in it: GET will be told, and is what may be repeated.
	 */
	if (str_eq(q->method, "HEAD"))
		return err_set(e, ENODATA, "%s answered %u to HEAD", s->name, answer->status);
	if (status_may_change(answer->status))
		*ret_pause_ms = pause_for(r, answer, n);
	return registry_refused(r, s, q, answer, e);
}

unsigned registry_tries(const struct registry *r, const struct server *s, int code)
{
	if (s->is_mirror)
		return 2;
	if (r->o.tries)
		return r->o.tries;
	return code == -ETIMEDOUT && !r->reached ? REGISTRY_TRIES_SILENT : REGISTRY_TRIES;
}

/* How long a server is waited for that never says a word. */
static uint64_t patience_ms(const struct registry *r, const struct server *s)
{
	unsigned tries = registry_tries(r, s, -ETIMEDOUT);
	uint64_t ms = tries * registry_limits(r).stall_ms + (s->may_http ? REGISTRY_SETTLE_MS : 0);

	for (unsigned n = 1; n < tries; n++)
		ms += n < 8 ? (uint64_t)BACKOFF_MS << (n - 1) : PAUSE_MAX_MS;
	return ms;
}

void registry_ask_begin(struct server *s)
{
	s->heard_ms = registry_clock_ms();
}

void registry_tick(void *arg, const struct http_request *q, bool heard)
{
	struct server *s = arg;
	const struct registry *r = s->registry;
	uint64_t now = registry_clock_ms();
	_free_ char *elsewhere = NULL;

	if (heard)
		s->heard_ms = now;
	if (heard || !r->o.silence || now < s->heard_ms + SILENT_MS ||
	    atomic_flag_test_and_set(&s->told_silent))
		return;
	if (!url_same_origin(q->url, &s->url))
		elsewhere = url_format_origin(q->url);
	r->o.silence(r->o.silence_arg, elsewhere ? elsewhere : s->name, now - s->heard_ms,
		     patience_ms(r, s));
}

/* One server, as often as it takes. */
static int ask_server(struct registry *r, struct server *s, const struct question *q,
		      struct http_response *answer, struct err *e)
{
	registry_ask_begin(s);
	for (unsigned n = 1;; n++) {
		uint64_t pause_ms;
		int k = registry_try(r, s, q, n, answer, &pause_ms, e);

		if (k >= 0 || !pause_ms || n >= registry_tries(r, s, k))
			return k;
		k = registry_pause(r, pause_ms, e);
		if (k < 0)
			return k;
	}
}

int registry_ask(struct registry *r, const struct question *q, struct http_response *answer,
		 struct err *e)
{
	int k = -EIO;

	for (size_t i = 0; i < r->n_servers; i++) {
		struct server *s = &r->servers[i];

		/* What has streamed to a sink cannot be asked for elsewhere: registry_blob.c does.
		 */
		k = ask_server(r, s, q, answer, e);
		if (k >= 0 || k == -ECANCELED)
			return k;
		if (s->is_mirror)
			log_trace("mirror %s: %s", s->name, e ? e->msg : "");
	}
	return k;
}
