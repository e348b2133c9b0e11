/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files with credentials and what helpers and token servers say: enroot's netrc, auth.json and
 * docker's config.json, the answer of a helper, tokens, error bodies. A file that login writes can
 * be read again, and holds the given credentials.
 */
#include "image/credentials/credentials.h"

#include <stdlib.h>

#include "image/registry/auth.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "tests/fuzz/fuzz.h"

static void check_netrc(const char *text, size_t size)
{
	_credentials_ struct credentials c = {0}, mine = {0};

	if (credentials_from_netrc(text, size, "host", NULL, &c, NULL) > 0)
		FUZZ_ASSERT(c.user && c.password);
	if (credentials_from_netrc(text, size, "host", "me", &mine, NULL) > 0)
		FUZZ_ASSERT(str_eq(mine.user, "me") && mine.password);
}

static void check_json(const char *text, size_t size)
{
	const struct credentials_query q = {.registry = "host:5000", .repository = "a/b"};
	_credentials_ struct credentials c = {0}, helped = {0};
	_free_ char *helper = NULL;

	if (credentials_from_json(text, size, &q, &c, &helper, NULL) > 0)
		FUZZ_ASSERT(helper ? *helper != 0 : (c.user && c.password) || c.identity_token);
	if (!credentials_from_helper(text, size, &helped, NULL))
		FUZZ_ASSERT((helped.user && helped.password) || helped.identity_token);
}

static void check_edit(const char *text, size_t size)
{
	char user[] = "me", password[] = "a:b\"\\";
	const struct credentials given = {.user = user, .password = password};
	const struct credentials_query q = {.registry = "host:5000"};
	_strbuf_ struct strbuf with = STRBUF_INIT, without = STRBUF_INIT;
	_credentials_ struct credentials c = {0};
	_free_ char *helper = NULL;
	int r;

	if (credentials_edit_json(text, size, "host:5000", &given, &with, NULL) < 0)
		return;
	r = credentials_from_json(with.data, with.len, &q, &c, &helper, NULL);
	FUZZ_ASSERT(r == 1 || r == -EBADMSG);
	if (r == 1 && !helper)
		FUZZ_ASSERT(str_eq(c.user, user) && str_eq(c.password, password));
	FUZZ_ASSERT(credentials_edit_json(with.data, with.len, "host:5000", NULL, &without, NULL) ==
		    1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = size ? (const char *)data : "";
	_strbuf_ struct strbuf said = STRBUF_INIT;
	_free_ char *token = NULL;
	uint64_t seconds;

	check_netrc(text, size);
	check_json(text, size);
	check_edit(text, size);
	if (!auth_token_parse(text, size, &token, &seconds, NULL))
		FUZZ_ASSERT(*token && !strpbrk(token, " \r\n\t") && seconds >= AUTH_TOKEN_SECONDS);
	auth_add_error_text(&said, text, size);
	FUZZ_ASSERT(said.len < 4096 && (!said.len || !strpbrk(said.data, "\r\n\033")));
	return 0;
}
