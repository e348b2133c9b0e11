/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

#include "cmd/docker/frame/confirm.h"
#include "cmd/docker/frame/docker.h"
#include "cmd/docker/image/filter.h"
#include "cmd/docker/image/prune.h"
#include "cmd/docker/frame/verbs.h"
#include "cmd/docker/frame/prune.h"
#include "cmd/docker/show/ps_filter.h"
#include "runtime/base/err.h"
#include "runtime/base/str.h"

struct prune_args {
	bool all, force;
	struct strv filters;
};

static const struct opt prune_opts[] = {
	{OPT_FLAG, 'a', "all", NULL, offsetof(struct prune_args, all),
	 .help = "Remove all unused images, not just dangling ones"},
	{OPT_CALL, 0, "filter", "filter", offsetof(struct prune_args, filters),
	 .set = ps_filter_set, .help = "Provide filter values (e.g. \"until=<timestamp>\")"},
	{OPT_FLAG, 'f', "force", NULL, offsetof(struct prune_args, force),
	 .help = "Do not prompt for confirmation"},
	{0},
};
static const struct opt_table prune_table = {"Options", prune_opts};

static void prune_done(void *args)
{
	strv_free(&((struct prune_args *)args)->filters);
}

int docker_prune_images(struct docker *d, bool all, const struct strv *filters, struct strbuf *out,
			uint64_t *bytes, struct err *e)
{
	_strv_ struct strv lines = STRV_INIT;
	int r = image_prune(&d->cmd.paths, all, filters, &lines, bytes, e);

	for (size_t i = 0; r >= 0 && i < lines.n; i++) {
		const char *line = lines.items[i];

		strbuf_addf(out, "%s%c%s\n", i ? "" : "Deleted Images:\n",
			    line[0] == 'U' ? 'u' : 'd', line + 1);
	}
	return r;
}

static int prune_run(struct docker *d, void *args, int argc, char **argv)
{
	const struct prune_args *a = args;
	_strbuf_ struct strbuf out = STRBUF_INIT;
	uint64_t bytes = 0;
	struct err e = ERR_INIT;
	int r;

	(void)argc;
	(void)argv;
	if (!a->force &&
	    !docker_confirm(a->all ? "WARNING! This will remove all images without at least one "
				     "container associated to them."
				   : "WARNING! This will remove all dangling images."))
		return 0;
	r = docker_prune_images(d, a->all || image_filter_dangling(&a->filters) == 0, &a->filters,
				&out, &bytes, &e);
	return docker_prune_end(&out, bytes, r, &e);
}

const struct docker_verb docker_verb_image_prune = {
	.name = "image prune",
	.usage = "[OPTIONS]",
	.uses = (const struct opt_use[]){{&prune_table, 0}, {0}},
	.max_operands = 0,
	.args_bytes = sizeof(struct prune_args),
	.done = prune_done,
	.run = prune_run,
};
