/* SPDX-License-Identifier: Apache-2.0 */

/* Option tables as text: plain for --help, mdoc(7) for the man pages. */

#include <string.h>

#include "cmd/frame/opt.h"
#include "cmd/frame/text.h"
#include "runtime/base/str.h"

#define HELP_COLUMN 28

static void add_forms(const struct opt_parser *p, const struct opt *o, struct strbuf *out)
{
	char letter = opt_letter_of(p, o);

	if (letter)
		strbuf_addf(out, "  -%c, --%s", letter, o->name);
	else
		strbuf_addf(out, "      --%s", o->name);
	if (o->kind == OPT_MAYBE)
		strbuf_addf(out, "[=%s]", o->arg);
	else if (o->arg)
		strbuf_addf(out, " %s", o->arg);
}

/* The sentences that follow from the row itself. */
static void add_facts(const struct opt *o, struct strbuf *text)
{
	if (o->kind == OPT_CHOICE)
		strbuf_addf(text, "; one of %s", o->choices);
	if (o->kind == OPT_LIST || o->repeats)
		strbuf_addstr(text, "; may be repeated");
	if (o->initial)
		strbuf_addf(text, " (default: %s)", o->initial);
}

void opt_format_help(const struct opt_parser *p, struct strbuf *out)
{
	for (const struct opt_use *u = p->uses; u && u->table; u++) {
		strbuf_addf(out, "\n%s:\n", u->table->title);
		for (const struct opt *o = u->table->opts; o->kind; o++) {
			_strbuf_ struct strbuf left = STRBUF_INIT, text = STRBUF_INIT;

			add_forms(p, o, &left);
			strbuf_addstr(&text, o->help);
			add_facts(o, &text);
			text_two_columns(out, strbuf_str(&left), strbuf_str(&text), HELP_COLUMN);
		}
	}
}

void opt_format_row(const struct opt *o, size_t column, struct strbuf *out)
{
	size_t start = out->len;

	if (o->letter)
		strbuf_addf(out, "-%c, --%s", o->letter, o->name);
	else
		strbuf_addf(out, "    --%s", o->name);
	if (o->arg)
		strbuf_addf(out, " %s", o->arg);
	strbuf_addstr(out, "  ");
	while (!out->failed && out->len - start < column)
		strbuf_addch(out, ' ');
	strbuf_addf(out, "%s\n", o->help);
}

static void man_option(const struct opt_parser *p, const struct opt *o, struct strbuf *out)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;
	char letter = opt_letter_of(p, o);

	strbuf_addstr(out, ".It");
	if (letter && o->arg && o->kind != OPT_MAYBE)
		strbuf_addf(out, " Fl %c Ar %s ,", letter, o->arg);
	else if (letter)
		strbuf_addf(out, " Fl %c ,", letter);
	strbuf_addf(out, " Fl -%s", o->name);
	if (o->kind == OPT_MAYBE)
		strbuf_addf(out, " Ns Op = Ns Ar %s", o->arg);
	else if (o->arg)
		strbuf_addf(out, " Ar %s", o->arg);
	strbuf_addch(out, '\n');
	strbuf_addstr(&text, o->help);
	add_facts(o, &text);
	strbuf_addch(&text, '.');
	text_man_prose(out, strbuf_str(&text));
	if (o->has_key) {
		strbuf_reset(&text);
		opt_key_name(o, &text);
		strbuf_addf(out, "Key and variable:\n.Ev %s .\n", strbuf_str(&text));
	}
}

void opt_format_man(const struct opt_parser *p, struct strbuf *out)
{
	for (const struct opt_use *u = p->uses; u && u->table; u++) {
		if (u != p->uses || u[1].table)
			strbuf_addf(out, ".Ss %s\n", u->table->title);
		strbuf_addstr(out, ".Bl -tag -width Ds\n");
		for (const struct opt *o = u->table->opts; o->kind; o++)
			man_option(p, o, out);
		strbuf_addstr(out, ".El\n");
	}
}
