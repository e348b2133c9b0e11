/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/enroot/frame/argv.h"

#include <string.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"

static const struct opt *find(const struct opt_parser *p, const char *word, const char **ret_value,
			      size_t *ret_offset)
{
	const char *equals = NULL;
	const struct opt *o;

	*ret_value = NULL;
	if (word[1] != '-')
		return word[1] && !word[2] ? opt_find_letter(p, word[1], ret_offset) : NULL;
	equals = strchr(word, '=');
	o = opt_find(p, word + 2, equals ? (size_t)(equals - word - 2) : strlen(word + 2),
		     ret_offset);
	*ret_value = equals ? equals + 1 : NULL;
	return o;
}

static int unknown(const char *word, struct err *e)
{
	return err_set(e, EINVAL, "unknown option %s", word);
}

/* One option at argv[i]; the number of words it took. */
static int take(const struct opt_parser *p, void *args, int argc, char **argv, int i, struct err *e)
{
	const char *value;
	size_t offset = 0;
	const struct opt *o = find(p, argv[i], &value, &offset);
	int words = 1;

	if (!o || (o->kind == OPT_FLAG && value))
		return unknown(argv[i], e);
	if (o->kind == OPT_FLAG) {
		*(bool *)((char *)args + offset) = true;
		return words;
	}
	if (!value && i + 1 < argc) {
		value = argv[i + 1];
		words = 2;
	}
	if (!value || !*value)
		return err_set(e, EINVAL, "%s needs a value (%s)", argv[i], o->arg);
	if (opt_store(o, (char *)args + offset, value, e) < 0)
		return err_wrap(e, "--%s %s", o->name, value);
	return words;
}

int enroot_argv_parse(const struct opt_use *uses, void *args, int argc, char **argv, struct err *e)
{
	const struct opt_parser p = {.uses = uses};
	int i = 1;

	while (i < argc && argv[i][0] == '-' && argv[i][1]) {
		int words;

		if (str_eq(argv[i], "--"))
			return i + 1;
		if (str_eq(argv[i], "-h") || str_eq(argv[i], "--help"))
			return ENROOT_ARGV_HELP;
		words = take(&p, args, argc, argv, i, e);
		if (words < 0)
			return words;
		i += words;
	}
	return i;
}
