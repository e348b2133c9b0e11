/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

#include "cmd/docker/frame/docker.h"
#include "cmd/docker/frame/fault.h"
#include "cmd/docker/frame/verbs.h"
#include "cmd/docker/image/fetch.h"
#include "cmd/docker/image/pull_text.h"
#include "image/table/image_name.h"
#include "runtime/base/fd.h"

struct pull_args {
	const char *platform;
	bool quiet, all_tags, disable_content_trust;
};

static const struct opt pull_opts[] = {
	{OPT_FLAG, 'a', "all-tags", NULL, offsetof(struct pull_args, all_tags),
	 .help = "Download all tagged images in the repository"},
	{OPT_FLAG, 0, "disable-content-trust", NULL,
	 offsetof(struct pull_args, disable_content_trust),
	 .help = "Skip image verification (default true)"},
	{OPT_STR, 0, "platform", "string", offsetof(struct pull_args, platform),
	 .help = "Set platform if server is multi-platform capable"},
	{OPT_FLAG, 'q', "quiet", NULL, offsetof(struct pull_args, quiet),
	 .help = "Suppress verbose output"},
	{0},
};
static const struct opt_table pull_table = {"Options", pull_opts};

static void print_begin(void *arg, const struct pull_text *t, const struct image_source *src)
{
	(void)arg;
	pull_text_begin(t, src);
}

static void print_end(void *arg, const struct pull_text *t, const struct image_source *src)
{
	(void)arg;
	pull_text_end(t, src);
}

static int pull_run(struct docker *d, void *args, int argc, char **argv)
{
	const struct pull_args *a = args;
	struct image_pull p = {.cmd = &d->cmd, .platform = a->platform, .quiet = a->quiet};
	_image_name_ struct image_name name = {0};
	_free_ char *canonical = NULL;
	struct docker_fault f = DOCKER_FAULT_INIT;

	(void)argc;
	if (image_name_parse(argv[0], &name, &f.err) < 0)
		return docker_say(DOCKER_EXIT_FAILED, "%s", f.err.msg);
	if (a->all_tags)
		return docker_say(DOCKER_EXIT_FAILED,
				  "docker: --all-tags is not done by csbx: name the tags");
	canonical = image_name_canonical(&name);
	if (!canonical)
		return docker_daemon_error("out of memory");
	if (!name.tag && !name.digest && !a->quiet)
		pull_text_default_tag();
	p.name = &name;
	p.canonical = canonical;
	p.begin = print_begin;
	p.end = print_end;
	return image_pull(&p, &f) < 0 ? docker_daemon_error("%s", f.err.msg) : 0;
}

const struct docker_verb docker_verb_pull = {
	.name = "pull",
	.usage = "[OPTIONS] NAME[:TAG|@DIGEST]",
	.uses = (const struct opt_use[]){{&pull_table, 0}, {0}},
	.min_operands = 1,
	.max_operands = 1,
	.args_bytes = sizeof(struct pull_args),
	.run = pull_run,
};
