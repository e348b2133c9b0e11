/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scripts of --conf, environment as text, $NAME in files, passwd and group with the caller added.
 */
#include "cmd/enroot/conf/script.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/enroot/conf/expand.h"
#include "cmd/enroot/start/stock.h"
#include "runtime/base/err.h"
#include "runtime/spec/env_lines.h"
#include "tests/fuzz/fuzz.h"

/* A list of an environment is not const. */
#define W(text) ((char[]){text})

static void script(const char *text, size_t size)
{
	struct conf_script s = CONF_SCRIPT_INIT;
	struct err e = ERR_INIT;

	if (conf_script_scan(text, size, &s, &e) < 0)
		FUZZ_ASSERT(e.code > 0 && e.msg[0]);
	for (size_t i = 0; i < s.settings.n; i++)
		FUZZ_ASSERT(!strncmp(s.settings.items[i], "ENROOT_", 7) &&
			    strchr(s.settings.items[i], '='));
	conf_script_free(&s);
}

static void lines(const char *text, size_t size, unsigned flags)
{
	_strv_ struct strv env = STRV_INIT, wrong = STRV_INIT;

	FUZZ_ASSERT(env_lines_parse(text, size, flags, &env, &wrong, NULL) == 0);
	for (size_t i = 0; i < env.n; i++)
		FUZZ_ASSERT(env_name_is_valid(env.items[i]) && strchr(env.items[i], '='));
}

static void expand(const char *text, size_t size)
{
	char *const env[] = {W("A=1"), W("LONG=$A${A}"), W("E="), NULL};
	_strbuf_ struct strbuf out = STRBUF_INIT;

	expand_variables(text, size, env, &out);
	FUZZ_ASSERT(out.len <= size * 7 + 1);
	if (!size || !memchr(text, '$', size))
		FUZZ_ASSERT(out.len == size && (!size || !memcmp(out.data, text, size)));
}

/* The caller comes first, and what comes of the result is the result: it never grows. */
static void passwd(const char *text, size_t size)
{
	static const struct stock_user u = {"joe", "/home/joe", 1000, 100};
	_strbuf_ struct strbuf once = STRBUF_INIT, twice = STRBUF_INIT, group = STRBUF_INIT;

	stock_passwd(&u, text, size, &once);
	FUZZ_ASSERT(!strncmp(strbuf_str(&once), "joe:x:1000:100::/home/joe:/bin/sh\n", 34));
	FUZZ_ASSERT(once.data[once.len - 1] == '\n');
	stock_passwd(&u, once.data, once.len, &twice);
	FUZZ_ASSERT(twice.len == once.len);
	stock_group(&u, text, size, &group);
	FUZZ_ASSERT(!strncmp(strbuf_str(&group), "joe:x:100:\n", 11));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + !size);

	if (!text)
		return 0;
	memcpy(text, data, size);
	script(text, size);
	lines(text, size, 0);
	lines(text, size, ENV_LINES_HAND);
	expand(text, size);
	passwd(text, size);
	free(text);
	return 0;
}
