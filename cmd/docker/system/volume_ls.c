/* SPDX-License-Identifier: Apache-2.0 */

/* docker volume ls. */

#include <regex.h>
#include <stddef.h>

#include "cmd/docker/daemon/volume.h"
#include "cmd/docker/frame/argv.h"
#include "cmd/docker/frame/docker.h"
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

static int check_filters(const struct ls_args *a, struct err *e)
{
	static const char *const keys[] = {"dangling=", "driver=", "label=", "name="};

	for (size_t i = 0; i < a->filters.n; i++) {
		const char *f = a->filters.items[i];
		bool known = false;

		for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++)
			known |= str_has_prefix(f, keys[k]);
		if (!known)
			return err_set(e, EINVAL, "invalid filter '%.*s'", (int)strcspn(f, "="), f);
		if (str_has_prefix(f, "dangling=") && docker_parse_bool(f + 9) < 0)
			return err_set(e, EINVAL, "invalid filter 'dangling=[%s]'", f + 9);
	}
	return 0;
}

static bool name_matches(const char *pattern, const char *name)
{
	regex_t regex;
	bool yes = str_eq(pattern, name);

	if (yes || regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB))
		return yes;
	yes = !regexec(&regex, name, 0, NULL, 0);
	regfree(&regex);
	return yes;
}

/* Of names and drivers any may match, of labels all. 1, 0, or an error. */
static int chosen(struct docker *d, const struct ls_args *a, const char *name,
		  const struct strv *labels, struct err *e)
{
	bool names = false, drivers = false, named = false, driven = false;

	for (size_t i = 0; i < a->filters.n; i++) {
		const char *f = a->filters.items[i], *value = strchr(f, '=') + 1;

		if (str_has_prefix(f, "label=")) {
			if (!docker_has_label(labels, value))
				return 0;
		} else if (str_has_prefix(f, "name=")) {
			names = true;
			named |= name_matches(value, name);
		} else if (str_has_prefix(f, "driver=")) {
			drivers = true;
			driven |= str_eq(value, "local");
		} else {
			_strv_ struct strv users = STRV_INIT;
			int r = volume_users(&d->cmd.paths, name, &users, e);

			if (r < 0)
				return r;
			if (docker_parse_bool(value) != !users.n)
				return 0;
		}
	}
	return (!names || named) && (!drivers || driven);
}

static void add_row(struct docker *d, struct value *rows, const char *name,
		    const struct strv *labels)
{
	_strbuf_ struct strbuf all = STRBUF_INIT;
	struct value *row = value_add(rows, NULL, VALUE_STRUCT);

	if (row)
		row->type = "*formatter.volumeContext";
	value_str(row, "Availability", "N/A");
	value_str(row, "Driver", "local");
	value_str(row, "Group", "N/A");
	for (size_t i = 0; i < labels->n; i++)
		strbuf_addf(&all, "%s%s", i ? "," : "", labels->items[i]);
	value_str(row, "Labels", strbuf_str(&all));
	value_str(row, "Links", "N/A");
	value_strf(row, "Mountpoint", "%s/volumes/%s/_data", d->cmd.paths.data, name);
	value_str(row, "Name", name);
	value_str(row, "Scope", "local");
	value_str(row, "Size", "N/A");
	value_str(row, "Status", "N/A");
}

static int add_rows(struct docker *d, const struct ls_args *a, struct value *rows, struct err *e)
{
	_strv_ struct strv names = STRV_INIT;
	int r = check_filters(a, e);

	if (r >= 0)
		r = volume_list(&d->cmd.paths, &names, e);
	for (size_t i = 0; r >= 0 && i < names.n; i++) {
		_strv_ struct strv labels = STRV_INIT;

		r = volume_labels(&d->cmd.paths, names.items[i], &labels, e);
		if (r >= 0)
			r = chosen(d, a, names.items[i], &labels, e);
		if (r > 0)
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
	_value_ struct value *rows = value_new(VALUE_LIST);
	_strbuf_ struct strbuf out = STRBUF_INIT;
	struct err e = ERR_INIT;

	(void)argc, (void)argv;
	if (a->cluster)
		return docker_say(DOCKER_EXIT_USAGE,
				  "docker: --cluster: there are no clusters of machines here");
	if (add_rows(d, a, rows, &e) < 0)
		return docker_daemon_error("%s", e.msg);
	if (value_check(rows, &e) < 0 || format_rows(&f, rows, &out, &e) < 0)
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
