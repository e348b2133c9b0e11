/* SPDX-License-Identifier: Apache-2.0 */

/* docker rm. */

#include <stddef.h>

#include "cmd/docker/daemon/end.h"
#include "cmd/docker/frame/docker.h"
#include "cmd/docker/frame/fault.h"
#include "cmd/docker/frame/verbs.h"
#include "runtime/base/str.h"

struct rm_args {
	bool force, link, volumes;
};

static const struct opt opts[] = {
	{OPT_FLAG, 'f', "force", NULL, offsetof(struct rm_args, force),
	 .help = "Force the removal of a running container (uses SIGKILL)"},
	{OPT_FLAG, 'l', "link", NULL, offsetof(struct rm_args, link),
	 .help = "Remove the specified link"},
	{OPT_FLAG, 'v', "volumes", NULL, offsetof(struct rm_args, volumes),
	 .help = "Remove anonymous volumes associated with the container"},
	{0},
};

static const struct opt_table table = {"Options", opts};

/* One that is missing is an error; with -f it is said and does not count. */
static int rm_one(struct docker *d, const struct rm_args *a, const char *operand)
{
	const struct docker_removal how = {a->force, a->volumes};
	_strbuf_ struct strbuf out = STRBUF_INIT;
	struct docker_fault f = DOCKER_FAULT_INIT;
	int r = docker_remove(&d->cmd.paths, operand, &how, &f);

	strbuf_addf(&out, "%s\n", operand);
	if (r >= 0)
		return cmd_print(&out);
	(void)docker_daemon_error("%s", f.err.msg);
	return docker_fault_status(&f) == DOCKER_NOT_FOUND && a->force ? 0 : DOCKER_EXIT_FAILED;
}

static int rm_run(struct docker *d, void *args, int argc, char **argv)
{
	const struct rm_args *a = args;
	int code = 0;

	if (a->link)
		return docker_say(DOCKER_EXIT_FAILED, "docker: --link: containers are not linked");
	for (int i = 0; i < argc; i++)
		code = rm_one(d, a, argv[i]) ? DOCKER_EXIT_FAILED : code;
	return code;
}

const struct docker_verb docker_verb_rm = {
	.name = "rm",
	.usage = "[OPTIONS] CONTAINER [CONTAINER...]",
	.uses = (const struct opt_use[]){{&table, 0}, {0}},
	.min_operands = 1,
	.max_operands = CMD_MANY,
	.args_bytes = sizeof(struct rm_args),
	.run = rm_run,
};
