/* SPDX-License-Identifier: Apache-2.0 */

/* docker volume ls. */

#include <stddef.h>

#include "cmd/docker/volume/list.h"
#include "cmd/docker/frame/docker.h"
#include "cmd/docker/frame/fault.h"
#include "cmd/docker/show/format.h"
#include "cmd/docker/show/ps_filter.h"
#include "cmd/docker/show/value.h"
#include "cmd/docker/frame/verbs.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/record/volume.h"

struct ls_args {
	bool quiet, cluster;
	const char *format;
	struct strv filters;
};

#define AT(member) offsetof(struct ls_args, member)

static const struct opt ls_opts[] = {
	{OPT_FLAG, 0, "cluster", NULL, AT(cluster),
	 .help = "Display only cluster volumes, and use cluster volume list formatting"},
	{OPT_CALL, 'f', "filter", "filter", AT(filters), .set = ps_filter_set,
	 .help = "Provide filter values (e.g. \"dangling=true\")"},
	{OPT_STR, 0, "format", "string", AT(format),
	 .help = "Format output using a custom template"},
	{OPT_FLAG, 'q', "quiet", NULL, AT(quiet), .help = "Only display volume names"},
	{0},
};
static const struct opt_table ls_table = {"Options", ls_opts};

static void ls_done(void *args)
{
	strv_free(&((struct ls_args *)args)->filters);
}

static void add_row(struct docker *d, struct docker_value *rows, const char *name,
		    const struct strv *labels)
{
	_strbuf_ struct strbuf all = STRBUF_INIT;
	struct docker_value *row = docker_value_add(rows, NULL, DOCKER_VALUE_STRUCT);

	if (row)
		row->type = "*formatter.volumeContext";
	docker_value_str(row, "Availability", "N/A");
	docker_value_str(row, "Driver", "local");
	docker_value_str(row, "Group", "N/A");
	for (size_t i = 0; i < labels->n; i++)
		strbuf_addf(&all, "%s%s", i ? "," : "", labels->items[i]);
	docker_value_str(row, "Labels", strbuf_str(&all));
	docker_value_str(row, "Links", "N/A");
	docker_value_strf(row, "Mountpoint", "%s/volumes/%s/_data", d->cmd.paths.data, name);
	docker_value_str(row, "Name", name);
	docker_value_str(row, "Scope", "local");
	docker_value_str(row, "Size", "N/A");
	docker_value_str(row, "Status", "N/A");
}

static int add_rows(struct docker *d, const struct ls_args *a, struct docker_value *rows,
		    struct docker_fault *f)
{
	_strv_ struct strv names = STRV_INIT;
	int r = docker_volume_list(&d->cmd.paths, &a->filters, &names, f);

	for (size_t i = 0; r >= 0 && i < names.n; i++) {
		_strv_ struct strv labels = STRV_INIT;

		r = volume_labels(&d->cmd.paths, names.items[i], &labels, &f->err);
		if (r >= 0)
			add_row(d, rows, names.items[i], &labels);
	}
	return r;
}

static int ls_run(struct docker *d, void *args, int argc, char **argv)
{
	static const struct format_head heads[] = {{"Name", "VOLUME NAME"},
						   {"Driver", "DRIVER"},
						   {"Scope", "SCOPE"},
						   {"Availability", "AVAILABILITY"},
						   {"Mountpoint", "MOUNTPOINT"},
						   {"Links", "LINKS"},
						   {"Size", "SIZE"},
						   {"Labels", "LABELS"},
						   {"Group", "GROUP"},
						   {"Status", "STATUS"},
						   {0}};
	const struct ls_args *a = args;
	const struct format f = {a->quiet                  ? "{{.Name}}"
				 : a->format && *a->format ? a->format
							   : NULL,
				 "{{.Driver}}\t{{.Name}}", NULL, heads};
	_docker_value_ struct docker_value *rows = docker_value_new(DOCKER_VALUE_LIST);
	struct docker_fault fault = DOCKER_FAULT_INIT;
	_strbuf_ struct strbuf out = STRBUF_INIT;
	struct err e = ERR_INIT;

	(void)argc, (void)argv;
	if (a->cluster)
		return docker_say(DOCKER_EXIT_USAGE,
				  "docker: --cluster: there are no clusters of machines here");
	if (add_rows(d, a, rows, &fault) < 0)
		return docker_daemon_error("%s", fault.err.msg);
	if (docker_value_check(rows, &e) < 0 || format_rows(&f, rows, &out, &e) < 0)
		return docker_say(DOCKER_EXIT_FAILED, "%s", e.msg);
	return cmd_print(&out);
}

const struct docker_verb docker_verb_volume_ls = {
	.name = "volume ls",
	.usage = "[OPTIONS]",
	.uses = (const struct opt_use[]){{&ls_table, 0}, {0}},
	.max_operands = 0,
	.args_bytes = sizeof(struct ls_args),
	.done = ls_done,
	.run = ls_run,
};
