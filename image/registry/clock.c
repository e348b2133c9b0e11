/* SPDX-License-Identifier: Apache-2.0 */
#include "image/registry/priv.h"

#include <time.h>

#include "runtime/base/fd.h"

uint64_t registry_clock_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

struct transport_limits registry_limits(const struct registry *r)
{
	uint64_t ms = r->o.timeout_ms ? r->o.timeout_ms : REGISTRY_TIMEOUT_MS;

	return (struct transport_limits){.connect_ms = ms, .stall_ms = ms};
}

/* Items are "REGISTRY" or "REGISTRY=VALUE"; returns the value, "" where there is none. */
const char *registry_list_next(const struct strv *list, const char *registry, size_t *i)
{
	const char *want = credentials_canonical(registry);

	while (list && *i < list->n) {
		const char *item = list->items[(*i)++];
		size_t n = strcspn(item, "=");
		_free_ char *name = strndup(item, n);

		if (name && str_eq(credentials_canonical(name), want))
			return item + n + (item[n] == '=');
	}
	return NULL;
}
