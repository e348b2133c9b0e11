/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/frame/argv.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/err.h"
#include "runtime/base/str.h"

struct scan {
	const struct opt_parser *p;
	void *args;
	int argc, i; /* i: the word being read; a value may be the next one */
	char **argv;
	struct err *e;
};

int docker_parse_bool(const char *value)
{
	static const char *const yes[] = {"1", "t", "T", "true", "TRUE", "True"};
	static const char *const no[] = {"0", "f", "F", "false", "FALSE", "False"};

	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++) {
		if (str_eq(value, yes[i]))
			return 1;
		if (str_eq(value, no[i]))
			return 0;
	}
	return -EINVAL;
}

static int store(const struct opt *o, void *at, const char *value, struct err *e)
{
	int r;

	if (o->kind != OPT_FLAG)
		return opt_store(o, at, value, e);
	r = docker_parse_bool(value);
	if (r < 0)
		return err_set(e, EINVAL, "strconv.ParseBool: parsing \"%s\": invalid syntax",
			       value);
	*(bool *)at = r;
	return 0;
}

static int set(struct scan *s, const struct opt *o, size_t offset, const char *value)
{
	struct err why = ERR_INIT;

	if (store(o, (char *)s->args + offset, value, &why) >= 0)
		return 0;
	if (o->letter)
		return err_set(s->e, EINVAL, "invalid argument \"%s\" for \"-%c, --%s\" flag: %s",
			       value, o->letter, o->name, why.msg);
	return err_set(s->e, EINVAL, "invalid argument \"%s\" for \"--%s\" flag: %s", value,
		       o->name, why.msg);
}

static bool takes_value(const struct opt *o)
{
	return o->kind != OPT_FLAG && o->kind != OPT_MAYBE;
}

static int scan_long(struct scan *s)
{
	const char *name = s->argv[s->i] + 2;
	size_t len = strcspn(name, "="), offset = 0;
	const char *value = name[len] ? name + len + 1 : NULL;
	const struct opt *o;

	if (!len || *name == '-')
		return err_set(s->e, EINVAL, "bad flag syntax: %s", s->argv[s->i]);
	o = opt_find(s->p, name, len, &offset);
	if (!o && len == 4 && !strncmp(name, "help", 4))
		return DOCKER_ARGV_HELP;
	if (!o)
		return err_set(s->e, EINVAL, "unknown flag: --%.*s", (int)len, name);
	if (!value && !takes_value(o))
		value = "true";
	if (!value && s->i + 1 >= s->argc)
		return err_set(s->e, EINVAL, "flag needs an argument: --%s", o->name);
	return set(s, o, offset, value ? value : s->argv[++s->i]);
}

static int scan_short(struct scan *s)
{
	for (const char *c = s->argv[s->i] + 1; *c; c++) {
		size_t offset = 0;
		const struct opt *o = opt_find_letter(s->p, *c, &offset);
		int r;

		if (!o && *c == 'h')
			return DOCKER_ARGV_HELP;
		if (!o)
			return err_set(s->e, EINVAL, "unknown shorthand flag: '%c' in -%s", *c, c);
		if (c[1] == '=' && c[2])
			return set(s, o, offset, c + 2);
		if (takes_value(o) && c[1])
			return set(s, o, offset, c + 1);
		if (takes_value(o) && s->i + 1 >= s->argc)
			return err_set(s->e, EINVAL, "flag needs an argument: '%c' in -%s", *c, c);
		if (takes_value(o))
			return set(s, o, offset, s->argv[++s->i]);
		r = set(s, o, offset, "true");
		if (r < 0)
			return r;
	}
	return 0;
}

int docker_argv_parse(const struct opt_use *uses, bool first_operand_ends, void *args, int argc,
		      char **argv, struct err *e)
{
	const struct opt_parser p = {.uses = uses};
	struct scan s = {&p, args, argc, 1, argv, e};
	bool flags_end = false;
	int n = 0, r;

	for (; s.i < argc; s.i++) {
		char *word = argv[s.i];

		if (flags_end || word[0] != '-' || !word[1]) {
			argv[1 + n++] = word;
			flags_end |= first_operand_ends;
			continue;
		}
		if (str_eq(word, "--")) {
			flags_end = true;
			continue;
		}
		r = word[1] == '-' ? scan_long(&s) : scan_short(&s);
		if (r < 0)
			return r;
	}
	argv[1 + n] = NULL;
	return n;
}
