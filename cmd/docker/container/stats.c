/* SPDX-License-Identifier: Apache-2.0 */

/* docker stats: the figures of usage.h, a row a container, until it is interrupted. */

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cmd/docker/frame/docker.h"
#include "cmd/docker/show/format.h"
#include "cmd/docker/show/human.h"
#include "cmd/docker/show/listed.h"
#include "cmd/docker/show/value.h"
#include "cmd/docker/frame/verbs.h"
#include "cmd/docker/usage/usage.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"

#define LOOK_MS 500
#define CLEAR "\033[2J\033[H"

struct stats_args {
	bool all, no_stream, no_trunc;
	const char *format;
};

#define AT(member) offsetof(struct stats_args, member)

static const struct opt stats_opts[] = {
	{OPT_FLAG, 'a', "all", NULL, AT(all),
	 .help = "Show all containers (default shows just running)"},
	{OPT_STR, 0, "format", "string", AT(format),
	 .help = "Format output using a custom template"},
	{OPT_FLAG, 0, "no-stream", NULL, AT(no_stream),
	 .help = "Disable streaming stats and only pull the first result"},
	{OPT_FLAG, 0, "no-trunc", NULL, AT(no_trunc), .help = "Do not truncate output"},
	{0},
};
static const struct opt_table stats_table = {"Options", stats_opts};

struct usage {
	const struct listed *of;
	const char *operand; /* as it was asked for */
	struct docker_usage before, now;
};

struct usages {
	struct usage *items;
	size_t n;
};

static bool runs(const struct listed *x)
{
	return x->status == CONTAINER_RUNNING || x->status == CONTAINER_PAUSED;
}

static int choose(const struct stats_args *a, const struct listed_list *all, int argc, char **argv,
		  struct usages *ret, struct err *e)
{
	ret->items = calloc(all->n + (size_t)argc + 1, sizeof(*ret->items));
	if (!ret->items)
		return err_oom(e);
	for (int i = 0; i < argc; i++) {
		const struct listed *x = listed_find(all, argv[i]);

		if (!x)
			return err_set(e, ENOENT, "No such container: %s", argv[i]);
		ret->items[ret->n++] = (struct usage){.of = x, .operand = argv[i]};
	}
	for (size_t i = 0; !argc && i < all->n; i++) {
		if (a->all || runs(&all->items[i]))
			ret->items[ret->n++] =
				(struct usage){.of = &all->items[i], .operand = all->items[i].id};
	}
	return 0;
}

static int look(const struct paths *p, struct usage *u, struct err *e)
{
	u->before = u->now;
	return docker_usage_look(p, u->of->id, u->of->memory_bytes, &u->now, e);
}

static int look_at_all(const struct paths *p, struct usages *l, struct err *e)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i < l->n; i++)
		r = look(p, &l->items[i], e);
	return r;
}

static void add_row(struct docker_value *rows, const struct usage *u, bool no_trunc)
{
	struct docker_value *row = docker_value_add(rows, NULL, DOCKER_VALUE_STRUCT);
	_strbuf_ struct strbuf memory = STRBUF_INIT;
	uint64_t limit = u->now.runs ? u->now.memory_limit_bytes : 0;
	/* As docker's command line has it: memory that can be given back at once does not count as
	 * used. */
	uint64_t used = u->now.memory_bytes - u->now.inactive_file_bytes;
	unsigned hundredths = limit ? (unsigned)((double)used / (double)limit * 10000) : 0;
	unsigned cpu = docker_usage_cpu(&u->before, &u->now);

	if (row)
		row->type = "*container.statsContext";
	human_size_binary(&memory, used);
	strbuf_addstr(&memory, " / ");
	human_size_binary(&memory, limit);
	docker_value_str(row, "BlockIO", "0B / 0B");
	docker_value_strf(row, "CPUPerc", "%u.%02u%%", cpu / 100, cpu % 100);
	docker_value_str(row, "Container", u->operand);
	docker_value_strn(row, "ID", u->of->id,
			  no_trunc ? NAME_CONTAINER_ID_DIGITS : NAME_ID_DIGITS);
	docker_value_strf(row, "MemPerc", "%u.%02u%%", hundredths / 100, hundredths % 100);
	docker_value_str(row, "MemUsage", strbuf_str(&memory));
	docker_value_str(row, "Name", u->of->name);
	docker_value_str(row, "NetIO", "0B / 0B");
	docker_value_strf(row, "PIDs", "%llu", (unsigned long long)u->now.tasks);
}

static int print(const struct stats_args *a, const struct usages *l)
{
	static const struct format_head heads[] = {{"Container", "CONTAINER"},
						   {"ID", "CONTAINER ID"},
						   {"Name", "NAME"},
						   {"CPUPerc", "CPU %"},
						   {"MemUsage", "MEM USAGE / LIMIT"},
						   {"MemPerc", "MEM %"},
						   {"NetIO", "NET I/O"},
						   {"BlockIO", "BLOCK I/O"},
						   {"PIDs", "PIDS"},
						   {0}};
	const struct format f = {a->format,
				 "{{.ID}}\t{{.Name}}\t{{.CPUPerc}}\t{{.MemUsage}}\t{{.MemPerc}}\t"
				 "{{.NetIO}}\t{{.BlockIO}}\t{{.PIDs}}",
				 NULL, heads};
	_docker_value_ struct docker_value *rows = docker_value_new(DOCKER_VALUE_LIST);
	_strbuf_ struct strbuf out = STRBUF_INIT;
	struct err e = ERR_INIT;

	for (size_t i = 0; i < l->n; i++)
		add_row(rows, &l->items[i], a->no_trunc);
	if (docker_value_check(rows, &e) < 0 || format_rows(&f, rows, &out, &e) < 0)
		return docker_say(DOCKER_EXIT_FAILED, "%s", e.msg);
	if (!a->no_stream)
		(void)io_write_all(STDOUT_FILENO, CLEAR, strlen(CLEAR), NULL);
	return cmd_print(&out);
}

static int show_once(struct docker *d, const struct stats_args *a, int argc, char **argv)
{
	static const struct timespec pause = {.tv_nsec = LOOK_MS * 1000000};
	_listed_ struct listed_list all = {0};
	struct usages l = {0};
	struct err e = ERR_INIT;
	int r = listed_read(&d->cmd.paths, a->all || argc, &all, &e), code;

	if (r >= 0)
		r = choose(a, &all, argc, argv, &l, &e);
	if (r >= 0)
		r = look_at_all(&d->cmd.paths, &l, &e);
	if (r >= 0 && l.n)
		nanosleep(&pause, NULL);
	if (r >= 0)
		r = look_at_all(&d->cmd.paths, &l, &e);
	code = r < 0 ? docker_daemon_error("%s", e.msg) : print(a, &l);
	free(l.items);
	return code;
}

static int stats_run(struct docker *d, void *args, int argc, char **argv)
{
	static const struct timespec pause = {.tv_nsec = LOOK_MS * 1000000};
	const struct stats_args *a = args;
	int code = show_once(d, a, argc, argv);

	/* Until it is interrupted, or its reader has gone. */
	while (!code && !a->no_stream) {
		nanosleep(&pause, NULL);
		code = show_once(d, a, argc, argv);
	}
	return code;
}

const struct docker_verb docker_verb_stats = {
	.name = "stats",
	.usage = "[OPTIONS] [CONTAINER...]",
	.uses = (const struct opt_use[]){{&stats_table, 0}, {0}},
	.max_operands = CMD_MANY,
	.args_bytes = sizeof(struct stats_args),
	.run = stats_run,
};
