/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <stdlib.h>
#include <time.h>

#include "cmd/frame/cmd.h"
#include "cmd/options/view_filter.h"
#include "cmd/frame/table.h"
#include "cmd/frame/verbs.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/json/out.h"
#include "runtime/life/container_state.h"
#include "runtime/spec/spec.h"
#include "runtime/spec/flat.h"

struct ps_args {
	bool all, quiet, json;
	struct view_filter filter;
};

static const struct opt ps_opts[] = {
	{OPT_FLAG, 'a', "all", .offset = offsetof(struct ps_args, all),
	 .help = "also what does not run"},
	{OPT_FLAG, 'q', "quiet", .offset = offsetof(struct ps_args, quiet), .help = "ids only"},
	{OPT_CALL, 0, "filter", "NAME=VALUE", offsetof(struct ps_args, filter), view_filter_add,
	 .repeats = true,
	 .help = "only those with name=PART, id=BEGINNING, label=NAME[=VALUE], status=STATUS, "
		 "ancestor=IMAGE, exited=CODE, before=CONTAINER, since=CONTAINER; values of one "
		 "name are alternatives, labels must all be there"},
	{OPT_FLAG, 0, "json", .offset = offsetof(struct ps_args, json), .help = "print JSON"},
	{0},
};

static const struct opt_table ps_table = {"Options", ps_opts};

/* A row, ready to print: the walk frees what it hands out when it goes on. */
struct row {
	uint64_t created_ns;
	struct strbuf text; /* quiet, json: as it is printed */
	struct strv cells;
};

struct ps {
	const struct ps_args *args;
	uint64_t now_ns;
	struct row *rows;
	size_t n, cap;
};

static void add_command(const struct container_view *v, struct strv *ret)
{
	struct container_spec s;

	if (v->instance) {
		for (size_t i = 0; i < v->instance->command.n; i++)
			strv_add(ret, v->instance->command.items[i]);
	} else if (v->record && v->record->spec &&
		   spec_flat_read(&s, v->record->spec, v->record->spec_len, NULL) >= 0) {
		for (size_t i = 0; i < s.proc.argv.n; i++)
			strv_add(ret, s.proc.argv.items[i]);
		spec_free(&s);
	}
}

static void add_state(const struct container_view *v, struct json_out *j)
{
	const struct container_state *s = &v->state;

	json_kstr(j, "status", container_status_name(s->status));
	if (s->pid)
		json_ku64(j, "pid", (uint64_t)s->pid);
	if (s->status == CONTAINER_EXITED || s->exit_code)
		json_ku64(j, "exit_code", (uint64_t)s->exit_code);
	if (s->oom_killed)
		json_kbool(j, "oom_killed", true);
	if (*s->error)
		json_kstr(j, "error", s->error);
	if (s->started_ns) {
		json_key(j, "started");
		json_time(j, s->started_ns);
	}
	if (s->finished_ns) {
		json_key(j, "finished");
		json_time(j, s->finished_ns);
	}
}

static void make_json(const struct container_view *v, struct strbuf *out)
{
	struct json_out j = JSON_OUT_INIT;
	_strv_ struct strv command = STRV_INIT;

	add_command(v, &command);
	json_begin_object(&j);
	json_kstr(&j, "id", v->id);
	json_kstr(&j, "name", v->name);
	json_kstr(&j, "image", view_image(v));
	json_kstrv(&j, "command", &command);
	json_key(&j, "created");
	json_time(&j, view_created_ns(v));
	add_state(v, &j);
	if (v->record)
		json_kstrv(&j, "labels", &v->record->labels);
	json_end_object(&j);
	if (json_finish(&j, NULL) >= 0)
		strbuf_add(out, j.buf.data, j.buf.len);
	else
		out->failed = true;
	json_out_free(&j);
}

/* "Up", "Paused", "Exited (137)": with the age beside it. */
static void make_cells(const struct ps *ps, const struct container_view *v, struct row *row)
{
	const struct container_state *s = &v->state;
	_strv_ struct strv command = STRV_INIT;
	_strbuf_ struct strbuf line = STRBUF_INIT;
	_free_ char *status = NULL;

	(void)ps;
	add_command(v, &command);
	for (size_t i = 0; i < command.n; i++)
		strbuf_addf(&line, "%s%s", i ? " " : "", command.items[i]);
	if (line.len > 40)
		memcpy(line.data + 37, "...", 4);
	if (s->status == CONTAINER_EXITED)
		status = str_printf("exited (%d)", s->exit_code);
	else
		status = str_printf("%s", container_status_name(s->status));
	strv_addn(&row->cells, v->id, strnlen(v->id, NAME_ID_DIGITS));
	strv_add(&row->cells, v->name);
	strv_add(&row->cells, view_image(v) ? view_image(v) : "");
	strv_take(&row->cells, take_ptr(status));
	strv_add(&row->cells, strbuf_str(&line));
}

static int take(void *arg, const struct container_view *v)
{
	struct ps *ps = arg;
	struct row *row;

	if (!view_filter_fits(&ps->args->filter, v))
		return 0;
	if (ps->n == ps->cap) {
		size_t cap = ps->cap ? 2 * ps->cap : 64;
		struct row *p = reallocarray(ps->rows, cap, sizeof(*p));

		if (!p)
			return -ENOMEM;
		ps->rows = p;
		ps->cap = cap;
	}
	row = &ps->rows[ps->n++];
	*row = (struct row){.created_ns = view_created_ns(v)};
	if (ps->args->json)
		make_json(v, &row->text);
	else if (ps->args->quiet)
		strbuf_addf(&row->text, "%.*s", NAME_ID_DIGITS, v->id);
	else
		make_cells(ps, v, row);
	return 0;
}

/* The youngest first. */
static int by_age(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return x->created_ns < y->created_ns ? 1 : x->created_ns > y->created_ns ? -1 : 0;
}

static void format_table(const struct ps *ps, struct strbuf *out)
{
	static const char *const heading[] = {"ID",      "NAME",   "IMAGE",
					      "CREATED", "STATUS", "COMMAND"};
	_table_ struct table t;

	table_init(&t, heading, 6);
	for (size_t i = 0; i < ps->n; i++) {
		const struct strv *c = &ps->rows[i].cells;

		if (c->failed || c->n != 5)
			continue;
		for (size_t k = 0; k < 3; k++)
			table_add(&t, c->items[k]);
		table_add_age(&t, ps->rows[i].created_ns, ps->now_ns);
		table_add(&t, c->items[3]);
		table_add(&t, c->items[4]);
	}
	table_format(&t, out);
}

static void format(const struct ps *ps, struct strbuf *out)
{
	const bool json = ps->args->json;

	if (!json && !ps->args->quiet) {
		format_table(ps, out);
		return;
	}
	strbuf_addstr(out, json ? "[" : "");
	for (size_t i = 0; i < ps->n; i++) {
		strbuf_addstr(out, !json ? "" : i ? ",\n " : "\n ");
		strbuf_add(out, ps->rows[i].text.data, ps->rows[i].text.len);
		strbuf_addstr(out, json ? "" : "\n");
	}
	strbuf_addstr(out, json ? "\n]\n" : "");
}

static void ps_free(struct ps *ps)
{
	for (size_t i = 0; i < ps->n; i++) {
		strbuf_free(&ps->rows[i].text);
		strv_free(&ps->rows[i].cells);
	}
	free(ps->rows);
}

static int ps_run(struct cmd *c, void *args, int argc, char **argv)
{
	struct ps_args *a = args;
	_strbuf_ struct strbuf out = STRBUF_INIT;
	struct ps ps = {.args = a};
	unsigned flags = (a->all ? 0 : CONTAINER_EACH_LIVE) | (a->json ? 0 : CONTAINER_EACH_NO_PID);
	struct timespec now;
	struct err e = ERR_INIT;
	int r;

	(void)argc, (void)argv;
	clock_gettime(CLOCK_REALTIME, &now);
	ps.now_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	r = view_filter_prepare(&a->filter, &c->paths, &e);
	if (r >= 0)
		r = container_each(&c->paths, flags, take, &ps, &e);
	if (r == -ENOMEM)
		r = err_oom(&e);
	if (r >= 0 && ps.n)
		qsort(ps.rows, ps.n, sizeof(ps.rows[0]), by_age);
	if (r >= 0)
		format(&ps, &out);
	ps_free(&ps);
	return r < 0 ? cmd_error(&e, "ps") : cmd_print(&out);
}

static void ps_done(void *args)
{
	view_filter_free(&((struct ps_args *)args)->filter);
}

static const struct verb_example examples[] = {
	{"what runs", "csbx ps"},
	{"containers that have failed", "csbx ps -a --filter status=exited --filter exited=1"},
	{"remove all of one job", "csbx remove -f $(csbx ps -aq --filter label=job=7)"},
	{0},
};

const struct verb verb_ps = {
	.name = "ps",
	.usage = "[OPTIONS]",
	.description =
		"Shows what runs, a line for each: containers that stay, instances of "
		"recipes, and starts of images; with --all also what does not run. The youngest "
		"comes first. A status is created, running, paused, exited with a code, or "
		"dead, which is a record that cannot be read. It is true after a kill of any "
		"process of csbx and after a reboot.",
	.uses = (const struct opt_use[]){{&ps_table, 0}, {0}},
	.examples = examples,
	.max_operands = 0,
	.args_bytes = sizeof(struct ps_args),
	.done = ps_done,
	.run = ps_run,
};
