/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Containers, one a line; with --fancy the columns that enroot shows and pyxis parses: a name with
 * nothing behind it does not run, a line that begins with blanks is one more of the name above.
 */

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>

#include "cmd/enroot/frame/enroot.h"
#include "cmd/enroot/verb/process_row.h"
#include "cmd/enroot/frame/verbs.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/record/container_store.h"
#include "runtime/record/instance.h"
#include "runtime/kernel/main_pid.h"

#define COLUMNS 9
#define GAP 2

struct list_args {
	bool fancy;
};

static const struct opt rows[] = {
	{OPT_FLAG, 'f', "fancy", .offset = offsetof(struct list_args, fancy),
	 .help = "Show what runs, with process ids"},
	{0},
};

static const struct opt_table table = {"Options", rows};

/* --- the table ---------------------------------------------------------------------------- */

/* Rows of COLUMNS cells; "" is nothing at all, also where a dash would be kinder to the eye. */
static void format(const struct strv *cells, struct strbuf *out)
{
	size_t width[COLUMNS] = {0};

	for (size_t i = 0; i < cells->n; i++) {
		size_t n = strlen(cells->items[i]);

		if (n > width[i % COLUMNS])
			width[i % COLUMNS] = n;
	}
	for (size_t row = 0; row < cells->n; row += COLUMNS) {
		size_t last = COLUMNS;

		while (last && !*cells->items[row + last - 1])
			last--;
		for (size_t i = 0; i < last; i++) {
			const char *cell = cells->items[row + i];
			size_t pad = i + 1 < last ? width[i] + GAP - strlen(cell) : 0;

			strbuf_addf(out, "%s%*s", cell, (int)pad, "");
		}
		strbuf_addch(out, '\n');
	}
}

static void add_idle(struct strv *cells, const char *name)
{
	strv_add(cells, name);
	for (int i = 1; i < COLUMNS; i++)
		strv_add(cells, "");
}

/*
 * False where the command does not run yet, or has gone meanwhile: that is no error (enroot's list
 * has failed of it).
 */
static bool add_running(struct strv *cells, const char *name, const struct instance_record *i)
{
	pid_t pid = i->is_bare ? i->init : main_pid_of(i->init);
	struct process_row p;

	if (pid <= 0 || process_row_read(pid, i->started_ns, &p) < 0)
		return false;
	strv_add(cells, name);
	strv_take(cells, str_printf("%d", pid));
	strv_add(cells, p.comm);
	strv_add(cells, p.state);
	strv_add(cells, p.started);
	strv_add(cells, p.time);
	strv_take(cells, str_printf("%" PRIu64, p.mntns));
	strv_take(cells, str_printf("%" PRIu64, p.userns));
	strv_take(cells, p.command);
	return true;
}

static bool is_of(const struct instance_record *i, const char *name)
{
	return i->name && str_eq(i->name, name);
}

static bool is_listed(const struct strv *names, const char *name)
{
	for (size_t i = 0; i < names->n; i++) {
		if (str_eq(names->items[i], name))
			return true;
	}
	return false;
}

/* Starts of an image file, and of containers that were removed under them. */
static void add_others(struct strv *cells, const struct strv *names,
		       const struct instance_list *running)
{
	for (size_t i = 0; i < running->n; i++) {
		const struct instance_record *r = &running->items[i];
		_strbuf_ struct strbuf shown = STRBUF_INIT;
		const char *name = r->name ? r->name : r->image ? r->image : "<unknown>";

		if (r->name && is_listed(names, r->name))
			continue;
		for (; *name; name++)
			strbuf_addch(&shown, *name <= ' ' ? '_' : *name);
		(void)add_running(cells, strbuf_str(&shown), r);
	}
}

static int format_fancy(struct enroot *x, const struct strv *names, struct strbuf *out,
			struct err *e)
{
	static const char *const heading[COLUMNS] = {"NAME", "PID",   "COMM",   "STATE",  "STARTED",
						     "TIME", "MNTNS", "USERNS", "COMMAND"};
	struct instance_list running = {0};
	_strv_ struct strv cells = STRV_INIT;
	int r = instance_list(&x->cmd.paths, NULL, &running, e);

	if (r < 0)
		return r;
	for (int i = 0; i < COLUMNS; i++)
		strv_add(&cells, heading[i]);
	for (size_t i = 0; i < names->n; i++) {
		bool any = false;

		for (size_t k = 0; k < running.n; k++) {
			if (is_of(&running.items[k], names->items[i]))
				any |= add_running(&cells, any ? "" : names->items[i],
						   &running.items[k]);
		}
		if (!any)
			add_idle(&cells, names->items[i]);
	}
	add_others(&cells, names, &running);
	instance_list_free(&running);
	r = strv_check(&cells, e);
	if (r >= 0)
		format(&cells, out);
	return r;
}

/* --- all of it ---------------------------------------------------------------------------- */

/* A container that stays (docker's) is started by its own dialect. */
static int read_names(struct enroot *x, struct strv *ret, struct err *e)
{
	_strv_ struct strv all = STRV_INIT;
	size_t debris;
	int r = container_store_list(&x->cmd.paths, &all, &debris, e);

	for (size_t i = 0; r >= 0 && i < all.n; i++) {
		if (enroot_name_look(x, all.items[i]) == ENROOT_NAME_MINE)
			strv_add(ret, all.items[i]);
	}
	return r < 0 ? r : strv_check(ret, e);
}

static int list_run(struct enroot *x, void *args, int argc, char **argv)
{
	const struct list_args *a = args;
	_strbuf_ struct strbuf out = STRBUF_INIT;
	_strv_ struct strv names = STRV_INIT;
	struct err e = ERR_INIT;
	int r = read_names(x, &names, &e);

	(void)argc, (void)argv;
	if (r >= 0 && a->fancy)
		r = format_fancy(x, &names, &out, &e);
	for (size_t i = 0; r >= 0 && !a->fancy && i < names.n; i++)
		strbuf_addf(&out, "%s\n", names.items[i]);
	return r < 0 ? enroot_fail(&e) : enroot_print(&out);
}

const struct enroot_verb enroot_verb_list = {
	.name = "list",
	.uses = (const struct opt_use[]){{&table, 0}, {0}},
	.args_bytes = sizeof(struct list_args),
	.run = list_run,
};
