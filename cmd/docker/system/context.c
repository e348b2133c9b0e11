/* SPDX-License-Identifier: Apache-2.0 */

/* docker context: there is one, the default, and no daemon behind it. */

#include <stddef.h>

#include "cmd/docker/frame/docker.h"
#include "cmd/docker/show/format.h"
#include "cmd/docker/show/value.h"
#include "cmd/docker/frame/verbs.h"
#include "runtime/base/err.h"
#include "runtime/base/str.h"

#define NAME "default"

struct context_args {
	bool quiet;
	const char *format;
};

static const struct opt context_opts[] = {
	{OPT_STR, 0, "format", "string", offsetof(struct context_args, format),
	 .help = "Format output using a custom template"},
	{OPT_FLAG, 'q', "quiet", NULL, offsetof(struct context_args, quiet),
	 .help = "Only show context names"},
	{0},
};
static const struct opt_table context_table = {"Options", context_opts};

static void add_row(struct docker_value *rows, bool quiet)
{
	struct docker_value *row = docker_value_add(rows, NULL, DOCKER_VALUE_STRUCT);

	if (row)
		row->type = "*formatter.clientContextContext";
	docker_value_bool(row, "Current", true);
	docker_value_str(row, "Description", "Containers of csbx, without a daemon");
	docker_value_str(row, "DockerEndpoint", "");
	docker_value_str(row, "Error", "");
	/* The mark is for people. */
	docker_value_str(row, "Name", quiet ? NAME : NAME " *");
}

static int context_ls_run(struct docker *d, void *args, int argc, char **argv)
{
	static const struct format_head heads[] = {{"Name", "NAME"},
						   {"Description", "DESCRIPTION"},
						   {"DockerEndpoint", "DOCKER ENDPOINT"},
						   {"Error", "ERROR"},
						   {0}};
	const struct context_args *a = args;
	const char *text = a->format && *a->format ? a->format : NULL;
	const struct format f = {a->quiet ? "{{.Name}}" : text,
				 "{{.Name}}\t{{.Description}}\t{{.DockerEndpoint}}\t{{.Error}}",
				 NULL, heads};
	_docker_value_ struct docker_value *rows = docker_value_new(DOCKER_VALUE_LIST);
	_strbuf_ struct strbuf out = STRBUF_INIT;
	struct err e = ERR_INIT;

	(void)d, (void)argc, (void)argv;
	add_row(rows, a->quiet || (text && !str_has_prefix(text, "table")));
	if (docker_value_check(rows, &e) < 0 || format_rows(&f, rows, &out, &e) < 0)
		return docker_say(DOCKER_EXIT_FAILED, "%s", e.msg);
	return cmd_print(&out);
}

static int context_show_run(struct docker *d, void *args, int argc, char **argv)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;

	(void)d, (void)args, (void)argc, (void)argv;
	strbuf_addstr(&out, NAME "\n");
	return cmd_print(&out);
}

static int context_use_run(struct docker *d, void *args, int argc, char **argv)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;

	(void)d, (void)args, (void)argc;
	if (!str_eq(argv[0], NAME))
		return docker_say(DOCKER_EXIT_FAILED,
				  "context \"%s\": context not found: csbx has only " NAME,
				  argv[0]);
	strbuf_addstr(&out, NAME "\n");
	docker_say(0, "Current context is now \"" NAME "\"");
	return cmd_print(&out);
}

const struct docker_verb docker_verb_context_ls = {
	.name = "context ls",
	.usage = "[OPTIONS]",
	.uses = (const struct opt_use[]){{&context_table, 0}, {0}},
	.flags = DOCKER_NO_STATE,
	.max_operands = 0,
	.args_bytes = sizeof(struct context_args),
	.run = context_ls_run,
};

const struct docker_verb docker_verb_context_show = {
	.name = "context show",
	.usage = "",
	.flags = DOCKER_NO_STATE,
	.max_operands = 0,
	.run = context_show_run,
};

const struct docker_verb docker_verb_context_use = {
	.name = "context use",
	.usage = "CONTEXT",
	.flags = DOCKER_NO_STATE,
	.min_operands = 1,
	.max_operands = 1,
	.run = context_use_run,
};
