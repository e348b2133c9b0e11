/* SPDX-License-Identifier: Apache-2.0 */

/* docker builder prune, docker buildx prune, docker buildx version. */

#include <stddef.h>

#include "cmd/docker/frame/verbs.h"
#include "cmd/docker/frame/confirm.h"
#include "cmd/docker/frame/docker.h"
#include "cmd/docker/show/human.h"
#include "cmd/image/build_prune.h"
#include "runtime/base/err.h"

struct prune_args {
	bool all, force, verbose;
	struct strv filters;
	const char *keep;
};

static const struct opt prune_opts[] = {
	{OPT_FLAG, 'a', "all", .offset = offsetof(struct prune_args, all),
	 .help = "Remove all unused build cache, not just dangling ones"},
	{OPT_LIST, 0, "filter", "filter", offsetof(struct prune_args, filters),
	 .help = "Provide filter values (e.g. \"until=24h\")"},
	{OPT_FLAG, 'f', "force", .offset = offsetof(struct prune_args, force),
	 .help = "Do not prompt for confirmation"},
	{OPT_STR, 0, "keep-storage", "bytes", offsetof(struct prune_args, keep),
	 .help = "Amount of disk space to keep for cache"},
	{OPT_STR, 0, "max-used-space", "bytes", offsetof(struct prune_args, keep),
	 .help = "Maximum amount of disk space allowed to keep for cache"},
	{OPT_FLAG, 0, "verbose", .offset = offsetof(struct prune_args, verbose),
	 .help = "Provide a more verbose output"},
	{0},
};
static const struct opt_table prune_table = {"Options", prune_opts};

static void prune_done(void *args)
{
	strv_free(&((struct prune_args *)args)->filters);
}

static int prune_run(struct docker *d, void *args, int argc, char **argv)
{
	const struct prune_args *a = args;
	struct build_prune how = {0};
	_strbuf_ struct strbuf out = STRBUF_INIT;
	uint64_t bytes = 0;
	struct err e = ERR_INIT;
	int r = 0;

	(void)argc;
	(void)argv;
	for (size_t i = 0; r >= 0 && i < a->filters.n; i++)
		r = build_prune_filter(&how, a->filters.items[i], &e);
	if (r >= 0 && a->keep)
		r = build_prune_keep(&how, a->keep, &e);
	if (r < 0)
		return docker_say(DOCKER_EXIT_FAILED, "%s", e.msg);
	if (!a->force && !docker_confirm(a->all ? "WARNING! This will remove all build cache.\n"
						: "WARNING! This will remove all dangling build "
						  "cache.\n"))
		return 0;
	if (build_cache_prune(&d->cmd.paths, &how, &bytes, &e) < 0)
		return docker_daemon_error("%s", e.msg);
	strbuf_addstr(&out, "Total:\t");
	human_size(&out, bytes, 4);
	strbuf_addch(&out, '\n');
	return cmd_print(&out);
}

static int version_run(struct docker *d, void *args, int argc, char **argv)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;

	(void)d;
	(void)args;
	(void)argc;
	(void)argv;
	strbuf_addstr(&out, "csbx " CSBX_VERSION "\n");
	return cmd_print(&out);
}

/* NOLINTBEGIN(bugprone-macro-parentheses): the name that is declared */
#define DOCKER_PRUNE(id, verb_name)                                       \
	const struct docker_verb id = {                                   \
		.name = verb_name,                                        \
		.usage = "[OPTIONS]",                                     \
		.uses = (const struct opt_use[]){{&prune_table, 0}, {0}}, \
		.args_bytes = sizeof(struct prune_args),                  \
		.done = prune_done,                                       \
		.run = prune_run,                                         \
	}
/* NOLINTEND(bugprone-macro-parentheses) */

DOCKER_PRUNE(docker_verb_builder_prune, "builder prune");
DOCKER_PRUNE(docker_verb_buildx_prune, "buildx prune");

const struct docker_verb docker_verb_buildx_version = {
	.name = "buildx version",
	.usage = "",
	.uses = (const struct opt_use[]){{0}},
	.run = version_run,
};
