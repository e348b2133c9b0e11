/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

#include "cmd/frame/cmd.h"
#include "cmd/verb/exec_job.h"
#include "cmd/options/run_container.h"
#include "cmd/options/run_opts.h"
#include "cmd/frame/verbs.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/helpers/init/abi/init_abi.h"
#include "runtime/spec/result.h"

struct exec_args {
	struct run_opts run;
	bool detach;
	uint64_t timeout_ms, kill_after_ms;
};

static const struct opt exec_opts[] = {
	{OPT_FLAG, 'd', "detach", .offset = offsetof(struct exec_args, detach),
	 .help = "return when the command runs, and leave it running; its streams are /dev/null"},
	{OPT_DURATION, 0, "timeout", "TIME", offsetof(struct exec_args, timeout_ms),
	 .help = "end the command's process group after TIME (30, 500ms, 2m): exit code 124"},
	{OPT_DURATION, 0, "kill-after", "TIME", offsetof(struct exec_args, kill_after_ms),
	 .initial = "100ms", .help = "how long after --timeout's SIGTERM it is killed"},
	{0},
};

static const struct opt_table exec_table = {"Exec", exec_opts};

/* The operand and the request in the words of the result. */
static int describe(struct exec_job *j, struct err *e)
{
	struct container_spec *s = &j->opts->spec;

	s->id = str_printf("%s", j->rec.id);
	s->name = j->rec.name ? str_printf("%s", j->rec.name) : NULL;
	s->rootfs.path = j->rec.image ? str_printf("%s", j->rec.image) : NULL;
	return s->id && (s->name || !j->rec.name) ? 0 : err_oom(e);
}

static int prepare(struct cmd *c, struct exec_job *j, int argc, char **argv, struct err *e)
{
	struct run_opts *o = j->opts;
	int r = instance_find(&c->paths, argv[0], &j->rec, e);

	if (r >= 0)
		r = exec_job_open(j, e);
	if (r >= 0)
		r = describe(j, e);
	if (r >= 0)
		r = exec_job_fill(j, argc - 1, argv + 1, e);
	if (r >= 0 && o->stdin_path)
		r = run_replace_stdin(o->stdin_path, &o->spec, e);
	return r;
}

static int run_job(struct exec_job *j, const struct exec_args *a, struct run_result *result,
		   struct err *e)
{
	const struct run_opts *o = j->opts;
	const struct container_spec *s = &o->spec;
	struct exec_options x = {
		.streams =
			{
				.tty = s->proc.tty == TTY_YES,
				.close_stdin = s->proc.close_stdin,
				.copy_pipes = true,
				.capture = s->capture_output,
				.keep_bytes = s->limits.output_bytes,
				.kill_bytes = s->limits.output_kill_bytes,
			},
		.detached = a->detach,
		.timeout_ms = a->timeout_ms,
		.kill_after_ms = a->kill_after_ms ? a->kill_after_ms : 100,
	};

	if (x.streams.capture && !x.streams.keep_bytes)
		x.streams.keep_bytes = x.streams.kill_bytes ? x.streams.kill_bytes : 1u << 20;
	return exec_run(&j->link, &s->proc, &x, result, e);
}

static void explain(const struct exec_job *j, const struct run_result *r)
{
	const struct process_spec *p = &j->opts->spec.proc;

	if (r->status == RUN_KILLED)
		cmd_warn("the container ended, and the command with it");
	else if (r->exit_code == CMD_EXIT_NOT_EXECUTABLE && j->link.start->uid != p->uid)
		cmd_hint("a container with one id has no other users; --userns subuid gives it "
			 "more");
	else if (r->status == RUN_LAUNCH_ERROR && p->argv.n && *p->argv.items[0] == '-')
		cmd_hint("options stand before the container: from there on every word belongs to "
			 "the command");
}

static int exec_verb_run(struct cmd *c, void *args, int argc, char **argv)
{
	struct exec_args *a = args;
	struct run_opts *o = &a->run;
	struct exec_job j = {
		.paths = &c->paths, .opts = o, .detach = a->detach, .link = EXEC_LINK_INIT};
	_free_ char *what = str_printf("exec %s", argv[0]);
	struct result_out out = {.fd = -1};
	struct run_result result = {0};
	struct err e = ERR_INIT;
	int r = result_out_open(&o->result, &o->spec, &out, &e), code;

	o->spec.limits.timeout_ms = a->timeout_ms; /* the result tells it */
	if (r >= 0)
		r = prepare(c, &j, argc, argv, &e);
	cmd_hide_values(c, &o->env);
	if (r >= 0)
		r = run_job(&j, a, &result, &e);
	if (r < 0) {
		result.status = RUN_SANDBOX_ERROR;
		result.exit_code = CMD_EXIT_FAILED;
		result.error = e;
	}
	code = run_exit_code(&result);
	if (result.error.code)
		cmd_error(&result.error, "%s", what ? what : "exec");
	if (r >= 0)
		explain(&j, &result);
	if (out.fd >= 0 && o->spec.id && result_out_write(&out, &o->spec, &result, &e) < 0)
		code = cmd_error(&e, "%s", what ? what : "exec");
	run_result_free(&result);
	user_free(&j.user);
	exec_close(&j.link);
	instance_record_free(&j.rec);
	return code;
}

static void exec_init(void *args)
{
	run_opts_init(&((struct exec_args *)args)->run);
}

static void exec_done(void *args)
{
	run_opts_done(&((struct exec_args *)args)->run);
}

static const struct verb_example examples[] = {
	{"a second shell in a container that runs", "csbx exec py sh"},
	{"another directory, a variable", "csbx exec -w /tmp -e DEBUG=1 py env"},
	{"the result as an object, at most ten seconds",
	 "csbx exec --timeout 10 --json py python3 -c 'print(6*7)'"},
	{0},
};

const struct verb verb_exec = {
	.name = "exec",
	.usage = "[OPTIONS] NAME|ID COMMAND [ARG...]",
	.description =
		"Runs one command more in a container that runs, named by its container's name or "
		"by the instance's id, as csbx list shows them; a name that runs more than once "
		"needs the id. The command has the namespaces, limits, capabilities and system "
		"call filter of the main process, and its environment and directory unless told "
		"otherwise.\n\n"
		"The command ends with the container, and with csbx exec itself unless --detach. "
		"Processes that it leaves running in the background stay; csbx passes on their "
		"output for two seconds more at the most.\n\n"
		"The exit code is the command's own; 128+N when signal N ended it; 124 when "
		"--timeout did; 125 when csbx failed, 126 when the command could not be run, 127 "
		"when it was not found, 137 when the container ended.",
	.uses = (const struct opt_use[]){{&exec_table, 0},
					 {&exec_table_process, offsetof(struct exec_args, run)},
					 {&run_table_result, offsetof(struct exec_args, run)},
					 {0}},
	.examples = examples,
	.offers = "container",
	.flags = VERB_OPERAND_ENDS,
	.min_operands = 2,
	.max_operands = CMD_MANY,
	.args_bytes = sizeof(struct exec_args),
	.init = exec_init,
	.done = exec_done,
	.run = exec_verb_run,
};
