/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/verb/list.h"

#include <stdlib.h>
#include <time.h>

#include "cmd/frame/cmd.h"
#include "cmd/verb/list_servers.h"
#include "cmd/frame/verbs.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/record/container_store.h"

struct list_args {
	bool fancy, json, servers, quiet;
};

static const struct opt list_opts[] = {
	{OPT_FLAG, 'f', "fancy", .offset = offsetof(struct list_args, fancy),
	 .help = "a line for each running instance, with its id, process and command"},
	{OPT_FLAG, 'q', "quiet", .offset = offsetof(struct list_args, quiet), .help = "names only"},
	{OPT_FLAG, 0, "servers", .offset = offsetof(struct list_args, servers),
	 .help = "the image servers that run, and how many containers each serves"},
	{OPT_FLAG, 0, "json", .offset = offsetof(struct list_args, json), .help = "print JSON"},
	{0},
};

static const struct opt_table list_table = {"Options", list_opts};

static void list_free(struct list *l)
{
	for (size_t i = 0; l->containers && i < l->names.n; i++)
		container_record_free(&l->containers[i].record);
	free(l->containers);
	instance_list_free(&l->instances);
	strv_free(&l->names);
}

static int read_records(struct list *l, const struct paths *p, struct err *e)
{
	_close_ int dirfd = container_store_open_dir(p, e);

	if (dirfd < 0)
		return dirfd;
	l->containers = calloc(l->names.n + 1, sizeof(*l->containers));
	if (!l->containers)
		return err_oom(e);
	for (size_t i = 0; i < l->names.n; i++) {
		l->containers[i].name = l->names.items[i];
		/* One that cannot be read is shown as such, and one removed meanwhile too. */
		if (container_store_read(dirfd, l->names.items[i], &l->containers[i].record, NULL) <
		    0)
			l->containers[i].record = (struct container_record){0};
	}
	return 0;
}

static int collect(struct list *l, const struct paths *p, const struct list_args *a, struct err *e)
{
	struct timespec now;
	int r = container_store_list(p, &l->names, &l->debris, e);

	clock_gettime(CLOCK_REALTIME, &now);
	l->now_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	if (r >= 0 && !a->quiet)
		r = instance_list(p, NULL, &l->instances, e);
	if (r >= 0 && !a->quiet && (a->json || !a->fancy))
		r = read_records(l, p, e);
	return r;
}

static int format(const struct list *l, const struct list_args *a, struct strbuf *out,
		  struct err *e)
{
	if (a->json)
		return list_format_json(l, out, e);
	if (a->quiet) {
		for (size_t i = 0; i < l->names.n; i++)
			strbuf_addf(out, "%s\n", l->names.items[i]);
	} else if (a->fancy) {
		list_format_instances(l, out);
	} else {
		list_format_table(l, out);
	}
	return 0;
}

static int list_run(struct cmd *c, void *args, int argc, char **argv)
{
	struct list_args *a = args;
	_strbuf_ struct strbuf out = STRBUF_INIT;
	struct list l = {0};
	struct err e = ERR_INIT;
	int r;

	(void)argc, (void)argv;
	if (a->servers) {
		r = list_servers(&c->paths, a->json, &out, &e);
	} else {
		a->quiet = a->quiet && !a->json;
		r = collect(&l, &c->paths, a, &e);
		if (r >= 0)
			r = format(&l, a, &out, &e);
		if (r >= 0 && l.debris && !a->json)
			cmd_warn("list: %zu unfinished director%s of killed commands: csbx gc "
				 "removes %s",
				 l.debris, l.debris == 1 ? "y" : "ies",
				 l.debris == 1 ? "it" : "them");
		list_free(&l);
	}
	return r < 0 ? cmd_error(&e, "list") : cmd_print(&out);
}

static const struct verb_example examples[] = {
	{"containers, their images, and how many run", "csbx list"},
	{"the running containers, with ids and processes", "csbx list -f"},
	{"names for a script", "csbx list -q"},
	{0},
};

const struct verb verb_list = {
	.name = "list",
	.usage = "[OPTIONS]",
	.description = "Shows the containers: name, image, size of the image, age, and the number "
		       "of running instances. Any number of throw-away starts of one name may run "
		       "side by side, each an instance with an id of its own.",
	.uses = (const struct opt_use[]){{&list_table, 0}, {0}},
	.examples = examples,
	.max_operands = 0,
	.args_bytes = sizeof(struct list_args),
	.run = list_run,
};
