/* SPDX-License-Identifier: Apache-2.0 */

/* Usage, from the tables the parser reads. */

#include "cmd/enroot/frame/enroot.h"
#include "runtime/base/str.h"

#define COLUMN 22 /* of the texts, behind the indentation */

void enroot_help_options(const struct enroot_verb *v, const char *heading, struct strbuf *out)
{
	bool any = false;

	strbuf_addstr(out, heading);
	for (const struct opt_use *u = v->uses; u && u->table; u++) {
		for (const struct opt *o = u->table->opts; o->kind; o++) {
			strbuf_addstr(out, any ? "" : "\n Options:\n");
			any = true;
			strbuf_addstr(out, "   ");
			opt_format_row(o, COLUMN, out);
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
