/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <stdlib.h>

#include "cmd/docker/frame/argv.h"
#include "cmd/docker/frame/docker.h"
#include "cmd/docker/show/format.h"
#include "cmd/docker/show/listed.h"
#include "cmd/docker/show/ps_filter.h"
#include "cmd/docker/container/ps_row.h"
#include "cmd/docker/show/template.h"
#include "cmd/docker/show/value.h"
#include "cmd/docker/frame/verbs.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"

struct ps_args {
	bool all, quiet, no_trunc, latest, size;
	int64_t last;
	struct strv filters;
	const char *format;
};

#define AT(member) offsetof(struct ps_args, member)

static const struct opt ps_opts[] = {
	{OPT_FLAG, 'a', "all", NULL, AT(all),
	 .help = "Show all containers (default shows just running)"},
	{OPT_CALL, 'f', "filter", "filter", AT(filters), .set = ps_filter_set,
	 .help = "Filter output based on conditions provided"},
	{OPT_STR, 0, "format", "string", AT(format),
	 .help = "Format output using a custom template"},
	{OPT_CALL, 'n', "last", "int", AT(last), .set = docker_set_int,
	 .help = "Show n last created containers (includes all states) (default -1)"},
	{OPT_FLAG, 'l', "latest", NULL, AT(latest),
	 .help = "Show the latest created container (includes all states)"},
	{OPT_FLAG, 0, "no-trunc", NULL, AT(no_trunc), .help = "Don't truncate output"},
	{OPT_FLAG, 'q', "quiet", NULL, AT(quiet), .help = "Only display container IDs"},
	{OPT_FLAG, 's', "size", NULL, AT(size), .help = "Display total file sizes"},
	{0},
};
static const struct opt_table ps_table = {"Options", ps_opts};

static void ps_init(void *args)
{
	((struct ps_args *)args)->last = -1;
}

static void ps_done(void *args)
{
	strv_free(&((struct ps_args *)args)->filters);
}

/*
 * docker runs the template once before it asks the daemon, to learn whether it wants sizes; it
 * tells an error of the template in other words there than anywhere else.
 */
static int try_template(struct ps_args *a)
{
	_template_ struct template *t = NULL;
	_docker_value_ struct docker_value *row = NULL;
	_strbuf_ struct strbuf out = STRBUF_INIT;
	struct err e = ERR_INIT;

	if (!a->format || !*a->format)
		return 0;
	if (template_parse("", a->format, &t, &e) < 0)
		return docker_say(DOCKER_EXIT_FAILED, "failed to parse template: %s", e.msg);
	row = ps_row_sample();
	if (template_run(t, row, 0, &out, &e) < 0)
		return docker_say(DOCKER_EXIT_FAILED, "failed to execute template: %s", e.msg);
	a->size |= template_uses(t, "Size") || str_eq(a->format, "raw");
	return 0;
}

static int print_ids(const struct ps_args *a, const struct listed **chosen, size_t n)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;

	if (a->format && *a->format)
		docker_say(0, "WARNING: Ignoring custom format, because both --format and --quiet "
			      "are set.");
	for (size_t i = 0; i < n; i++)
		strbuf_addf(&out, "%.*s\n", a->no_trunc ? NAME_CONTAINER_ID_DIGITS : NAME_ID_DIGITS,
			    chosen[i]->id);
	return cmd_print(&out);
}

static int print_rows(struct docker *d, const struct ps_args *a, const struct listed **chosen,
		      size_t n, uint64_t now_ns)
{
	const struct ps_row_style style = {&d->cmd.paths, now_ns, !a->no_trunc, a->size};
	_docker_value_ struct docker_value *rows = docker_value_new(DOCKER_VALUE_LIST);
	_strbuf_ struct strbuf out = STRBUF_INIT;
	struct format f = {a->format, NULL, PS_ROW_RAW, ps_row_heads};
	struct err e = ERR_INIT;

	f.table = a->size ? PS_ROW_TABLE "\t{{.Size}}" : PS_ROW_TABLE;
	for (size_t i = 0; i < n; i++)
		ps_row_add(rows, chosen[i], &style);
	if (docker_value_check(rows, &e) < 0 || format_rows(&f, rows, &out, &e) < 0)
		return docker_say(DOCKER_EXIT_FAILED, "%s", e.msg);
	return cmd_print(&out);
}

static size_t most_of(const struct ps_args *a)
{
	return a->latest ? 1 : a->last > 0 ? (size_t)a->last : SIZE_MAX;
}

static bool wants_any(const struct ps_args *a)
{
	return a->all || most_of(a) != SIZE_MAX || ps_filter_wants_all(&a->filters);
}

static int show(struct docker *d, const struct ps_args *a, const struct listed_list *all)
{
	_free_ const struct listed **chosen = calloc(all->n + 1, sizeof(*chosen));
	size_t n = 0, most = most_of(a);
	bool any = wants_any(a);
	struct ps_filter *filter = NULL;
	struct err e = ERR_INIT;

	if (!chosen)
		return docker_say(DOCKER_EXIT_FAILED, "out of memory");
	if (ps_filter_new(&a->filters, all, &filter, &e) < 0)
		return docker_daemon_error("%s", e.msg);
	for (size_t i = 0; i < all->n && n < most; i++) {
		const struct listed *x = &all->items[i];

		if (!any && !container_is_active(x->status))
			continue;
		if (ps_filter_matches(filter, x))
			chosen[n++] = x;
	}
	ps_filter_free(filter);
	return a->quiet ? print_ids(a, chosen, n) : print_rows(d, a, chosen, n, all->now_ns);
}

static int ps_run(struct docker *d, void *args, int argc, char **argv)
{
	_listed_ struct listed_list all = {0};
	struct ps_args *a = args;
	struct err e = ERR_INIT;
	int code = a->quiet ? 0 : try_template(a);

	(void)argc, (void)argv;
	if (code)
		return code;
	/* A filter may name one that does not run. */
	if (listed_read(&d->cmd.paths, wants_any(a) || a->filters.n, &all, &e) < 0)
		return docker_daemon_error("%s", e.msg);
	return show(d, a, &all);
}

const struct docker_verb docker_verb_ps = {
	.name = "ps",
	.usage = "[OPTIONS]",
	.uses = (const struct opt_use[]){{&ps_table, 0}, {0}},
	.max_operands = 0,
	.args_bytes = sizeof(struct ps_args),
	.init = ps_init,
	.done = ps_done,
	.run = ps_run,
};
