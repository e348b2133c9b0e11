/* SPDX-License-Identifier: Apache-2.0 */
#include "image/registry/priv.h"

#include <time.h>

#include "runtime/base/fd.h"

unsigned registry_tries(const struct registry *r, const struct server *s, int code)
{
	if (s->is_mirror)
		return 2;
	if (r->o.tries)
		return r->o.tries;
	return code == -ETIMEDOUT && !r->reached ? REGISTRY_TRIES_SILENT : REGISTRY_TRIES;
}

/* The time for which csbx waits for a server that never says a word. */
static uint64_t patience_ms(const struct registry *r, const struct server *s)
{
	unsigned tries = registry_tries(r, s, -ETIMEDOUT);
	uint64_t ms = tries * registry_limits(r).stall_ms + (s->may_http ? REGISTRY_SETTLE_MS : 0);

	for (unsigned n = 1; n < tries; n++)
		ms += n < 8 ? (uint64_t)REGISTRY_BACKOFF_MS << (n - 1) : REGISTRY_PAUSE_MAX_MS;
	return ms;
}

void registry_tick(void *arg, const struct http_request *q, bool heard)
{
	struct server *s = arg;
	const struct registry *r = s->registry;
	uint64_t now = registry_clock_ms();
	_free_ char *elsewhere = NULL;

	if (heard)
		s->heard_ms = now;
	if (heard || !r->o.silence || now < s->heard_ms + REGISTRY_SILENT_MS ||
	    atomic_flag_test_and_set(&s->told_silent))
		return;
	if (!url_same_origin(q->url, &s->url))
		elsewhere = url_format_origin(q->url);
	r->o.silence(r->o.silence_arg, elsewhere ? elsewhere : s->name, now - s->heard_ms,
		     patience_ms(r, s));
}

void registry_ask_begin(struct server *s)
{
	s->heard_ms = registry_clock_ms();
}
