/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/build/build.h"
#include "cmd/build/options.h"
#include "cmd/docker/frame/verbs.h"
#include "cmd/docker/frame/docker.h"
#include "cmd/frame/cmd.h"
#include "cmd/frame/verbs.h"
#include "runtime/base/err.h"

static int csbx_build(struct cmd *c, void *args, int argc, char **argv)
{
	struct err e = ERR_INIT;

	(void)argc;
	if (build_args_check(args, &e) < 0)
		return cmd_error(&e, "build");
	return build_run(c, args, argv[0]);
}

static int docker_build_run(struct docker *d, void *args, int argc, char **argv)
{
	struct err e = ERR_INIT;

	(void)argc;
	if (build_args_check(args, &e) < 0)
		return docker_say(DOCKER_EXIT_FAILED, "ERROR: failed to build: %s", e.msg);
	return build_run(&d->cmd, args, argv[0]);
}

static const struct verb_example examples[] = {
	{"the directory's Dockerfile, as an image called app", "csbx build -t app ."},
	{"one stage of it, with a value", "csbx build --target test --build-arg V=2 -t app:test ."},
	{"a Dockerfile alone, without files", "csbx build -t tool - <Dockerfile"},
	{0},
};

const struct verb verb_build = {
	.name = "build",
	.usage = "[OPTIONS] PATH|URL|-",
	.description =
		"Makes an image from a Dockerfile, without a daemon and without root. Each step "
		"runs in a container of its own; the files it writes are kept as a layer, and a "
		"step that was made before is not made again. PATH is the directory whose files "
		"COPY and ADD may take; - reads a Dockerfile or a tar from standard "
		"input, a URL one of a web server.\n\n"
		"Without id ranges there is one user in a step: csbx answers requests of package "
		"managers for other users with success and does nothing. docs/build.md lists the "
		"parts of docker's grammar that csbx knows, and the differences.",
	.uses = (const struct opt_use[]){{&build_table, 0}, {0}},
	.examples = examples,
	.offers = "dir",
	.min_operands = 1,
	.max_operands = 1,
	.args_bytes = sizeof(struct build_args),
	.init = build_args_init,
	.done = build_args_done,
	.run = csbx_build,
};

/* NOLINTBEGIN(bugprone-macro-parentheses): the name that is declared */
#define DOCKER_BUILD(id, verb_name)                                       \
	const struct docker_verb id = {                                   \
		.name = verb_name,                                        \
		.usage = "[OPTIONS] PATH | URL | -",                      \
		.uses = (const struct opt_use[]){{&build_table, 0}, {0}}, \
		.min_operands = 1,                                        \
		.max_operands = 1,                                        \
		.args_bytes = sizeof(struct build_args),                  \
		.init = build_args_init,                                  \
		.done = build_args_done,                                  \
		.run = docker_build_run,                                  \
	}
/* NOLINTEND(bugprone-macro-parentheses) */

/* One verb by three names. */
DOCKER_BUILD(docker_verb_build, "build");
DOCKER_BUILD(docker_verb_buildx_build, "buildx build");
DOCKER_BUILD(docker_verb_builder_build, "builder build");
