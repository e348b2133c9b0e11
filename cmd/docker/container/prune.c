/* SPDX-License-Identifier: Apache-2.0 */

/* docker container prune; and the end of every prune. */

#include <stddef.h>
#include <time.h>

#include "cmd/docker/frame/argv.h"
#include "cmd/docker/frame/confirm.h"
#include "cmd/docker/frame/docker.h"
#include "cmd/docker/frame/fault.h"
#include "cmd/docker/show/human.h"
#include "cmd/docker/frame/prune.h"
#include "cmd/docker/show/ps_filter.h"
#include "cmd/docker/frame/verbs.h"
#include "cmd/docker/usage/prune.h"
#include "runtime/base/err.h"
#include "runtime/base/str.h"

struct prune_args {
	bool force;
	struct strv filters;
};

static const struct opt opts[] = {
	{OPT_CALL, 0, "filter", "filter", offsetof(struct prune_args, filters),
	 .set = ps_filter_set, .help = "Provide filter values (e.g. \"until=<timestamp>\")"},
	{OPT_FLAG, 'f', "force", NULL, offsetof(struct prune_args, force),
	 .help = "Do not prompt for confirmation"},
	{0},
};
static const struct opt_table table = {"Options", opts};

static void prune_done(void *args)
{
	strv_free(&((struct prune_args *)args)->filters);
}

static void add_total(struct strbuf *out, uint64_t bytes)
{
	strbuf_addstr(out, out->len ? "\nTotal reclaimed space: " : "Total reclaimed space: ");
	human_size(out, bytes, 4);
	strbuf_addch(out, '\n');
}

int docker_prune_end(struct strbuf *out, uint64_t bytes, int r, const struct err *e)
{
	int code = r < 0 ? docker_daemon_error("%s", e->msg) : 0;

	if (!code || out->len)
		add_total(out, bytes);
	return cmd_print(out) ? DOCKER_EXIT_FAILED : code;
}

int docker_prune_containers(struct docker *d, const struct strv *filters, struct strbuf *out,
			    uint64_t *bytes_freed, struct err *e)
{
	_strv_ struct strv ids = STRV_INIT;
	struct docker_fault f = DOCKER_FAULT_INIT;
	int r = docker_container_prune(&d->cmd.paths, filters, &ids, bytes_freed, &f);

	for (size_t i = 0; i < ids.n; i++)
		strbuf_addf(out, "%s%s\n", i ? "" : "Deleted Containers:\n", ids.items[i]);
	if (r < 0)
		*e = f.err;
	return r;
}

static int prune_run(struct docker *d, void *args, int argc, char **argv)
{
	const struct prune_args *a = args;
	_strbuf_ struct strbuf out = STRBUF_INIT;
	uint64_t bytes = 0;
	struct err e = ERR_INIT;
	int r;

	(void)argc, (void)argv;
	if (!a->force && !docker_confirm("WARNING! This will remove all stopped containers."))
		return 0;
	r = docker_prune_containers(d, &a->filters, &out, &bytes, &e);
	return docker_prune_end(&out, bytes, r, &e);
}

const struct docker_verb docker_verb_container_prune = {
	.name = "container prune",
	.usage = "[OPTIONS]",
	.uses = (const struct opt_use[]){{&table, 0}, {0}},
	.max_operands = 0,
	.args_bytes = sizeof(struct prune_args),
	.done = prune_done,
	.run = prune_run,
};
