/* SPDX-License-Identifier: Apache-2.0 */

/* docker update: usage/update.h for each of the containers. */

#include <stddef.h>

#include "cmd/docker/container/run_flags.h"
#include "cmd/docker/daemon/run_args.h"
#include "cmd/docker/daemon/target.h"
#include "cmd/docker/frame/argv.h"
#include "cmd/docker/frame/docker.h"
#include "cmd/docker/frame/fault.h"
#include "cmd/docker/frame/verbs.h"
#include "cmd/docker/usage/update.h"
#include "runtime/base/err.h"
#include "runtime/base/num.h"
#include "runtime/base/str.h"

#define AT(member) offsetof(struct docker_run_args, member)
#define OTHER(word, key, kind, text)                                                      \
	{                                                                                 \
		OPT_STR, 0, (word), (kind), AT(other[DOCKER_OTHER_##key]), .help = (text) \
	}

static const struct opt opts[] = {
	OTHER("blkio-weight", blkio_weight, "uint16", "Block IO (relative weight) (accepted)"),
	{OPT_CALL, 0, "cpu-period", "int", AT(cpu_period), docker_flag_count,
	 .help = "Limit CPU CFS (Completely Fair Scheduler) period"},
	{OPT_CALL, 0, "cpu-quota", "int", AT(cpu_quota), docker_flag_count,
	 .help = "Limit CPU CFS (Completely Fair Scheduler) quota"},
	{OPT_STR, 'c', "cpu-shares", "int", AT(other[DOCKER_OTHER_cpu_shares]),
	 .help = "CPU shares (relative weight) (accepted)"},
	{OPT_CALL, 0, "cpus", "decimal", AT(cpus), docker_flag_cpus, .help = "Number of CPUs"},
	OTHER("cpuset-cpus", cpuset_cpus, "string", "CPUs in which to allow execution (refused)"),
	OTHER("cpuset-mems", cpuset_mems, "string", "MEMs in which to allow execution (refused)"),
	{OPT_CALL, 'm', "memory", "bytes", AT(memory_bytes), docker_set_bytes,
	 .help = "Memory limit"},
	{OPT_CALL, 0, "memory-reservation", "bytes", AT(memory_reservation_bytes), docker_set_bytes,
	 .help = "Memory soft limit (accepted)"},
	{OPT_CALL, 0, "memory-swap", "bytes", AT(memory_swap_bytes), docker_flag_memory_swap,
	 .help = "Swap limit equal to memory plus swap: -1 to enable unlimited swap"},
	{OPT_CALL, 0, "pids-limit", "int", AT(pids), docker_set_int,
	 .help = "Tune container pids limit (set -1 for unlimited)"},
	{OPT_STR, 0, "restart", "string", AT(restart),
	 .help = "Restart policy to apply when a container exits"},
	{0},
};
static const struct opt_table table = {"Options", opts};

static void update_init(void *args)
{
	docker_run_args_init(args);
}

static void update_done(void *args)
{
	docker_run_args_done(args);
}

static bool asks_for_anything(const struct docker_run_args *a)
{
	for (size_t i = 0; i < DOCKER_OTHER_MAX; i++) {
		if (a->other[i])
			return true;
	}
	return a->cpu_period || a->cpu_quota || a->cpus || a->memory_bytes ||
	       a->memory_reservation_bytes || a->memory_swap_bytes || a->pids > INT64_MIN ||
	       (a->restart && *a->restart);
}

static int update_one(struct docker *d, const struct docker_run_args *a, const char *operand,
		      struct strv *warnings, struct docker_fault *f)
{
	struct docker_target t;
	int r = docker_target_open(&d->cmd.paths, operand, &t, f);

	if (r >= 0)
		r = docker_update(&d->cmd.paths, &t, a, warnings, f);
	docker_target_close(&t);
	return r;
}

static int update_run(struct docker *d, void *args, int argc, char **argv)
{
	const struct docker_run_args *a = args;
	_strv_ struct strv warnings = STRV_INIT;
	_strbuf_ struct strbuf out = STRBUF_INIT;
	int code = 0;

	if (!asks_for_anything(a))
		return docker_say(DOCKER_EXIT_FAILED,
				  "you must provide one or more flags when using this command");
	for (int i = 0; i < argc; i++) {
		struct docker_fault f = DOCKER_FAULT_INIT;

		if (update_one(d, a, argv[i], &warnings, &f) >= 0)
			strbuf_addf(&out, "%s\n", argv[i]);
		else if (f.by_client)
			return docker_say(DOCKER_EXIT_FAILED, "%s", f.err.msg);
		else
			code = docker_daemon_error("%s", f.err.msg);
	}
	for (size_t i = 0; i < warnings.n; i++)
		strbuf_addf(&out, "%s\n", warnings.items[i]);
	return cmd_print(&out) ? DOCKER_EXIT_FAILED : code;
}

const struct docker_verb docker_verb_update = {
	.name = "update",
	.usage = "[OPTIONS] CONTAINER [CONTAINER...]",
	.uses = (const struct opt_use[]){{&table, 0}, {0}},
	.min_operands = 1,
	.max_operands = CMD_MANY,
	.args_bytes = sizeof(struct docker_run_args),
	.init = update_init,
	.done = update_done,
	.run = update_run,
};
