/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The values that servers send in headers: URLs, challenges, ranges, times, types. A URL that is
 * accepted can be written and read again as the same one, and holds nothing that ends a line or a
 * host.
 */
#include "image/registry/url.h"

#include <stdlib.h>

#include "image/registry/auth.h"
#include "image/registry/http_value.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "tests/fuzz/fuzz.h"

static void check_same(const struct url *u)
{
	_free_ char *text = url_format(u), *origin = url_format_origin(u);
	_url_ struct url again = {0};

	FUZZ_ASSERT(text && origin && str_has_prefix(text, origin));
	FUZZ_ASSERT(u->path[0] == '/' && u->port > 0 && u->port < 65536 && *u->host);
	FUZZ_ASSERT(!strpbrk(u->host, "@/?#\\ \r\n") && !strpbrk(text, " \r\n\t\\") &&
		    !strchr(text, '#'));
	if (strlen(text) > URL_MAX)
		return;
	FUZZ_ASSERT(!url_parse(text, &again, NULL));
	FUZZ_ASSERT(url_same_origin(u, &again) && str_eq(u->path, again.path));
	(void)url_host_is_local(u->host);
}

static void check_url(const char *text)
{
	static const char *const bases[] = {"https://registry.example/v2/a/blobs/x?y=1",
					    "http://[::1]:5000/v2/"};
	_url_ struct url u = {0};

	if (!url_parse(text, &u, NULL))
		check_same(&u);
	for (size_t i = 0; i < sizeof(bases) / sizeof(bases[0]); i++) {
		_url_ struct url base = {0}, to = {0};

		FUZZ_ASSERT(!url_parse(bases[i], &base, NULL));
		if (url_resolve(&base, text, &to, NULL) < 0)
			continue;
		check_same(&to);
		FUZZ_ASSERT(url_may_go(&base, &to, NULL) < 0 || !base.https || to.https);
		FUZZ_ASSERT(i || url_may_go(&base, &to, NULL) < 0 || !url_host_is_local(to.host));
	}
}

static void check_challenge(const char *text)
{
	_auth_challenges_ struct auth_challenges c = {0};
	const struct auth_challenge *one;

	/* Twice: as a registry may send two such headers. */
	if (auth_challenges_parse(&c, text, NULL) < 0 || auth_challenges_parse(&c, text, NULL) < 0)
		return;
	FUZZ_ASSERT(c.n <= AUTH_CHALLENGES_MAX);
	one = auth_choose(&c);
	FUZZ_ASSERT(!one || one->scheme == AUTH_BASIC || one->realm);
}

static void check_values(const char *text)
{
	struct content_range range;
	uint64_t ms;
	char type[64];

	if (!content_range_parse(text, &range))
		FUZZ_ASSERT(range.first <= range.last && range.last < range.total);
	if (!retry_after_parse(text, 1700000000, &ms))
		FUZZ_ASSERT(ms <= (uint64_t)UINT32_MAX * 1000);
	if (media_type_parse(text, type, sizeof(type)))
		FUZZ_ASSERT(strlen(type) < sizeof(type) && !strpbrk(type, "; \t"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_free_ char *text = strndup((const char *)data, size);

	check_url(text);
	check_challenge(text);
	check_values(text);
	return 0;
}
