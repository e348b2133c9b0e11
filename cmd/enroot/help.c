/* SPDX-License-Identifier: Apache-2.0 */

/* Usage, from the tables the parser reads. */

#include "cmd/enroot/enroot.h"
#include "runtime/base/str.h"

#define COLUMN 25

static void add_row(const struct opt *o, struct strbuf *out)
{
	size_t start = out->len;

	if (o->letter)
		strbuf_addf(out, "   -%c, --%s", o->letter, o->name);
	else
		strbuf_addf(out, "       --%s", o->name);
	if (o->arg)
		strbuf_addf(out, " %s", o->arg);
	strbuf_addstr(out, "  ");
	while (!out->failed && out->len - start < COLUMN)
		strbuf_addch(out, ' ');
	strbuf_addf(out, "%s\n", o->help);
}

void enroot_help_options(const struct enroot_verb *v, const char *heading, struct strbuf *out)
{
	bool any = false;

	strbuf_addstr(out, heading);
	for (const struct opt_use *u = v->uses; u && u->table; u++) {
		for (const struct opt *o = u->table->opts; o->kind; o++) {
			strbuf_addstr(out, any ? "" : "\n Options:\n");
			any = true;
			add_row(o, out);
		}
	}
}

void enroot_help_verb(const struct enroot_verb *v, struct strbuf *out)
{
	const struct enroot_command *c = enroot_command_find(v->name);
	_strbuf_ struct strbuf heading = STRBUF_INIT;

	strbuf_addf(&heading, "Usage: enroot %s%s%s\n\n%s.\n", v->name, c && *c->usage ? " " : "",
		    c ? c->usage : "", c ? c->summary : "");
	enroot_help_options(v, strbuf_str(&heading), out);
}

void enroot_help_overview(struct strbuf *out)
{
	strbuf_addstr(out, "Usage: enroot COMMAND [ARG...]\n\n"
			   "csbx in the place of enroot: containers without root.\n\n Commands:\n");
	for (const struct enroot_command *c = enroot_commands; c->name; c++)
		strbuf_addf(out, "    %-*s%s\n", *c->usage ? 9 : 0, c->name, c->usage);
}
