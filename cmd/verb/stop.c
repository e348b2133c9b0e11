/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <stddef.h>

#include "cmd/frame/cmd.h"
#include "cmd/options/signal_name.h"
#include "cmd/frame/verbs.h"
#include "runtime/base/err.h"
#include "runtime/life/container_end.h"
#include "runtime/record/container_find.h"
#include "runtime/exec/proto.h"
#include "runtime/record/instance.h"

struct stop_args {
	uint64_t time_ms;
	int signal;
};

static int set_signal(void *target, const char *value, struct err *e)
{
	return signal_parse(value, target, e);
}

static const struct opt stop_opts[] = {
	{OPT_DURATION, 't', "time", "TIME", offsetof(struct stop_args, time_ms),
	 .initial = "the container's, else 10s",
	 .help = "how long the command may take before everything is killed"},
	{OPT_CALL, 's', "signal", "SIGNAL", offsetof(struct stop_args, signal), set_signal,
	 .initial = "the container's, else TERM", .help = "the signal that asks it to end"},
	{0},
};

static const struct opt kill_opts[] = {
	{OPT_CALL, 's', "signal", "SIGNAL", offsetof(struct stop_args, signal), set_signal,
	 .initial = "KILL",
	 .help = "a name or number; all but KILL, which ends everything, go to the main process"},
	{0},
};

static const struct opt_table stop_table = {"Options", stop_opts},
			      kill_table = {"Options", kill_opts};

static int stop_one(struct cmd *c, const char *operand, const struct stop_args *a, bool wait,
		    struct err *e)
{
	struct instance_record rec = {0};
	int r = instance_find(&c->paths, operand, &rec, e);
	int signal = a->signal;

	if (wait && !a->time_ms)
		signal |= EXEC_STOP_OWN_TIME;
	if (r >= 0)
		r = instance_stop(&c->paths, &rec, signal,
				  wait ? (uint32_t)(a->time_ms ? a->time_ms : CONTAINER_STOP_MS)
				       : 0,
				  wait || signal == SIGKILL, e);
	instance_record_free(&rec);
	return r;
}

/*
 * A container that stays has its own signal and time; it is no mistake to stop one that does not
 * run.
 */
static int stop_kept(struct cmd *c, const struct container_found *f, const struct stop_args *a,
		     bool wait, struct err *e)
{
	const struct container_stop how = {
		.signal = a->signal, .has_grace = a->time_ms, .grace_ms = (uint32_t)a->time_ms};
	struct container_state state;

	return wait ? container_stop(&c->paths, f->name, &f->record, &how, &state, e)
		    : container_kill(&c->paths, f->name, &f->record, a->signal, e);
}

static int stop_operand(struct cmd *c, const char *operand, const struct stop_args *a, bool wait,
			struct err *e)
{
	struct container_found found;
	int r;

	if (container_find(&c->paths, operand, &found, NULL) < 0)
		return stop_one(c, operand, a, wait, e);
	r = found.record.spec ? stop_kept(c, &found, a, wait, e) : stop_one(c, operand, a, wait, e);
	container_record_free(&found.record);
	return r;
}

static int stop_all(struct cmd *c, const struct stop_args *a, bool wait, int argc, char **argv)
{
	int code = CMD_EXIT_OK;

	for (int i = 0; i < argc; i++) {
		struct err e = ERR_INIT;

		if (stop_operand(c, argv[i], a, wait, &e) < 0)
			code = cmd_error(&e, "%s %s", c->verb->name, argv[i]);
	}
	return code;
}

static void stop_init(void *args)
{
	*(struct stop_args *)args = (struct stop_args){0, 0};
}

static int stop_run(struct cmd *c, void *args, int argc, char **argv)
{
	return stop_all(c, args, true, argc, argv);
}

static void kill_init(void *args)
{
	*(struct stop_args *)args = (struct stop_args){0, SIGKILL};
}

static int kill_run(struct cmd *c, void *args, int argc, char **argv)
{
	return stop_all(c, args, false, argc, argv);
}

static const struct verb_example stop_examples[] = {
	{"give it a minute to finish", "csbx stop --time 1m box"},
	{0},
};

static const struct verb_example kill_examples[] = {
	{"everything in it, at once", "csbx kill box"},
	{"ask a program to read its configuration again", "csbx kill -s HUP box"},
	{0},
};

const struct verb verb_stop = {
	.name = "stop",
	.usage = "[OPTIONS] NAME|ID...",
	.description =
		"Asks the main process of a container to end, by SIGTERM, and kills everything in "
		"the container when it has not after --time. Returns when the container has ended. "
		"The operand is a container's name or an instance's id; a name that runs more than "
		"once needs the id.\n\n"
		"A container that stays (create --keep) is asked by the signal of its image, if "
		"that names one; when it does not run there is nothing to do.",
	.uses = (const struct opt_use[]){{&stop_table, 0}, {0}},
	.examples = stop_examples,
	.offers = "container",
	.min_operands = 1,
	.max_operands = CMD_MANY,
	.args_bytes = sizeof(struct stop_args),
	.init = stop_init,
	.run = stop_run,
};

const struct verb verb_kill = {
	.name = "kill",
	.usage = "[OPTIONS] NAME|ID...",
	.description =
		"Sends a signal to the main process of a container; without --signal everything in "
		"the container is killed, and kill returns when it has ended.",
	.uses = (const struct opt_use[]){{&kill_table, 0}, {0}},
	.examples = kill_examples,
	.offers = "container",
	.min_operands = 1,
	.max_operands = CMD_MANY,
	.args_bytes = sizeof(struct stop_args),
	.init = kill_init,
	.run = kill_run,
};
