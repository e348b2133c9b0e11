/* SPDX-License-Identifier: Apache-2.0 */

/* docker stop, restart, kill. */

#include <signal.h>
#include <stddef.h>

#include "cmd/docker/frame/argv.h"
#include "cmd/docker/container/begin.h"
#include "cmd/docker/frame/docker.h"
#include "cmd/docker/frame/target.h"
#include "cmd/docker/frame/verbs.h"
#include "cmd/options/signal_name.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/life/container_end.h"

struct stop_args {
	const char *signal;
	int64_t time_s;
	bool again; /* restart */
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

static int parse_signal(const char *text, int *ret, struct err *e)
{
	if (text && *text && signal_parse(text, ret, NULL) < 0)
		return err_set(e, EINVAL, "invalid signal: %s", text);
	return 0;
}

static int end(struct docker *d, struct docker_target *t, const struct stop_args *a, struct err *e)
{
	struct container_stop how = {.has_grace = a->time_s != TIME_UNSET, .stays = a->again};
	struct container_state state;
	int r = parse_signal(a->signal, &how.signal, e);

	/* A negative time waits for as long as it takes. */
	if (how.has_grace)
		how.grace_ms = a->time_s < 0 || a->time_s > UINT32_MAX / 1000
				       ? UINT32_MAX / 2
				       : (uint32_t)a->time_s * 1000u;
	if (r < 0)
		return r;
	if (t->stays)
		return container_stop(&d->cmd.paths, t->found.name, &t->found.record, &how, &state,
				      e);
	if (!t->has_instance)
		return 0;
	return instance_stop(&d->cmd.paths, &t->instance, how.signal ? how.signal : SIGTERM,
			     how.has_grace ? how.grace_ms : CONTAINER_STOP_MS, true, e);
}

static int stop_one(struct docker *d, struct docker_target *t, const char *operand, void *arg,
		    struct err *e)
{
	(void)operand;
	return end(d, t, arg, e);
}

static int restart_one(struct docker *d, struct docker_target *t, const char *operand, void *arg,
		       struct err *e)
{
	struct docker_begin how = {0};
	struct docker_begun begun;
	_free_ char *text = NULL;
	int r = 0;

	if (!t->stays)
		return err_set(e, EINVAL,
			       "Cannot restart container %s: it was started by csbx "
			       "start, which has to start it again",
			       operand);
	r = end(d, t, arg, e);
	if (r < 0)
		return r;
	docker_begin(d, &t->found, &how, &begun);
	text = begun.failed ? docker_begun_text(&begun) : NULL;
	docker_begun_free(&begun);
	/* Who loses the race for its start finds it started. */
	if (!begun.failed || begun.error.code == EBUSY)
		return 0;
	return err_set(e, EIO, "Cannot restart container %s: %s", operand, text ? text : "");
}

static int kill_one(struct docker *d, struct docker_target *t, const char *operand, void *arg,
		    struct err *e)
{
	const struct stop_args *a = arg;
	int signal = SIGKILL, r = parse_signal(a->signal, &signal, e);

	if (r >= 0 && t->stays)
		r = container_kill(&d->cmd.paths, t->found.name, &t->found.record, signal, e);
	else if (r >= 0 && t->has_instance)
		r = instance_stop(&d->cmd.paths, &t->instance, signal, 0, signal == SIGKILL, e);
	else if (r >= 0)
		r = -ESRCH;
	if (r == -ESRCH)
		err_set(e, ESRCH, "container %s is not running", docker_target_id(t));
	return r < 0 ? err_wrap(e, "cannot kill container: %s", operand) : 0;
}

static int stop_run(struct docker *d, void *args, int argc, char **argv)
{
	return docker_each(d, argc, argv, stop_one, args, NULL);
}

static int restart_run(struct docker *d, void *args, int argc, char **argv)
{
	((struct stop_args *)args)->again = true;
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
