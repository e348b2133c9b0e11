/* SPDX-License-Identifier: Apache-2.0 */

/* docker system prune: the prune verbs in one. There are no networks and no build cache to go. */

#include <stddef.h>

#include "cmd/docker/frame/confirm.h"
#include "cmd/docker/frame/docker.h"
#include "cmd/docker/frame/verbs.h"
#include "cmd/docker/frame/prune.h"
#include "cmd/docker/show/ps_filter.h"
#include "runtime/base/err.h"
#include "runtime/base/str.h"

struct prune_args {
	bool all, force, volumes;
	struct strv filters;
};

static const struct opt prune_opts[] = {
	{OPT_FLAG, 'a', "all", NULL, offsetof(struct prune_args, all),
	 .help = "Remove all unused images not just dangling ones"},
	{OPT_CALL, 0, "filter", "filter", offsetof(struct prune_args, filters),
	 .set = ps_filter_set, .help = "Provide filter values (e.g. \"label=<key>=<value>\")"},
	{OPT_FLAG, 'f', "force", NULL, offsetof(struct prune_args, force),
	 .help = "Do not prompt for confirmation"},
	{OPT_FLAG, 0, "volumes", NULL, offsetof(struct prune_args, volumes),
	 .help = "Prune anonymous volumes"},
	{0},
};
static const struct opt_table prune_table = {"Options", prune_opts};

static void prune_done(void *args)
{
	strv_free(&((struct prune_args *)args)->filters);
}

static bool confirmed(const struct prune_args *a)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;

	strbuf_addstr(&text, "WARNING! This will remove:\n"
			     "  - all stopped containers\n"
			     "  - all networks not used by at least one container\n");
	if (a->volumes)
		strbuf_addstr(&text,
			      "  - all anonymous volumes not used by at least one container\n");
	strbuf_addstr(&text, a->all ? "  - all images without at least one container associated "
				      "to them\n  - all build cache\n"
				    : "  - all dangling images\n  - unused build cache\n");
	if (a->filters.n) {
		strbuf_addstr(&text, "\n  Items to be pruned will be filtered with:\n");
		for (size_t i = 0; i < a->filters.n; i++)
			strbuf_addf(&text, "  - %s\n", a->filters.items[i]);
	}
	return docker_confirm(strbuf_str(&text));
}

/* docker's order: containers first, so that their images and volumes are free. */
static int prune(struct docker *d, const struct prune_args *a, struct strbuf *out, uint64_t *bytes,
		 struct err *e)
{
	_strbuf_ struct strbuf volumes = STRBUF_INIT, images = STRBUF_INIT;
	int r = docker_prune_containers(d, &a->filters, out, bytes, e);

	if (r >= 0 && a->volumes)
		r = docker_prune_volumes(d, false, &a->filters, &volumes, bytes, e);
	if (r >= 0)
		r = docker_prune_images(d, a->all, &a->filters, &images, bytes, e);
	strbuf_addf(out, "%s%s", out->len && volumes.len ? "\n" : "", strbuf_str(&volumes));
	strbuf_addf(out, "%s%s", out->len && images.len ? "\n" : "", strbuf_str(&images));
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
	for (size_t i = 0; a->volumes && i < a->filters.n; i++) {
		if (str_has_prefix(a->filters.items[i], "until="))
			return docker_say(
				DOCKER_EXIT_FAILED,
				"ERROR: The \"until\" filter is not supported with \"--volumes\"");
	}
	if (!a->force && !confirmed(a))
		return 0;
	r = prune(d, a, &out, &bytes, &e);
	return docker_prune_end(&out, bytes, r, &e);
}

const struct docker_verb docker_verb_system_prune = {
	.name = "system prune",
	.usage = "[OPTIONS]",
	.uses = (const struct opt_use[]){{&prune_table, 0}, {0}},
	.max_operands = 0,
	.args_bytes = sizeof(struct prune_args),
	.done = prune_done,
	.run = prune_run,
};
