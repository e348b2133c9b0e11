/* SPDX-License-Identifier: Apache-2.0 */

/*
 * `docker network`: there are host and none, and no others can be made. A name given to --network
 * that is none of them is refused where it is given.
 */

#include <stddef.h>

#include "cmd/docker/frame/docker.h"
#include "cmd/docker/show/format.h"
#include "cmd/docker/show/ps_filter.h"
#include "cmd/docker/system/inspect_others.h"
#include "cmd/docker/show/value.h"
#include "cmd/docker/frame/verbs.h"
#include "runtime/base/err.h"

struct network_args {
	bool quiet, no_trunc;
	const char *format;
	struct strv filters;
};

#define AT(member) offsetof(struct network_args, member)

static const struct opt network_opts[] = {
	{OPT_CALL, 'f', "filter", "filter", AT(filters), .set = ps_filter_set,
	 .help = "Provide filter values (e.g. \"driver=bridge\")"},
	{OPT_STR, 0, "format", "string", AT(format),
	 .help = "Format output using a custom template"},
	{OPT_FLAG, 0, "no-trunc", NULL, AT(no_trunc), .help = "Do not truncate the output"},
	{OPT_FLAG, 'q', "quiet", NULL, AT(quiet), .help = "Only display network IDs"},
	{0},
};
static const struct opt_table network_table = {"Options", network_opts};

static void network_done(void *args)
{
	strv_free(&((struct network_args *)args)->filters);
}

/* 1: shown, 0: not, -EINVAL: a filter there is not. */
static int chosen(const struct network_args *a, const struct network *n, struct err *e)
{
	bool yes = true;

	for (size_t i = 0; i < a->filters.n; i++) {
		const char *f = a->filters.items[i], *value = strchr(f, '=') + 1;

		if (str_has_prefix(f, "name="))
			yes &= strstr(n->name, value) != NULL;
		else if (str_has_prefix(f, "driver="))
			yes &= str_eq(n->driver, value);
		else if (str_has_prefix(f, "id="))
			yes &= str_has_prefix(n->id, value);
		else if (str_has_prefix(f, "type="))
			yes &= str_eq(value, "builtin");
		else if (str_has_prefix(f, "scope="))
			yes &= str_eq(value, "local");
		else if (str_has_prefix(f, "label=") || str_has_prefix(f, "dangling="))
			yes = false;
		else
			return err_set(e, EINVAL, "invalid filter '%.*s'", (int)strcspn(f, "="), f);
	}
	return yes;
}

static void add_row(struct value *rows, const struct network *n, bool no_trunc)
{
	struct value *row = value_add(rows, NULL, VALUE_STRUCT);

	if (row)
		row->type = "*network.networkContext";
	value_str(row, "CreatedAt", "0001-01-01 00:00:00 +0000 UTC");
	value_str(row, "Driver", n->driver);
	value_strn(row, "ID", n->id, no_trunc ? 64 : 12);
	value_str(row, "IPv4", "true");
	value_str(row, "IPv6", "false");
	value_str(row, "Internal", "false");
	value_str(row, "Labels", "");
	value_str(row, "Name", n->name);
	value_str(row, "Scope", "local");
}

static int network_ls_run(struct docker *d, void *args, int argc, char **argv)
{
	static const struct format_head heads[] = {{"ID", "NETWORK ID"},
						   {"Name", "NAME"},
						   {"Driver", "DRIVER"},
						   {"Scope", "SCOPE"},
						   {"IPv6", "IPV6"},
						   {"Internal", "INTERNAL"},
						   {"Labels", "LABELS"},
						   {"CreatedAt", "CREATED AT"},
						   {0}};
	const struct network_args *a = args;
	const struct format f = {a->format && *a->format ? a->format
				 : a->quiet              ? "{{.ID}}"
							 : NULL,
				 "{{.ID}}\t{{.Name}}\t{{.Driver}}\t{{.Scope}}", NULL, heads};
	_value_ struct value *rows = value_new(VALUE_LIST);
	_strbuf_ struct strbuf out = STRBUF_INIT;
	struct err e = ERR_INIT;

	(void)d, (void)argc, (void)argv;
	for (size_t i = 0; i < 2; i++) {
		int r = chosen(a, &inspect_networks[i], &e);

		if (r < 0)
			return docker_daemon_error("%s", e.msg);
		if (r)
			add_row(rows, &inspect_networks[i], a->no_trunc);
	}
	if (value_check(rows, &e) < 0 || format_rows(&f, rows, &out, &e) < 0)
		return docker_say(DOCKER_EXIT_FAILED, "%s", e.msg);
	return cmd_print(&out);
}

const struct docker_verb docker_verb_network_ls = {
	.name = "network ls",
	.usage = "[OPTIONS]",
	.uses = (const struct opt_use[]){{&network_table, 0}, {0}},
	.flags = DOCKER_NO_STATE,
	.max_operands = 0,
	.args_bytes = sizeof(struct network_args),
	.done = network_done,
	.run = network_ls_run,
};

static int network_rm_run(struct docker *d, void *args, int argc, char **argv)
{
	int code = 0;

	(void)d, (void)args;
	for (int i = 0; i < argc; i++) {
		_value_ struct value *v = NULL;

		if (inspect_network_by_name(NULL, argv[i], false, &v, NULL) >= 0)
			code = docker_daemon_error(
				"%s is a pre-defined network and cannot be removed", argv[i]);
		else
			code = docker_daemon_error("network %s not found", argv[i]);
	}
	return code;
}

const struct docker_verb docker_verb_network_rm = {
	.name = "network rm",
	.usage = "NETWORK [NETWORK...]",
	.flags = DOCKER_NO_STATE,
	.min_operands = 1,
	.max_operands = CMD_MANY,
	.run = network_rm_run,
};
