/* SPDX-License-Identifier: Apache-2.0 */

/* docker exec. */

#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "cmd/docker/frame/argv.h"
#include "cmd/docker/daemon/start.h"
#include "cmd/docker/frame/docker.h"
#include "cmd/docker/frame/fault.h"
#include "cmd/docker/daemon/groups.h"
#include "cmd/docker/daemon/target.h"
#include "cmd/docker/frame/verbs.h"
#include "cmd/options/env_file.h"
#include "cmd/verb/exec_job.h"
#include "cmd/options/run_opts.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/life/container_state.h"
#include "runtime/spec/result.h"

struct exec_args {
	struct run_opts run;
	struct strv env, env_files;
	const char *detach_keys, *user, *workdir;
	bool detach, interactive, privileged, tty;
};

#define AT(member) offsetof(struct exec_args, member)

static const struct opt opts[] = {
	{OPT_FLAG, 'd', "detach", NULL, AT(detach),
	 .help = "Detached mode: run command in the background"},
	{OPT_STR, 0, "detach-keys", "string", AT(detach_keys)},
	{OPT_CALL, 'e', "env", "list", AT(env), docker_set_env,
	 .help = "Set environment variables"},
	{OPT_LIST, 0, "env-file", "list", AT(env_files),
	 .help = "Read in a file of environment variables"},
	{OPT_FLAG, 'i', "interactive", NULL, AT(interactive),
	 .help = "Keep STDIN open even if not attached"},
	{OPT_FLAG, 0, "privileged", NULL, AT(privileged)},
	{OPT_FLAG, 't', "tty", NULL, AT(tty), .help = "Allocate a pseudo-TTY"},
	{OPT_STR, 'u', "user", "string", AT(user),
	 .help = "Username or UID (format: \"<name|uid>[:<group|gid>]\")"},
	{OPT_STR, 'w', "workdir", "string", AT(workdir),
	 .help = "Working directory inside the container"},
	{0},
};

static const struct opt_table table = {"Options", opts};

static void init(void *args)
{
	run_opts_init(&((struct exec_args *)args)->run);
}

static void done(void *args)
{
	struct exec_args *a = args;

	run_opts_done(&a->run);
	strv_free(&a->env);
	strv_free(&a->env_files);
}

static int check(const struct exec_args *a)
{
	if (a->privileged)
		return docker_say(
			DOCKER_EXIT_USAGE,
			"docker: --privileged is not available in csbx: a container never "
			"has more rights than its user");
	for (size_t i = 0; i < a->env_files.n; i++) {
		if (access(a->env_files.items[i], R_OK) < 0)
			return docker_say(DOCKER_EXIT_FAILED, "open %s: %s", a->env_files.items[i],
					  errno == ENOENT ? "no such file or directory"
							  : strerror(errno));
	}
	if (a->tty && a->interactive && !a->detach && !isatty(STDIN_FILENO))
		return docker_say(DOCKER_EXIT_FAILED, "the input device is not a TTY");
	return 0;
}

/* Environment files first, so that -e wins. */
static int fill_options(struct exec_args *a, struct err *e)
{
	struct run_opts *o = &a->run;
	int r = 0;

	for (size_t i = 0; r >= 0 && i < a->env_files.n; i++)
		r = env_file_read(a->env_files.items[i], &o->env, e);
	for (size_t i = 0; i < a->env.n; i++)
		strv_add(&o->env, a->env.items[i]);
	o->user = docker_user(a->user);
	o->workdir = a->workdir && *a->workdir ? a->workdir : NULL;
	o->no_stdin = !a->interactive;
	o->tty = a->tty && !a->detach ? TTY_WISH_YES : TTY_WISH_NO;
	return r < 0 ? r : strv_check(&o->env, e);
}

/* What the runtime says comes by the output stream, as docker's does. */
static int runtime_says(const struct exec_args *a, int code, const char *text)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;

	if (a->detach) {
		(void)docker_daemon_error("%s", text ? text : "out of memory");
		return DOCKER_EXIT_FAILED;
	}
	strbuf_addf(&out, "%s\r\n", text ? text : "out of memory");
	(void)cmd_print(&out);
	return code;
}

/* The request could not be made: a user that is not there, a directory that is none. */
static int refused(const struct exec_args *a, const struct err *e)
{
	const char *user = a->user ? a->user : "";
	_free_ char *name = strndup(user, strcspn(user, ":"));
	_free_ char *text = NULL;

	if (e->origin == ERR_NO_USER)
		text = str_printf("unable to find user %s: no matching entries in passwd file",
				  name ? name : "");
	else if (e->origin == ERR_NO_GROUP)
		text = str_printf("unable to find group %s: no matching entries in group file",
				  strchr(user, ':') ? strchr(user, ':') + 1 : "");
	else if (e->origin == ERR_WORKDIR)
		text = str_printf("OCI runtime exec failed: exec failed: Cwd must be an absolute "
				  "path: unknown");
	else
		return docker_daemon_error("%s", e->msg);
	return runtime_says(a, CMD_EXIT_NOT_EXECUTABLE, text);
}

/* It was made and did not come to run. */
static int not_started(const struct exec_args *a, const struct exec_job *j,
		       const struct run_result *result)
{
	const struct process_spec *p = &a->run.spec.proc;
	bool at_cwd = result->error.origin == ERR_WORKDIR;
	bool is_missing = at_cwd && result->error.code == ENOENT;
	_free_ char *text = NULL;

	(void)j;
	if (at_cwd)
		text = str_printf(DOCKER_EXEC_FAILED "chdir to cwd (\"%s\") set in config.json "
						     "failed: %s: unknown",
				  p->cwd,
				  is_missing ? "no such file or directory" : "not a directory");
	else
		text = docker_launch_text(DOCKER_EXEC_FAILED, p->argv.items[0], result->exit_code,
					  &result->error);
	if (at_cwd)
		return runtime_says(a, is_missing ? CMD_EXIT_NOT_FOUND : CMD_EXIT_NOT_EXECUTABLE,
				    text);
	return runtime_says(a,
			    result->exit_code == CMD_EXIT_FAILED ? CMD_EXIT_NOT_EXECUTABLE
								 : result->exit_code,
			    text);
}

static int check_paused(const struct docker *d, const struct docker_target *t,
			struct docker_fault *f)
{
	struct container_state s = {0};

	if (t->stays &&
	    container_state_read(&d->cmd.paths, t->found.name, &t->found.record, &s, NULL) >= 0 &&
	    s.status == CONTAINER_PAUSED)
		return docker_fault(f, DOCKER_CONFLICT, EBUSY,
				    "container %s is paused, unpause the container before exec",
				    docker_target_id(t));
	return 0;
}

static int connect_job(struct docker *d, const char *operand, struct exec_job *j, char **ret_id,
		       struct docker_fault *f)
{
	struct docker_target t;
	int r = docker_target_open(&d->cmd.paths, operand, &t, f);

	if (r >= 0)
		r = docker_target_instance(&d->cmd.paths, &t, f);
	if (r >= 0)
		r = check_paused(d, &t, f);
	if (r >= 0) {
		*ret_id = strdup(docker_target_id(&t));
		r = exec_open(&d->cmd.paths, &t.instance, &j->link, &f->err);
		if (r == -ESRCH)
			docker_target_not_running(&t, f);
		j->rec = t.instance;
		t.has_instance = false;
	}
	docker_target_close(&t);
	return r;
}

/* It ended while it was spoken to. */
static int not_reached(const char *id, const struct err *e)
{
	if (e->code == ESRCH || e->code == EPIPE || e->code == ECONNRESET)
		return docker_daemon_error("container %s is not running", id ? id : "");
	return docker_daemon_error("%s", e->msg);
}

static int run_job(const struct exec_args *a, struct exec_job *j, struct run_result *result,
		   struct err *e)
{
	const struct process_spec *p = &a->run.spec.proc;
	const struct exec_options x = {
		.streams = {.tty = p->tty == TTY_YES,
			    .close_stdin = p->close_stdin,
			    .copy_pipes = true},
		.detached = a->detach,
		.tty_takes_stderr = true,
		.kill_after_ms = 100,
	};

	return exec_run(&j->link, p, &x, result, e);
}

static int exec_job_run(struct docker *d, struct exec_args *a, int argc, char **argv)
{
	struct exec_job j = {.paths = &d->cmd.paths,
			     .opts = &a->run,
			     .detach = a->detach,
			     .term = "xterm",
			     .link = EXEC_LINK_INIT};
	struct run_result result = {0};
	_free_ char *id = NULL;
	struct docker_fault f = DOCKER_FAULT_INIT;
	struct err e = ERR_INIT;
	int code = 0;

	if (fill_options(a, &e) < 0)
		code = docker_say(DOCKER_EXIT_FAILED, "%s", e.msg);
	else if (connect_job(d, argv[0], &j, &id, &f) < 0)
		code = docker_daemon_error("%s", f.err.msg);
	else if (exec_job_fill(&j, argc - 1, argv + 1, &e) < 0 ||
		 (a->run.user && docker_groups_add_main(&a->run.spec.proc, &e) < 0))
		code = refused(a, &e);
	else if (run_job(a, &j, &result, &e) < 0)
		code = not_reached(id, &e);
	else if (result.status == RUN_LAUNCH_ERROR || result.status == RUN_SANDBOX_ERROR)
		code = not_started(a, &j, &result);
	else
		code = a->detach ? 0 : run_exit_code(&result);
	run_result_free(&result);
	user_free(&j.user);
	exec_close(&j.link);
	instance_record_free(&j.rec);
	return code;
}

static int exec_run_verb(struct docker *d, void *args, int argc, char **argv)
{
	int code = check(args);

	return code ? code : exec_job_run(d, args, argc, argv);
}

const struct docker_verb docker_verb_exec = {
	.name = "exec",
	.usage = "[OPTIONS] CONTAINER COMMAND [ARG...]",
	.uses = (const struct opt_use[]){{&table, 0}, {0}},
	.flags = DOCKER_OPERAND_ENDS,
	.min_operands = 2,
	.max_operands = CMD_MANY,
	.args_bytes = sizeof(struct exec_args),
	.init = init,
	.done = done,
	.run = exec_run_verb,
};
