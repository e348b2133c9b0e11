/* SPDX-License-Identifier: Apache-2.0 */

/* docker network ls and rm. */

#include <stddef.h>

#include "cmd/docker/daemon/network.h"
#include "cmd/docker/frame/docker.h"
#include "cmd/docker/frame/fault.h"
#include "cmd/docker/frame/verbs.h"
#include "cmd/docker/show/format.h"
#include "cmd/docker/show/human.h"
#include "cmd/docker/show/ps_filter.h"
#include "cmd/docker/show/value.h"
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

static void add_row(struct docker_value *rows, const struct network_record *n, bool no_trunc)
{
	struct docker_value *row = docker_value_add(rows, NULL, DOCKER_VALUE_STRUCT);
	_strbuf_ struct strbuf created = STRBUF_INIT, labels = STRBUF_INIT;

	if (row)
		row->type = "*network.networkContext";
	if (n->created_ns)
		human_time(&created, n->created_ns);
	else
		strbuf_addstr(&created, "0001-01-01 00:00:00 +0000 UTC");
	for (size_t i = 0; i < n->labels.n; i++)
		strbuf_addf(&labels, "%s%s", i ? "," : "", n->labels.items[i]);
	docker_value_str(row, "CreatedAt", strbuf_str(&created));
	docker_value_str(row, "Driver", n->driver);
	docker_value_strn(row, "ID", n->id, no_trunc ? 64 : 12);
	docker_value_str(row, "IPv4", "true");
	docker_value_str(row, "IPv6", n->ipv6 ? "true" : "false");
	docker_value_str(row, "Internal", "false");
	docker_value_str(row, "Labels", strbuf_str(&labels));
	docker_value_str(row, "Name", n->name);
	docker_value_str(row, "Scope", "local");
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
	_docker_networks_ struct docker_network_list all = {0};
	_docker_value_ struct docker_value *rows = docker_value_new(DOCKER_VALUE_LIST);
	struct docker_fault fault = DOCKER_FAULT_INIT;
	_strbuf_ struct strbuf out = STRBUF_INIT;
	struct err e = ERR_INIT;

	(void)argc, (void)argv;
	if (docker_network_list(&d->cmd.paths, &a->filters, &all, &fault) < 0)
		return docker_daemon_error("%s", fault.err.msg);
	for (size_t i = 0; i < all.n; i++)
		add_row(rows, &all.items[i].record, a->no_trunc);
	if (docker_value_check(rows, &e) < 0 || format_rows(&f, rows, &out, &e) < 0)
		return docker_say(DOCKER_EXIT_FAILED, "%s", e.msg);
	return cmd_print(&out);
}

const struct docker_verb docker_verb_network_ls = {
	.name = "network ls",
	.usage = "[OPTIONS]",
	.uses = (const struct opt_use[]){{&network_table, 0}, {0}},
	.max_operands = 0,
	.args_bytes = sizeof(struct network_args),
	.done = network_done,
	.run = network_ls_run,
};

/* --- rm ----------------------------------------------------------------------------------- */

struct rm_args {
	bool force;
};

static const struct opt rm_opts[] = {
	{OPT_FLAG, 'f', "force", NULL, offsetof(struct rm_args, force),
	 .help = "Do not error if the network does not exist"},
	{0},
};
static const struct opt_table rm_table = {"Options", rm_opts};

static int network_rm_run(struct docker *d, void *args, int argc, char **argv)
{
	const struct rm_args *a = args;
	int code = 0;

	for (int i = 0; i < argc; i++) {
		struct docker_fault f = DOCKER_FAULT_INIT;
		_strbuf_ struct strbuf out = STRBUF_INIT;

		strbuf_addf(&out, "%s\n", argv[i]);
		if (docker_network_remove(&d->cmd.paths, argv[i], &f) >= 0)
			code = cmd_print(&out) ? DOCKER_EXIT_FAILED : code;
		else if (!a->force || f.status != DOCKER_NOT_FOUND)
			code = docker_daemon_error("%s", f.err.msg);
	}
	return code;
}

const struct docker_verb docker_verb_network_rm = {
	.name = "network rm",
	.usage = "NETWORK [NETWORK...]",
	.uses = (const struct opt_use[]){{&rm_table, 0}, {0}},
	.min_operands = 1,
	.max_operands = CMD_MANY,
	.args_bytes = sizeof(struct rm_args),
	.run = network_rm_run,
};
