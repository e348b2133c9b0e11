/* SPDX-License-Identifier: Apache-2.0 */
#include "image/registry/priv.h"

#include <time.h>

#include "image/registry/http_value.h"
#include "runtime/base/err.h"
#include "runtime/base/log.h"

int registry_pause(struct registry *r, uint64_t ms, struct err *e)
{
	for (uint64_t waited = 0; waited < ms; waited += REGISTRY_TICK_MS) {
		uint64_t step = ms - waited < REGISTRY_TICK_MS ? ms - waited : REGISTRY_TICK_MS;
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
	uint64_t ms = (uint64_t)REGISTRY_BACKOFF_MS << (n < 8 ? n - 1 : 7);
	unsigned spread = r->jitter * 1103515245u + 12345u;

	r->jitter = spread;
	ms = ms * 3 / 4 + ms / 2 * (spread >> 16 & 0xff) / 256;
	return ms < REGISTRY_PAUSE_MAX_MS ? ms : REGISTRY_PAUSE_MAX_MS;
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

/* The time to wait before asking again; 0: asking again is not worth it. */
static uint64_t pause_for(struct registry *r, const struct http_response *answer, unsigned n)
{
	const char *after = http_answer_header(answer, "Retry-After", 0);
	uint64_t ms;

	if (!after || retry_after_parse(after, time(NULL), &ms) < 0)
		return backoff_ms(r, n);
	if (ms > REGISTRY_PAUSE_MAX_MS)
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
	/*
	 * Without a body there is no reason in it: GET will be told, and is what may be repeated.
	 */
	if (str_eq(q->method, "HEAD"))
		return err_set(e, ENODATA, "%s answered %u to HEAD", s->name, answer->status);
	if (status_may_change(answer->status))
		*ret_pause_ms = pause_for(r, answer, n);
	return registry_refused(r, s, q, answer, e);
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

		/*
		 * Bytes that have streamed to a sink cannot be asked for elsewhere here: blob.c
		 * does that.
		 */
		k = ask_server(r, s, q, answer, e);
		if (k >= 0 || k == -ECANCELED)
			return k;
		if (s->is_mirror)
			log_trace("mirror %s: %s", s->name, e ? e->msg : "");
	}
	return k;
}
