/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Shell completion. The stubs in completions/ pass the words up to the cursor; the candidates
 * come from the option tables, the container store and, for files, from the shell itself.
 */

#include <string.h>

#include "cmd/frame/cmd.h"
#include "cmd/frame/frame.h"
#include "runtime/base/err.h"
#include "runtime/base/str.h"
#include "runtime/record/container_store.h"

static void offer(struct strbuf *out, const char *prefix, const char *word, const char *about)
{
	if (str_has_prefix(word, prefix))
		strbuf_addf(out, "%s\t%s\n", word, about);
}

int complete_verb_names(const char *prefix)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;

	for (const struct command *c = command_list; c->name; c++)
		offer(&out, prefix, c->name, c->summary);
	return cmd_print(&out);
}

/* "a|b" or "a b": each of the words, with `lead` ("--network=") before it. */
static void offer_words(struct strbuf *out, const char *prefix, const char *lead, const char *words)
{
	while (*words) {
		size_t n = strcspn(words, "| ");
		_strbuf_ struct strbuf word = STRBUF_INIT;

		strbuf_addstr(&word, lead);
		strbuf_add(&word, words, n);
		offer(out, prefix, strbuf_str(&word), "");
		words += n + (words[n] != 0);
	}
}

static void offer_containers(struct strbuf *out, const char *prefix, const char *lead)
{
	struct cmd c = {0};
	_strv_ struct strv names = STRV_INIT;
	_strbuf_ struct strbuf word = STRBUF_INIT;

	/* No container, or no store: nothing to offer is the right answer. */
	if (cmd_load_state(&c, NULL) >= 0 &&
	    container_store_list(&c.paths, &names, NULL, NULL) >= 0) {
		for (size_t i = 0; i < names.n; i++) {
			strbuf_reset(&word);
			strbuf_addf(&word, "%s%s", lead, names.items[i]);
			offer(out, prefix, strbuf_str(&word), "container");
		}
	}
	cmd_free_state(&c);
}

static void offer_kind(struct strbuf *out, const char *prefix, const char *lead, const char *offers)
{
	if (!offers)
		return;
	if (str_has_prefix(offers, "words:"))
		offer_words(out, prefix, lead, offers + strlen("words:"));
	if (strstr(offers, "container"))
		offer_containers(out, prefix, lead);
	if (strstr(offers, "image") || strstr(offers, "file"))
		strbuf_addstr(out, ":file\n");
	if (strstr(offers, "dir"))
		strbuf_addstr(out, ":dir\n");
}

static void offer_value(struct strbuf *out, const struct opt *o, const char *prefix,
			const char *lead)
{
	if (o->kind == OPT_CHOICE)
		offer_words(out, prefix, lead, o->choices);
	else if (o->kind == OPT_FLAG && *lead)
		offer_words(out, prefix, lead, "yes no");
	else
		offer_kind(out, prefix, lead, o->offers);
}

static void offer_options(struct strbuf *out, const struct verb *v, const char *prefix)
{
	for (const struct opt_use *u = v->uses; u && u->table; u++) {
		for (const struct opt *o = u->table->opts; o->kind; o++) {
			_strbuf_ struct strbuf word = STRBUF_INIT;

			strbuf_addf(&word, "--%s", o->name);
			offer(out, prefix, strbuf_str(&word), o->help);
		}
	}
	offer(out, prefix, "--help", "explain the command");
}

/* The option that wants the word after `word` as its value, or NULL. */
static const struct opt *wants_value(const struct opt_parser *p, const char *word)
{
	const struct opt *o = NULL;

	if (word[0] != '-' || !word[1] || strchr(word, '='))
		return NULL;
	if (word[1] == '-')
		o = opt_find(p, word + 2, strlen(word + 2), NULL);
	else
		o = opt_find_letter(p, word[strlen(word) - 1], NULL);
	return o && o->kind != OPT_FLAG && o->kind != OPT_MAYBE ? o : NULL;
}

static void offer_long_value(struct strbuf *out, const struct opt_parser *p, const char *word)
{
	const char *equals = strchr(word, '=');
	const struct opt *o = opt_find(p, word + 2, (size_t)(equals - word - 2), NULL);
	_strbuf_ struct strbuf lead = STRBUF_INIT;

	strbuf_add(&lead, word, (size_t)(equals - word) + 1);
	if (o)
		offer_value(out, o, word, strbuf_str(&lead));
}

/* The facts that the words before the cursor tell about the one at it. */
struct cursor {
	const struct opt *value_of; /* it is this option's value */
	unsigned operands;          /* before it */
	bool options_ended;
};

static struct cursor find_cursor(const struct opt_parser *p, int argc, char **argv)
{
	struct cursor c = {0};

	for (int i = 1; i < argc - 1; i++) {
		const struct opt *o = c.options_ended ? NULL : wants_value(p, argv[i]);

		if (o && i == argc - 2) {
			c.value_of = o;
		} else if (o) {
			i++;
		} else if (!c.options_ended && str_eq(argv[i], "--")) {
			c.options_ended = true;
		} else if (c.options_ended || argv[i][0] != '-') {
			c.operands++;
			c.options_ended = c.options_ended || p->first_operand_ends;
		}
	}
	return c;
}

int complete_verb(const struct verb *v, int argc, char **argv)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;
	struct opt_parser p = frame_parser(v);
	const char *word = argc > 1 ? argv[argc - 1] : "";
	struct cursor c = find_cursor(&p, argc, argv);

	if (c.value_of)
		offer_value(&out, c.value_of, word, "");
	else if (!c.options_ended && str_has_prefix(word, "--") && strchr(word, '='))
		offer_long_value(&out, &p, word);
	else if (!c.options_ended && word[0] == '-')
		offer_options(&out, v, word);
	else if (c.operands < v->max_operands && (!c.operands || !p.first_operand_ends))
		offer_kind(&out, word, "", v->offers);
	else
		strbuf_addstr(&out, ":file\n");
	return cmd_print(&out);
}
