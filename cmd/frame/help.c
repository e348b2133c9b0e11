/* SPDX-License-Identifier: Apache-2.0 */

/* The texts of --help, made from the command list and the option tables. */

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/frame/cmd.h"
#include "cmd/frame/frame.h"
#include "cmd/frame/text.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"

static const char *const group_titles[GROUP_MAX] = {
	[GROUP_IMAGE] = "Images",
	[GROUP_CONTAINER] = "Containers",
	[GROUP_RUN] = "Running programs",
	[GROUP_SYSTEM] = "csbx itself",
};

/* Where make install puts docs/, found from where this program is; "" where there is none. */
static void add_docs_place(struct strbuf *out)
{
	static const char *const ways[] = {"/../share/doc/csbx", "/../../share/doc/csbx"};
	char exe[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	char *slash;

	exe[n > 0 ? n : 0] = 0;
	slash = strrchr(exe, '/');
	if (!slash)
		return;
	*slash = 0;
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		_free_ char *way = str_printf("%s%s", exe, ways[i]);
		_free_ char *dir = way ? realpath(way, NULL) : NULL;

		if (!dir)
			continue;
		strbuf_addf(out, "\nThe files docs/... are in %s.\n", dir);
		return;
	}
}

static bool names_docs(const struct verb *v)
{
	bool found = strstr(v->description, "docs/");

	for (const struct opt_use *u = v->uses; !found && u && u->table; u++) {
		for (const struct opt *o = u->table->opts; o->kind && !found; o++)
			found = o->help && strstr(o->help, "docs/");
	}
	return found;
}

void help_format_overview(struct strbuf *out)
{
	strbuf_addstr(out, "Usage: csbx COMMAND [OPTIONS] [OPERANDS]\n\n");
	text_wrap(out,
		  "Turns OCI and Docker images into squashfs files and starts unprivileged "
		  "containers from them: no root, no daemon, no setuid program of its own.",
		  0, 0);
	for (int g = 0; g < GROUP_MAX; g++) {
		bool titled = false;

		for (const struct command *c = command_list; c->name; c++) {
			_strbuf_ struct strbuf left = STRBUF_INIT;

			if ((int)c->group != g)
				continue;
			if (!titled)
				strbuf_addf(out, "\n%s:\n", group_titles[g]);
			titled = true;
			strbuf_addf(&left, "  %s", c->name);
			text_two_columns(out, strbuf_str(&left), c->summary, 13);
		}
	}
	strbuf_addstr(out, "\n`csbx COMMAND --help` explains a command and its options, with "
			   "examples.\n");
	add_docs_place(out);
}

static bool has_keys(const struct verb *v)
{
	for (const struct opt_use *u = v->uses; u && u->table; u++) {
		for (const struct opt *o = u->table->opts; o->kind; o++) {
			if (o->has_key)
				return true;
		}
	}
	return false;
}

void help_format_verb(const struct verb *v, struct strbuf *out)
{
	struct opt_parser parser = frame_parser(v);
	const struct command *c = command_find(v->name);

	strbuf_addf(out, "Usage: csbx %s%s%s\n\n", v->name, *v->usage ? " " : "", v->usage);
	if (c)
		strbuf_addf(out, "%s.\n\n", c->summary);
	text_paragraphs(out, v->description);
	opt_format_help(&parser, out);
	for (const struct verb_example *x = v->examples; x && x->command; x++)
		strbuf_addf(out, "%s\n  # %s\n  %s\n", x == v->examples ? "\nExamples:" : "",
			    x->text, x->command);
	if (has_keys(v)) {
		strbuf_addch(out, '\n');
		text_wrap(out,
			  "If the command line is silent, csbx takes an option's value from the "
			  "variable CSBX_<OPTION> (--pids-limit: CSBX_PIDS_LIMIT) or from the key "
			  "of that name in csbx.conf; see csbx.conf(5).",
			  0, 0);
	}
	if (names_docs(v))
		add_docs_place(out);
}
