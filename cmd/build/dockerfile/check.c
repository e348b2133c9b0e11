/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/build/dockerfile/check.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <strings.h>

#include "cmd/build/dockerfile/dockerfile.h"
#include "cmd/build/dockerfile/words.h"
#include "runtime/base/err.h"

/* --- how words are read -------------------------------------------------------------------- */

/* A JSON list, else the whole text as one word. */
static int json_or_text(struct instruction *i, struct err *e)
{
	int r = words_json(i->rest, &i->args, e);

	i->is_json = r > 0;
	if (r || !*i->rest)
		return r < 0 ? r : 0;
	strv_add(&i->args, i->rest);
	return strv_check(&i->args, e);
}

static int json_or_words(struct instruction *i, struct err *e)
{
	int r = words_json(i->rest, &i->args, e);

	i->is_json = r > 0;
	if (r)
		return r < 0 ? r : 0;
	words_plain(i->rest, &i->args);
	return strv_check(&i->args, e);
}

static int one_text(struct instruction *i, struct err *e)
{
	if (*i->rest)
		strv_add(&i->args, i->rest);
	return strv_check(&i->args, e);
}

/* --- what is asked of them ------------------------------------------------------------------ */

static int exactly_one(const struct instruction *i, struct err *e)
{
	return i->args.n == 1 ? 0
			      : err_set(e, EINVAL, "%s requires exactly one argument",
					dockerfile_op_name(i->op));
}

static int at_least_one(const struct instruction *i, struct err *e)
{
	return i->args.n ? 0
			 : err_set(e, EINVAL, "%s requires at least one argument",
				   dockerfile_op_name(i->op));
}

static int blank_name(const struct instruction *i, struct err *e)
{
	return err_set(e, EINVAL, "%s names can not be blank", dockerfile_op_name(i->op));
}

static int check_pairs(const struct instruction *i, struct err *e)
{
	int r = at_least_one(i, e);

	for (size_t n = 0; r >= 0 && n < i->args.n; n += 2) {
		if (!*i->args.items[n])
			return blank_name(i, e);
	}
	return r;
}

static int check_arg(const struct instruction *i, struct err *e)
{
	int r = at_least_one(i, e);

	for (size_t n = 0; r >= 0 && n < i->args.n; n++) {
		if (i->args.items[n][0] == '=')
			return blank_name(i, e);
	}
	return r;
}

static int check_copy(const struct instruction *i, struct err *e)
{
	if (i->args.n >= 2)
		return 0;
	return err_set(
		e, EINVAL,
		"%s requires at least two arguments, but only %s provided. Destination could "
		"not be determined",
		dockerfile_op_name(i->op), i->args.n ? "one was" : "none were");
}

static bool is_stage_name(const char *s)
{
	if (!isalpha((unsigned char)*s))
		return false;
	for (; *s; s++) {
		if (!isalnum((unsigned char)*s) && !strchr("-_.", *s))
			return false;
	}
	return true;
}

static int check_from(const struct instruction *i, struct err *e)
{
	const char *name = i->args.n == 3 ? i->args.items[2] : NULL;

	if (i->args.n != 1 && !(name && !strcasecmp(i->args.items[1], "as")))
		return err_set(e, EINVAL, "FROM requires either one or three arguments");
	if (name && !is_stage_name(name))
		return err_set(e, EINVAL,
			       "invalid name for build stage: \"%.100s\", name can't start with a "
			       "number or contain symbols",
			       name);
	return 0;
}

static int check_volume(const struct instruction *i, struct err *e)
{
	int r = at_least_one(i, e);

	for (size_t n = 0; r >= 0 && n < i->args.n; n++) {
		if (!*words_skip_blanks(i->args.items[n]))
			return err_set(e, EINVAL, "VOLUME specified can not be an empty string");
	}
	return r;
}

static int check_shell(const struct instruction *i, struct err *e)
{
	int r = at_least_one(i, e);

	if (r >= 0 && !i->is_json)
		return err_set(e, EINVAL, "SHELL requires the arguments to be in JSON form");
	return r;
}

static bool is_word(const char *s, const char *word)
{
	size_t len = strlen(word);

	return !strncasecmp(s, word, len) && (!s[len] || isspace((unsigned char)s[len]));
}

/* The trigger itself is an instruction, which dockerfile.c reads. */
static int check_onbuild(const struct instruction *i, struct err *e)
{
	int r = at_least_one(i, e);

	if (r < 0)
		return r;
	if (is_word(i->args.items[0], "onbuild"))
		return err_set(e, EINVAL, "Chaining ONBUILD via `ONBUILD ONBUILD` isn't allowed");
	if (is_word(i->args.items[0], "from") || is_word(i->args.items[0], "maintainer"))
		return err_set(e, EINVAL, "%s isn't allowed as an ONBUILD trigger",
			       is_word(i->args.items[0], "from") ? "FROM" : "MAINTAINER");
	return 0;
}

/* --- by instruction ------------------------------------------------------------------------- */

static int split(struct instruction *i, char escape, struct err *e)
{
	switch (i->op) {
	case DOCKERFILE_ADD:
	case DOCKERFILE_COPY:
	case DOCKERFILE_VOLUME:
		return json_or_words(i, e);
	case DOCKERFILE_RUN:
	case DOCKERFILE_CMD:
	case DOCKERFILE_ENTRYPOINT:
	case DOCKERFILE_SHELL:
		return json_or_text(i, e);
	case DOCKERFILE_ENV:
	case DOCKERFILE_LABEL:
		return words_pairs(dockerfile_op_name(i->op), i->rest, escape, &i->args, e);
	case DOCKERFILE_ARG:
		words_quoted(i->rest, escape, &i->args);
		return strv_check(&i->args, e);
	case DOCKERFILE_EXPOSE:
	case DOCKERFILE_FROM:
		words_plain(i->rest, &i->args);
		return strv_check(&i->args, e);
	case DOCKERFILE_HEALTHCHECK:
		return health_words(i, e);
	default:
		return one_text(i, e);
	}
}

static int check(const struct instruction *i, struct err *e)
{
	switch (i->op) {
	case DOCKERFILE_ADD:
	case DOCKERFILE_COPY:
		return check_copy(i, e);
	case DOCKERFILE_ARG:
		return check_arg(i, e);
	case DOCKERFILE_ENV:
	case DOCKERFILE_LABEL:
		return check_pairs(i, e);
	case DOCKERFILE_EXPOSE:
	case DOCKERFILE_RUN:
		return at_least_one(i, e);
	case DOCKERFILE_FROM:
		return check_from(i, e);
	case DOCKERFILE_ONBUILD:
		return check_onbuild(i, e);
	case DOCKERFILE_SHELL:
		return check_shell(i, e);
	case DOCKERFILE_VOLUME:
		return check_volume(i, e);
	case DOCKERFILE_MAINTAINER:
	case DOCKERFILE_STOPSIGNAL:
	case DOCKERFILE_USER:
	case DOCKERFILE_WORKDIR:
		return exactly_one(i, e);
	default: /* CMD and ENTRYPOINT of nothing take back what the base has */
		return 0;
	}
}

int instruction_words(struct instruction *i, char escape, struct err *e)
{
	int r = split(i, escape, e);

	return r < 0 ? r : check(i, e);
}
