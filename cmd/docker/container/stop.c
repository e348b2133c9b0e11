/* SPDX-License-Identifier: Apache-2.0 */

/* docker stop, restart, kill. */

#include <stddef.h>

#include "cmd/docker/container/each.h"
#include "cmd/docker/daemon/end.h"
#include "cmd/docker/frame/argv.h"
#include "cmd/docker/frame/docker.h"
#include "cmd/docker/frame/verbs.h"

struct stop_args {
	const char *signal;
	int64_t time_s;
};

#define TIME_UNSET INT64_MIN

static const struct opt stop_opts[] = {
	{OPT_STR, 's', "signal", "string", offsetof(struct stop_args, signal),
	 .help = "Signal to send to the container"},
	{OPT_CALL, 't', "timeout", "int", offsetof(struct stop_args, time_s), docker_set_int,
	 .help = "Seconds to wait before killing the container"},
	{OPT_CALL, 0, "time", "int", offsetof(struct stop_args, time_s), docker_set_int},
	{0},
};

static const struct opt kill_opts[] = {
	{OPT_STR, 's', "signal", "string", offsetof(struct stop_args, signal),
	 .help = "Signal to send to the container"},
	{0},
};

static const struct opt_table stop_table = {"Options", stop_opts};
static const struct opt_table kill_table = {"Options", kill_opts};

static void init(void *args)
{
	*(struct stop_args *)args = (struct stop_args){.time_s = TIME_UNSET};
}

static struct docker_stop how_of(const struct stop_args *a)
{
	return (struct docker_stop){a->signal, a->time_s != TIME_UNSET, a->time_s};
}

static int stop_one(struct docker *d, struct docker_target *t, const char *operand, void *arg,
		    struct docker_fault *f)
{
	const struct docker_stop how = how_of(arg);

	(void)operand;
	return docker_stop(&d->cmd.paths, t, &how, f);
}

static int restart_one(struct docker *d, struct docker_target *t, const char *operand, void *arg,
		       struct docker_fault *f)
{
	const struct docker_stop how = how_of(arg);

	return docker_restart(&d->cmd.paths, t, operand, &how, NULL, f);
}

static int kill_one(struct docker *d, struct docker_target *t, const char *operand, void *arg,
		    struct docker_fault *f)
{
	const struct stop_args *a = arg;

	return docker_kill(&d->cmd.paths, t, operand, a->signal, f);
}

static int stop_run(struct docker *d, void *args, int argc, char **argv)
{
	return docker_each(d, argc, argv, stop_one, args, NULL);
}

static int restart_run(struct docker *d, void *args, int argc, char **argv)
{
	return docker_each(d, argc, argv, restart_one, args, NULL);
}

static int kill_run(struct docker *d, void *args, int argc, char **argv)
{
	return docker_each(d, argc, argv, kill_one, args, "cannot kill container");
}

#define STOP_VERB(word, table, fn)                                                              \
	{                                                                                       \
		.name = (word), .usage = "[OPTIONS] CONTAINER [CONTAINER...]",                  \
		.uses = (const struct opt_use[]){{&(table), 0}, {0}}, .min_operands = 1,        \
		.max_operands = CMD_MANY, .args_bytes = sizeof(struct stop_args), .init = init, \
		.run = (fn),                                                                    \
	}

const struct docker_verb docker_verb_stop = STOP_VERB("stop", stop_table, stop_run);
const struct docker_verb docker_verb_restart = STOP_VERB("restart", stop_table, restart_run);
const struct docker_verb docker_verb_kill = STOP_VERB("kill", kill_table, kill_run);
