/* SPDX-License-Identifier: Apache-2.0 */

/* docker's --help: usage, summary, options; only what csbx does is listed. */

#include <stdio.h>

#include "cmd/docker/frame/docker.h"
#include "runtime/base/str.h"

#define COLUMN 35 /* of the texts, behind the indentation */

static const struct docker_command *command_of(const struct docker_verb *v)
{
	for (const struct docker_command *c = docker_commands; c->summary; c++) {
		if (str_eq(c->top ? c->top : c->path, v->name))
			return c;
	}
	return NULL;
}

void docker_help_verb(const struct docker *d, struct strbuf *out)
{
	const struct docker_command *c = command_of(d->verb);
	bool any = false;

	strbuf_addf(out, "Usage:  %s %s\n\n%s\n", d->path, d->verb->usage, c ? c->summary : "");
	if (c && c->path && c->top)
		strbuf_addf(out, "\nAliases:\n  docker %s, docker %s\n", c->path, c->top);
	for (const struct opt_use *u = d->verb->uses; u && u->table; u++) {
		for (const struct opt *o = u->table->opts; o->kind; o++) {
			if (!o->help)
				continue;
			strbuf_addstr(out, any ? "" : "\nOptions:\n");
			any = true;
			strbuf_addstr(out, "  ");
			opt_format_row(o, COLUMN, out);
		}
	}
}

void docker_help_group(const char *group, struct strbuf *out)
{
	size_t n = strlen(group);

	strbuf_addf(out, "Usage:  docker %s COMMAND\n\nCommands:\n", group);
	for (const struct docker_command *c = docker_commands; c->summary; c++) {
		if (!c->path || strncmp(c->path, group, n) || c->path[n] != ' ' ||
		    c->program == PROGRAM_MAX)
			continue;
		strbuf_addf(out, "  %-11s %s\n", c->path + n + 1, c->summary);
	}
	strbuf_addf(out, "\nRun 'docker %s COMMAND --help' for more information on a command.\n",
		    group);
}

void docker_help_overview(struct strbuf *out)
{
	strbuf_addstr(out, "Usage:  docker [OPTIONS] COMMAND\n\n"
			   "csbx in the place of docker: containers without a daemon or root\n\n"
			   "Management Commands:\n"
			   "  container   Manage containers\n"
			   "  context     Manage contexts\n"
			   "  image       Manage images\n"
			   "  network     Manage networks\n"
			   "  system      Manage Docker\n"
			   "  volume      Manage volumes\n\nCommands:\n");
	for (const struct docker_command *c = docker_commands; c->summary; c++) {
		if (c->top && c->program != PROGRAM_MAX)
			strbuf_addf(out, "  %-11s %s\n", c->top, c->summary);
	}
	strbuf_addstr(out,
		      "\nGlobal Options:\n"
		      "      --config string      Location of client config files\n"
		      "  -c, --context string     Name of the context (default is the only one)\n"
		      "  -D, --debug              Enable debug mode (accepted)\n"
		      "  -H, --host list          Daemon socket to connect to (accepted if local)\n"
		      "  -l, --log-level string   Set the logging level (accepted)\n"
		      "  -v, --version            Print version information and quit\n\n"
		      "Run 'docker COMMAND --help' for more information on a command.\n");
}
