/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dockerfiles and .dockerignore: any bytes are refused with a reason, or give instructions that
 * keep what the header promises; their words expand within bounds.
 */
#include "cmd/build/dockerfile/dockerfile.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/build/dockerfile/clean.h"
#include "cmd/build/dockerfile/expand.h"
#include "cmd/build/dockerfile/glob.h"
#include "cmd/build/dockerfile/ignore.h"
#include "cmd/build/dockerfile/mount_words.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "tests/fuzz/fuzz.h"

static void expand_all(const struct instruction *i, const struct expand *x)
{
	for (size_t n = 0; n < i->args.n; n++) {
		_strv_ struct strv words = STRV_INIT;
		_free_ char *out = NULL, *clean = path_clean(i->args.items[n]), *again = NULL;
		struct err e = ERR_INIT;

		if (expand_word(x, i->args.items[n], &out, &e) < 0)
			FUZZ_ASSERT(e.code);
		else
			FUZZ_ASSERT(strlen(out) <= 2 * EXPAND_MAX_BYTES);
		if (expand_words(x, i->args.items[n], &words, &e) < 0)
			FUZZ_ASSERT(e.code);
		FUZZ_ASSERT(clean && *clean && (again = path_clean(clean)) && str_eq(again, clean));
		if (strlen(i->args.items[n]) < 64)
			glob_matches_path(i->args.items[n], i->args.items[0]);
	}
}

static void check(const struct instruction *i, const struct expand *x)
{
	FUZZ_ASSERT(i->op < DOCKERFILE_OPS && i->text && i->rest);
	FUZZ_ASSERT(i->line && i->end_line >= i->line);
	if (i->op == DOCKERFILE_ENV || i->op == DOCKERFILE_LABEL)
		FUZZ_ASSERT(i->args.n && !(i->args.n & 1));
	if (i->op == DOCKERFILE_COPY || i->op == DOCKERFILE_ADD)
		FUZZ_ASSERT(i->args.n >= 2);
	for (size_t n = 0; n < i->n_heredocs; n++)
		FUZZ_ASSERT(i->heredocs[n].name && i->heredocs[n].data);
	for (size_t n = 0; n < i->flags.n; n++) {
		struct run_mount m;

		FUZZ_ASSERT(str_has_prefix(i->flags.items[n], "--"));
		if (str_has_prefix(i->flags.items[n], "--mount=") &&
		    run_mount_parse(i->flags.items[n] + 8, x, &m, NULL) >= 0)
			run_mount_free(&m);
	}
	expand_all(i, x);
}

static void check_file(const char *data, size_t size, const struct expand *x)
{
	_dockerfile_ struct dockerfile d = {0};
	_strbuf_ struct strbuf shown = STRBUF_INIT;
	struct dockerfile_place place;
	struct err e = ERR_INIT;

	if (dockerfile_parse(data, size, &d, &place, &e) < 0) {
		FUZZ_ASSERT(e.code && !d.n && place.end_line >= place.line);
		dockerfile_show_place("f", data, size, &place, &shown);
		return;
	}
	FUZZ_ASSERT(d.n && (d.escape == '\\' || d.escape == '`'));
	for (size_t n = 0; n < d.n; n++)
		check(&d.items[n], x);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_strv_ struct strv env = STRV_INIT;
	_ignore_ struct ignore g = {0};
	const struct expand x = {.env = &env, .escape = '\\'};
	struct err e = ERR_INIT;

	if (size > 1u << 14)
		return 0;
	strv_add(&env, "A=a/b c.d");
	strv_add(&env, "E=");
	check_file((const char *)data, size, &x);
	if (ignore_parse((const char *)data, size, &g, &e) < 0)
		FUZZ_ASSERT(e.code);
	else if (g.patterns.n < 64)
		ignore_has(&g, "a/b/c.d");
	return 0;
}
