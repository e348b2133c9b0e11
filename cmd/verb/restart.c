/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

#include "cmd/frame/cmd.h"
#include "cmd/options/keep.h"
#include "cmd/frame/verbs.h"
#include "runtime/base/err.h"
#include "runtime/life/container_end.h"
#include "runtime/record/container_find.h"

struct restart_args {
	uint64_t time_ms;
};

static const struct opt restart_opts[] = {
	{OPT_DURATION, 't', "time", "TIME", offsetof(struct restart_args, time_ms),
	 .initial = "the container's, else 10s",
	 .help = "how long the command may take to end before everything is killed"},
	{0},
};

static const struct opt_table restart_table = {"Options", restart_opts};

static int restart_one(struct cmd *c, const char *operand, const struct restart_args *a)
{
	const struct container_stop how = {
		.has_grace = a->time_ms, .grace_ms = (uint32_t)a->time_ms, .stays = true};
	struct container_state state;
	struct container_found found;
	struct err e = ERR_INIT;
	int r = container_find(&c->paths, operand, &found, &e);

	if (r >= 0 && !found.record.spec) {
		container_record_free(&found.record);
		r = err_set(&e, EINVAL, "only what stays (create --keep) can be started again");
	}
	if (r < 0)
		return cmd_error(&e, "restart %s", operand);
	r = container_stop(&c->paths, found.name, &found.record, &how, &state, &e);
	if (r < 0) {
		container_record_free(&found.record);
		return cmd_error(&e, "restart %s", operand);
	}
	return keep_start(c, &found, true, false);
}

static int restart_run(struct cmd *c, void *args, int argc, char **argv)
{
	int code = CMD_EXIT_OK;

	for (int i = 0; i < argc; i++) {
		int one = restart_one(c, argv[i], args);

		code = one ? one : code;
	}
	return code;
}

static const struct verb_example examples[] = {
	{"with a new start of its command", "csbx restart box"},
	{0},
};

const struct verb verb_restart = {
	.name = "restart",
	.usage = "[OPTIONS] NAME|ID...",
	.description = "Stops containers that stay (create --keep) as stop does, and starts them "
		       "again, detached; prints the id of each. One that does not run is started.",
	.uses = (const struct opt_use[]){{&restart_table, 0}, {0}},
	.examples = examples,
	.offers = "container",
	.min_operands = 1,
	.max_operands = CMD_MANY,
	.args_bytes = sizeof(struct restart_args),
	.run = restart_run,
};
