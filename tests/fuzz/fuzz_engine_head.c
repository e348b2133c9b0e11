/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Heads of requests. One that is accepted means one thing: a path without "..", at most one way to
 * tell the body's end; and it leads to at most one row of the endpoints.
 */
#include "cmd/engine/http/http.h"

#include <stdlib.h>

#include "cmd/engine/route/route.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "tests/fuzz/fuzz.h"

static void answer(struct call *k)
{
	(void)k;
}

static const struct route table[] = {
	{HTTP_GET, "_ping", answer},
	{HTTP_POST, "containers/?/start", answer},
	{HTTP_GET, "containers/?/json", answer},
	{HTTP_GET, "images/?/json", answer},
	{0},
};

static void check_query(const char *query)
{
	static const char *const names[] = {"a", "all", "filters", "t"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		_free_ char *value = NULL;
		_strv_ struct strv all = STRV_INIT;
		int r = http_query_get(query, names[i], &value, NULL);

		FUZZ_ASSERT(r >= 0 || !value);
		FUZZ_ASSERT(!value || strlen(value) <= strlen(query));
		if (http_query_list(query, names[i], &all, NULL) >= 0 && r >= 0)
			FUZZ_ASSERT(!all.n == !value);
		(void)http_query_true(query, names[i]);
	}
}

static void check_head(struct http_head *h)
{
	struct routed routed;
	size_t len = strlen(h->path);

	FUZZ_ASSERT(h->path[0] == '/' && !(h->is_chunked && h->has_length));
	FUZZ_ASSERT(!strstr(h->path, "/../") && !str_has_suffix(h->path, "/.."));
	FUZZ_ASSERT(h->n_headers <= HTTP_HEADERS_MAX && h->method < HTTP_METHODS);
	for (size_t i = 0; i < h->n_headers; i++) {
		FUZZ_ASSERT(*h->headers[i].name && !strpbrk(h->headers[i].name, " \t\r\n:"));
		FUZZ_ASSERT(!strpbrk(h->headers[i].value, "\r\n"));
		FUZZ_ASSERT(http_header(h, h->headers[i].name));
	}
	check_query(h->query);
	if (route_find(table, h->method, h->path, &routed, NULL) >= 0)
		FUZZ_ASSERT(routed.route && (!routed.item || strlen(routed.item) <= len));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_free_ char *buf = size <= HTTP_HEAD_MAX ? malloc(size + 1) : NULL;
	struct http_head h;
	size_t end;

	if (!buf)
		return 0;
	memcpy(buf, data, size);
	buf[size] = 0;
	end = http_head_end(buf, size);
	FUZZ_ASSERT(end <= size);
	buf[end] = 0;
	if (end && http_head_parse(buf, end, &h, NULL) >= 0)
		check_head(&h);
	return 0;
}
