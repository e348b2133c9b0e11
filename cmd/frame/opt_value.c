/* SPDX-License-Identifier: Apache-2.0 */

/* The values of options: from text to where the row says, and which word of a line is one. */

#include <string.h>

#include "cmd/frame/opt.h"
#include "runtime/base/err.h"
#include "runtime/base/num.h"
#include "runtime/base/str.h"

static int parse_flag(const char *value, bool *ret, struct err *e)
{
	static const char *const yes[] = {"yes", "true", "on", "1"};
	static const char *const no[] = {"no", "false", "off", "0"};

	*ret = true;
	for (size_t i = 0; value && i < sizeof(yes) / sizeof(yes[0]); i++) {
		if (str_eq(value, no[i]))
			*ret = false;
		if (str_eq(value, yes[i]) || str_eq(value, no[i]))
			return 0;
	}
	return value ? err_set(e, EINVAL, "must be yes or no") : 0;
}

static int parse_choice(const struct opt *o, const char *value, int *ret, struct err *e)
{
	size_t len = strlen(value);
	int index = 0;

	for (const char *c = o->choices; *c; index++) {
		size_t n = strcspn(c, "|");

		if (n == len && !strncmp(c, value, n)) {
			*ret = index;
			return 0;
		}
		c += n + (c[n] == '|');
	}
	return err_set(e, EINVAL, "must be one of %s", o->choices);
}

static int parse_number(const struct opt *o, const char *value, uint64_t *ret, struct err *e)
{
	uint64_t max = o->max ? o->max : UINT64_MAX, v = 0;

	if (num_parse_u64(value, max, &v) < 0 || !v) {
		if (o->max)
			return err_set(e, EINVAL, "must be a whole number from 1 to %llu",
				       (unsigned long long)o->max);
		return err_set(e, EINVAL, "must be a whole number above 0");
	}
	*ret = v;
	return 0;
}

static int parse_bytes(const char *value, uint64_t *ret, struct err *e)
{
	uint64_t v = 0;
	int r = num_parse_bytes(value, &v);

	if (r == -ERANGE)
		return err_set(e, ERANGE, "too large");
	if (r < 0 || !v)
		return err_set(e, EINVAL, "must be a size above 0, such as 512m or 2g");
	*ret = v;
	return 0;
}

static int parse_duration(const char *value, uint64_t *ret, struct err *e)
{
	uint64_t v = 0;
	int r = num_parse_duration(value, &v);

	if (r == -ERANGE)
		return err_set(e, ERANGE, "too long");
	if (r < 0 || !v)
		return err_set(e, EINVAL,
			       "must be a time above 0, such as 30 (seconds), 500ms or 2m");
	*ret = v;
	return 0;
}

int opt_store(const struct opt *o, void *at, const char *value, struct err *e)
{
	switch (o->kind) {
	case OPT_FLAG:
		return parse_flag(value, at, e);
	case OPT_STR:
		*(const char **)at = value;
		return 0;
	case OPT_LIST:
		strv_add(at, value);
		return strv_check(at, e);
	case OPT_CHOICE:
		return parse_choice(o, value, at, e);
	case OPT_NUMBER:
		return parse_number(o, value, at, e);
	case OPT_BYTES:
		return parse_bytes(value, at, e);
	case OPT_DURATION:
		return parse_duration(value, at, e);
	case OPT_CALL:
	case OPT_MAYBE:
		return o->set(at, value, e);
	case OPT_CONF:
	case OPT_END:
		break;
	}
	return err_set(e, EINVAL, "no such kind of option");
}

const struct opt *opt_of_word(const struct opt_use *uses, const char *word)
{
	size_t len = str_has_prefix(word, "--") ? strcspn(word, "=") : 0;

	for (const struct opt_use *u = uses; len > 2 && u && u->table; u++) {
		for (const struct opt *o = u->table->opts; o->kind; o++) {
			if (strlen(o->name) == len - 2 && !strncmp(o->name, word + 2, len - 2))
				return o;
		}
	}
	return NULL;
}

bool opt_wants_next(const struct opt_use *uses, const char *word)
{
	size_t len = strlen(word);

	for (const struct opt_use *u = uses; u && u->table && len > 1 && *word == '-'; u++) {
		for (const struct opt *o = u->table->opts; o->kind; o++) {
			bool is_it = word[1] == '-' ? str_eq(o->name, word + 2)
						    : o->letter && o->letter == word[len - 1];

			if (is_it)
				return o->kind != OPT_FLAG && o->kind != OPT_MAYBE;
		}
	}
	return false;
}
