/* SPDX-License-Identifier: Apache-2.0 */

/*
 * One command more in a container that runs, named by a process of it as list -f shows it. The
 * container's init runs it; where there is none (bare.h) this process joins and becomes it.
 */

#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>

#include "cmd/enroot/frame/enroot.h"
#include "cmd/enroot/frame/verbs.h"
#include "cmd/verb/exec_job.h"
#include "cmd/options/run_opts.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/num.h"
#include "runtime/spec/env_lines.h"
#include "runtime/record/instance.h"
#include "runtime/exec/join.h"
#include "runtime/spec/result.h"

struct exec_args {
	struct strv env;
};

static const struct opt rows[] = {
	{OPT_LIST, 'e', "env", "KEY[=VAL]", offsetof(struct exec_args, env),
	 .help = "Set a variable; without VAL the caller's value"},
	{0},
};

static const struct opt_table table = {"Options", rows};

static void exec_done(void *args)
{
	strv_free(&((struct exec_args *)args)->env);
}

static int check_env(const struct strv *env, struct err *e)
{
	for (size_t i = 0; i < env->n; i++) {
		if (!env_name_is_valid(env->items[i]))
			return err_set(e, EINVAL, "Invalid argument: %s", env->items[i]);
	}
	return 0;
}

static int run_job(struct exec_job *j, int argc, char **argv, struct run_result *result,
		   struct err *e)
{
	const struct process_spec *p = &j->opts->spec.proc;
	struct exec_options how = {.kill_after_ms = 100};
	int r = exec_job_open(j, e);

	if (r >= 0)
		r = exec_job_fill(j, argc, argv, e);
	if (r < 0)
		return r;
	how.streams.tty = p->tty == TTY_YES;
	how.streams.copy_pipes = true;
	return exec_run(&j->link, p, &how, result, e);
}

static int run_by_init(struct enroot *x, const struct strv *env, struct instance_record *rec,
		       int argc, char **argv)
{
	struct run_opts opts;
	struct exec_job j = {
		.paths = &x->cmd.paths, .opts = &opts, .rec = *rec, .link = EXEC_LINK_INIT};
	struct run_result result = {0};
	struct err e = ERR_INIT;
	int code, r;

	*rec = (struct instance_record){0}; /* the job's now */
	run_opts_init(&opts);
	for (size_t i = 0; i < env->n; i++)
		strv_add(&opts.env, env->items[i]);
	cmd_hide_values(&x->cmd, env);
	r = run_job(&j, argc, argv, &result, &e);
	code = r < 0 || result.status == RUN_SANDBOX_ERROR ? ENROOT_EXIT_FAILED
							   : run_exit_code(&result);
	if (r < 0 || result.error.code)
		enroot_fail(r < 0 ? &e : &result.error);
	run_result_free(&result);
	user_free(&j.user);
	exec_close(&j.link);
	instance_record_free(&j.rec);
	run_opts_done(&opts);
	return code;
}

static void set_variable(struct strv *env, const char *asked)
{
	const char *value = strchr(asked, '=') ? NULL : getenv(asked);
	_free_ char *text = value ? str_printf("%s=%s", asked, value) : NULL;

	if (text || strchr(asked, '='))
		strv_set_env(env, text ? text : asked);
}

/* Returns on failure only. */
static int join(struct enroot *x, const struct exec_args *a, pid_t pid, char **argv, struct err *e)
{
	struct join_target t = JOIN_TARGET_INIT;
	_strv_ struct strv words = STRV_INIT;
	const struct join_command c = {
		.argv = &words,
		.env = &t.env,
		.error_prefix = "[ERROR] ",
		.failure_code = ENROOT_EXIT_FAILED,
	};
	int r = join_open(&x->cmd.paths, pid, &t, e);

	for (; *argv; argv++)
		strv_add(&words, *argv);
	for (size_t i = 0; r >= 0 && i < a->env.n; i++)
		set_variable(&t.env, a->env.items[i]);
	if (r >= 0)
		r = strv_check(&words, e);
	if (r >= 0)
		r = strv_check(&t.env, e);
	if (r >= 0)
		r = join_exec(&x->cmd.paths, &t, &c, e);
	join_close(&t);
	return r;
}

static int exec_verb_run(struct enroot *x, void *args, int argc, char **argv)
{
	const struct exec_args *a = args;
	struct instance_record rec = {0};
	struct err e = ERR_INIT;
	uint64_t pid;
	int r;

	if (num_parse_u64(argv[0], INT_MAX, &pid) < 0 || !pid)
		return enroot_error("Invalid argument: %s", argv[0]);
	if (check_env(&a->env, &e) < 0)
		return enroot_fail(&e);
	r = join_find(&x->cmd.paths, (pid_t)pid, &rec, &e);
	if (r >= 0 && rec.is_bare) {
		instance_record_free(&rec);
		r = join(x, a, (pid_t)pid, argv + 1, &e);
	}
	if (r == -ESRCH)
		return kill((pid_t)pid, 0) < 0 && errno == ESRCH
			       ? enroot_error("No such process: %s", argv[0])
			       : enroot_error("%s", e.msg);
	if (r < 0)
		return enroot_fail(&e);
	return run_by_init(x, &a->env, &rec, argc - 1, argv + 1);
}

const struct enroot_verb enroot_verb_exec = {
	.name = "exec",
	.uses = (const struct opt_use[]){{&table, 0}, {0}},
	.min_operands = 2,
	.max_operands = CMD_MANY,
	.args_bytes = sizeof(struct exec_args),
	.done = exec_done,
	.run = exec_verb_run,
};
