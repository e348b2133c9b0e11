/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/frame/cmd.h"
#include "cmd/frame/verbs.h"
#include "runtime/base/err.h"
#include "runtime/life/container_end.h"
#include "runtime/record/instance.h"

static int pause_all(struct cmd *c, bool pause, int argc, char **argv)
{
	int code = CMD_EXIT_OK;

	for (int i = 0; i < argc; i++) {
		struct instance_record rec = {0};
		struct err e = ERR_INIT;
		int r = instance_find(&c->paths, argv[i], &rec, &e);

		if (r >= 0)
			r = instance_pause(&c->paths, &rec, pause, &e);
		if (r < 0)
			code = cmd_error(&e, "%s %s", c->verb->name, argv[i]);
		instance_record_free(&rec);
	}
	return code;
}

static int pause_run(struct cmd *c, void *args, int argc, char **argv)
{
	(void)args;
	return pause_all(c, true, argc, argv);
}

static int unpause_run(struct cmd *c, void *args, int argc, char **argv)
{
	(void)args;
	return pause_all(c, false, argc, argv);
}

static const struct verb_example examples[] = {
	{"make room for a moment", "csbx pause box"},
	{0},
};

const struct verb verb_pause = {
	.name = "pause",
	.usage = "NAME|ID...",
	.description = "Stops every process of a container at once, until unpause. If csbx has a "
		       "control group for the container (it has limits), it freezes the group, "
		       "which the processes cannot see; else they get SIGSTOP, which their parents "
		       "can see, and unpause continues also one that had stopped itself before. "
		       "Memory stays in use, a --timeout goes on, and no exec is let in. stop and "
		       "kill end a paused container.",
	.examples = examples,
	.offers = "container",
	.min_operands = 1,
	.max_operands = CMD_MANY,
	.run = pause_run,
};

static const struct verb_example unpause_examples[] = {
	{"go on", "csbx unpause box"},
	{0},
};

const struct verb verb_unpause = {
	.name = "unpause",
	.usage = "NAME|ID...",
	.description = "Lets the processes of paused containers go on.",
	.examples = unpause_examples,
	.offers = "container",
	.min_operands = 1,
	.max_operands = CMD_MANY,
	.run = unpause_run,
};
