/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/frame/opt.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"

/* One option met on the command line. */
struct given {
	const struct opt *opt;
	size_t offset; /* of the value in the verb's arguments */
	const char *value;
};

struct parse {
	const struct opt_parser *p;
	struct given *given;
	size_t n_given, n_slots;
	bool help;
	struct err *e;
};

const struct opt *opt_find(const struct opt_parser *p, const char *name, size_t len,
			   size_t *ret_offset)
{
	for (const struct opt_use *u = p->uses; u && u->table; u++) {
		for (const struct opt *o = u->table->opts; o->kind; o++) {
			if (strncmp(o->name, name, len) || o->name[len])
				continue;
			if (ret_offset)
				*ret_offset = u->offset + o->offset;
			return o;
		}
	}
	return NULL;
}

const struct opt *opt_find_letter(const struct opt_parser *p, char letter, size_t *ret_offset)
{
	for (const struct opt_letter *l = p->letters; l && l->letter; l++) {
		if (l->letter == letter)
			return opt_find(p, l->name, strlen(l->name), ret_offset);
	}
	for (const struct opt_use *u = p->uses; u && u->table; u++) {
		for (const struct opt *o = u->table->opts; o->kind; o++) {
			if (o->letter != letter)
				continue;
			if (ret_offset)
				*ret_offset = u->offset + o->offset;
			return o;
		}
	}
	return NULL;
}

char opt_letter_of(const struct opt_parser *p, const struct opt *o)
{
	for (const struct opt_letter *l = p->letters; l && l->letter; l++) {
		if (str_eq(l->name, o->name))
			return l->letter;
	}
	return o->letter;
}

void opt_key_name(const struct opt *o, struct strbuf *out)
{
	strbuf_addstr(out, "CSBX_");
	for (const char *c = o->name; *c; c++) {
		if (*c == '-')
			strbuf_addch(out, '_');
		else
			strbuf_addch(out, *c >= 'a' && *c <= 'z' ? (char)(*c - 'a' + 'A') : *c);
	}
}

bool opt_uses_has_key(const struct opt_use *uses, const char *key)
{
	_strbuf_ struct strbuf name = STRBUF_INIT;

	for (const struct opt_use *u = uses; u && u->table; u++) {
		for (const struct opt *o = u->table->opts; o->kind; o++) {
			if (!o->has_key)
				continue;
			strbuf_reset(&name);
			opt_key_name(o, &name);
			if (str_eq(strbuf_str(&name), key))
				return true;
		}
	}
	return false;
}

/* Letters that docker's run has and a verb may not: the long name that says the same, or NULL. */
static const char *name_of_docker_letter(const struct parse *s, const char *asked)
{
	static const struct {
		char letter;
		const char *name;
	} letters[] = {
		{'v', "volume"}, {'w', "workdir"}, {'m', "memory"},   {'u', "user"},
		{'e', "env"},    {'l', "label"},   {'h', "hostname"}, {'i', "interactive"},
		{'t', "tty"},    {'d', "detach"},  {'c', "cpus"},
	};

	if (asked[0] != '-' || !asked[1] || asked[2])
		return NULL;
	for (size_t i = 0; i < sizeof(letters) / sizeof(letters[0]); i++) {
		const char *name = letters[i].name;

		if (letters[i].letter == asked[1] && opt_find(s->p, name, strlen(name), NULL))
			return name;
	}
	return NULL;
}

/* A port is nothing that is given: the network is shared, or there is none. */
static bool is_publish(const char *asked)
{
	return str_eq(asked, "-p") || str_eq(asked, "-P") || str_has_prefix(asked, "--publish");
}

static int unknown_option(const struct parse *s, const char *word, size_t len)
{
	size_t n = 1, i = 0;
	_free_ const char **names = NULL;
	_free_ char *asked = strndup(word, len);
	const char *near = NULL;

	for (const struct opt_use *u = s->p->uses; u && u->table; u++) {
		for (const struct opt *o = u->table->opts; o->kind; o++)
			n++;
	}
	names = calloc(n + 1, sizeof(*names));
	if (!names || !asked)
		return err_oom(s->e);
	names[i++] = "help";
	for (const struct opt_use *u = s->p->uses; u && u->table; u++) {
		for (const struct opt *o = u->table->opts; o->kind; o++)
			names[i++] = o->name;
	}
	if (!strncmp(asked, "--", 2))
		near = opt_nearest(asked + 2, names);
	if (is_publish(asked) && opt_find(s->p, "network", 7, NULL))
		return err_set(s->e, EINVAL,
			       "unknown option '%s' (with '--network host' every port is the "
			       "host's; csbx docker run publishes ports)",
			       asked);
	if (!near)
		near = name_of_docker_letter(s, asked);
	if (near)
		return err_set(s->e, EINVAL, "unknown option '%s' (did you mean '--%s'?)", asked,
			       near);
	return err_set(s->e, EINVAL, "unknown option '%s'", asked);
}

static bool takes_value(const struct opt *o)
{
	return o->kind != OPT_FLAG && o->kind != OPT_MAYBE;
}

/* The word at i is o's value. Where it is the last, an operand may have been meant. */
static char *take_word(const struct parse *s, const struct opt *o, int argc, char **argv, int i)
{
	if (s->p->ret_took_last && i + 1 == argc)
		*s->p->ret_took_last = o->name;
	return argv[i];
}

static int give(struct parse *s, const struct opt *o, size_t offset, const char *value)
{
	if (s->n_given == s->n_slots) {
		size_t slots = s->n_slots ? s->n_slots * 2 : 16;
		struct given *p = reallocarray(s->given, slots, sizeof(*p));

		if (!p)
			return err_oom(s->e);
		s->given = p;
		s->n_slots = slots;
	}
	s->given[s->n_given++] = (struct given){o, offset, value};
	return 0;
}

/* A long option at argv[*i]; may use the next word as its value. */
static int scan_long(struct parse *s, int argc, char **argv, int *i)
{
	const char *name = argv[*i] + 2;
	size_t len = strcspn(name, "="), offset;
	const char *value = name[len] ? name + len + 1 : NULL;
	const struct opt *o = opt_find(s->p, name, len, &offset);

	if (!o && len == 4 && !strncmp(name, "help", 4)) {
		if (value)
			return err_set(s->e, EINVAL, "option '--help' takes no value");
		s->help = true;
		return 0;
	}
	if (!o)
		return unknown_option(s, argv[*i], len + 2);
	if (!value && takes_value(o)) {
		if (*i + 1 >= argc)
			return err_set(s->e, EINVAL, "option '--%s' needs a value (%s)", o->name,
				       o->arg);
		value = take_word(s, o, argc, argv, ++*i);
	}
	return give(s, o, offset, value);
}

/* A word of short options at argv[*i]: "-ab", "-nV", "-n V". */
static int scan_short(struct parse *s, int argc, char **argv, int *i)
{
	for (const char *c = argv[*i] + 1; *c; c++) {
		size_t offset;
		const struct opt *o = opt_find_letter(s->p, *c, &offset);

		if (!o && *c == 'h') {
			s->help = true;
			continue;
		}
		if (!o) {
			char word[3] = {'-', *c, 0};

			return unknown_option(s, word, 2);
		}
		if (takes_value(o)) {
			if (!c[1] && *i + 1 >= argc)
				return err_set(s->e, EINVAL, "option '-%c' needs a value (%s)", *c,
					       o->arg);
			return give(s, o, offset, c[1] ? c + 1 : take_word(s, o, argc, argv, ++*i));
		}
		if (give(s, o, offset, NULL) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* Returns the number of operands, moved to argv[1..]. */
static int scan(struct parse *s, int argc, char **argv)
{
	int n = 0, r = 0;

	for (int i = 1; i < argc; i++) {
		bool is_option = argv[i][0] == '-' && argv[i][1];

		if (is_option && str_eq(argv[i], "--")) {
			while (++i < argc)
				argv[1 + n++] = argv[i];
			break;
		}
		if (!is_option) {
			argv[1 + n++] = argv[i];
			if (!s->p->first_operand_ends)
				continue;
			while (++i < argc)
				argv[1 + n++] = argv[i];
			break;
		}
		r = argv[i][1] == '-' ? scan_long(s, argc, argv, &i)
				      : scan_short(s, argc, argv, &i);
		if (r < 0)
			return r;
	}
	argv[1 + n] = NULL;
	return n;
}

static bool is_given(const struct parse *s, const struct opt *o)
{
	for (size_t i = 0; i < s->n_given; i++) {
		if (s->given[i].opt == o)
			return true;
	}
	return false;
}

static int wrap_given(const struct parse *s, const struct given *g)
{
	if (g->value)
		return err_wrap(s->e, "--%s %s", g->opt->name, g->value);
	return err_wrap(s->e, "--%s", g->opt->name);
}

/* Further configuration files, before anything is looked up in the configuration. */
static int read_files(struct parse *s)
{
	for (size_t i = 0; i < s->n_given; i++) {
		const struct given *g = &s->given[i];

		if (g->opt->kind == OPT_CONF && s->p->read_conf &&
		    s->p->read_conf(s->p->lookup_ctx, g->value, s->e) < 0)
			return wrap_given(s, g);
	}
	return 0;
}

/* Applies the values that the configuration has for one option; a repeated option takes every
 * value. */
static int apply_key(struct parse *s, const struct opt *o, size_t offset, const char *key)
{
	bool all = o->repeats || o->kind == OPT_LIST;

	for (size_t i = 0; all || !i; i++) {
		const char *value, *place;
		int r = s->p->lookup(s->p->lookup_ctx, key, i, &value, &place);

		if (r <= 0)
			return r;
		if (opt_store(o, (char *)s->p->args + offset, value, s->e) < 0)
			return str_eq(place, key) ? err_wrap(s->e, "%s: %s", place, value)
						  : err_wrap(s->e, "%s: %s %s", place, key, value);
	}
	return 0;
}

static int apply_configuration(struct parse *s)
{
	_strbuf_ struct strbuf key = STRBUF_INIT; /* one for all: there are many options */

	for (const struct opt_use *u = s->p->uses; s->p->lookup && u && u->table; u++) {
		for (const struct opt *o = u->table->opts; o->kind; o++) {
			bool all = o->repeats || o->kind == OPT_LIST;
			int r;

			if (!o->has_key || (!all && is_given(s, o)))
				continue;
			strbuf_reset(&key);
			opt_key_name(o, &key);
			r = strbuf_check(&key, s->e);
			if (r >= 0)
				r = apply_key(s, o, u->offset + o->offset, key.data);
			if (r < 0)
				return r;
		}
	}
	return 0;
}

static int apply_given(struct parse *s)
{
	for (size_t i = 0; i < s->n_given; i++) {
		const struct given *g = &s->given[i];

		if (s->p->given)
			strv_add(s->p->given, g->opt->name);
		if (g->opt->kind != OPT_CONF &&
		    opt_store(g->opt, (char *)s->p->args + g->offset, g->value, s->e) < 0)
			return wrap_given(s, g);
	}
	return 0;
}

/* The configuration first: words of the command line add to it, or stand in its place. */
static int apply(struct parse *s)
{
	int r = read_files(s);

	if (r >= 0)
		r = apply_configuration(s);
	return r < 0 ? r : apply_given(s);
}

int opt_parse(const struct opt_parser *p, int argc, char **argv, struct err *e)
{
	struct err local = ERR_INIT;
	struct parse s = {.p = p, .e = e ? e : &local};
	int n = scan(&s, argc, argv), r = n;

	if (n >= 0 && s.help)
		n = r = OPT_HELP;
	if (r >= 0)
		r = apply(&s);
	free(s.given);
	return r < 0 ? r : n;
}

int opt_apply(const struct opt_parser *p, const struct strv *named, struct err *e)
{
	struct err local = ERR_INIT;
	struct parse s = {.p = p, .e = e ? e : &local};
	int r = 0;

	for (size_t i = 0; r >= 0 && i + 1 < named->n; i += 2) {
		const char *name = named->items[i];
		size_t offset;
		const struct opt *o = opt_find(p, name, strlen(name), &offset);

		r = o ? give(&s, o, offset, named->items[i + 1])
		      : unknown_option(&s, name, strlen(name));
	}
	if (r >= 0)
		r = apply(&s);
	free(s.given);
	return r;
}
