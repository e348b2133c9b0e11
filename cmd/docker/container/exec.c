/* SPDX-License-Identifier: Apache-2.0 */

/* docker exec. */

#include <stddef.h>
#include <unistd.h>

#include "cmd/docker/daemon/exec.h"
#include "cmd/docker/daemon/exec_session.h"
#include "cmd/docker/frame/argv.h"
#include "cmd/docker/frame/docker.h"
#include "cmd/docker/frame/errno_text.h"
#include "cmd/docker/frame/fault.h"
#include "cmd/docker/frame/verbs.h"
#include "cmd/options/env_file.h"
#include "runtime/base/str.h"
#include "runtime/stream/detach_keys.h"

struct exec_args {
	struct strv env, env_files;
	const char *detach_keys, *user, *workdir;
	bool detach, interactive, privileged, tty;
};

#define AT(member) offsetof(struct exec_args, member)

static const struct opt opts[] = {
	{OPT_FLAG, 'd', "detach", NULL, AT(detach),
	 .help = "Detached mode: run command in the background"},
	{OPT_STR, 0, "detach-keys", "string", AT(detach_keys),
	 .help = "Override the key sequence for detaching a container"},
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

static void done(void *args)
{
	struct exec_args *a = args;

	strv_free(&a->env);
	strv_free(&a->env_files);
}

static int check(const struct exec_args *a)
{
	for (size_t i = 0; i < a->env_files.n; i++) {
		if (access(a->env_files.items[i], R_OK) < 0)
			return docker_say(DOCKER_EXIT_FAILED, "open %s: %s", a->env_files.items[i],
					  docker_errno(errno));
	}
	if (a->tty && a->interactive && !a->detach && !isatty(STDIN_FILENO))
		return docker_say(DOCKER_EXIT_FAILED, "the input device is not a TTY");
	return 0;
}

/* Environment files first, so that -e wins. */
static int fill(const struct exec_args *a, int argc, char **argv, struct docker_exec_args *x,
		struct err *e)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i < a->env_files.n; i++)
		r = env_file_read(a->env_files.items[i], NULL, &x->env, e);
	for (size_t i = 0; i < a->env.n; i++)
		strv_add(&x->env, a->env.items[i]);
	for (int i = 0; i < argc; i++)
		strv_add(&x->argv, argv[i]);
	x->user = a->user;
	x->workdir = a->workdir;
	x->tty = a->tty;
	x->interactive = a->interactive;
	if (r >= 0)
		r = strv_check(&x->env, e);
	return r < 0 ? r : strv_check(&x->argv, e);
}

/* The runtime's messages come by the output stream, as docker's do. */
static int failed(const struct exec_args *a, const struct docker_fault *f)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;

	if (f->err.code == ECANCELED)
		return docker_say(DOCKER_EXIT_FAILED, "%s", f->err.msg);
	if (a->detach || !f->exit_code)
		return docker_daemon_error("%s", f->err.msg);
	strbuf_addf(&out, "%s\r\n", f->err.msg);
	(void)cmd_print(&out);
	return f->exit_code;
}

/* By a process of its own, which tells its end. */
static int start_detached(const struct paths *p, const char *operand,
			  const struct docker_exec_args *x, struct docker_fault *f)
{
	char id[DOCKER_EXEC_ID_BYTES];
	int r = docker_exec_create(p, operand, x, id, f);

	return r < 0 ? r : docker_exec_start_detached(p, id, f);
}

static int exec_run_verb(struct docker *d, void *args, int argc, char **argv)
{
	const struct exec_args *a = args;
	struct detach_keys keys;
	const struct docker_exec_how how = {.keys = &keys};
	struct docker_fault f = DOCKER_FAULT_INIT;
	struct docker_exec_args x = {0};
	int code = check(a);

	if (code)
		return code;
	if (detach_keys_parse(a->detach_keys, &keys) < 0)
		return docker_daemon_error("Invalid escape keys (%s) provided", a->detach_keys);
	if (a->privileged)
		(void)docker_say(0, "WARNING: --privileged is without effect in csbx: a container "
				    "never has more rights than its user");
	if (fill(a, argc - 1, argv + 1, &x, &f.err) < 0) {
		code = docker_say(DOCKER_EXIT_FAILED, "%s", f.err.msg);
	} else {
		cmd_hide_values(&d->cmd, &a->env);
		code = a->detach ? start_detached(&d->cmd.paths, argv[0], &x, &f)
				 : docker_exec(&d->cmd.paths, argv[0], &x, &how, &f);
		code = code < 0 ? failed(a, &f) : code;
	}
	docker_exec_args_done(&x);
	return code;
}

const struct docker_verb docker_verb_exec = {
	.name = "exec",
	.usage = "[OPTIONS] CONTAINER COMMAND [ARG...]",
	.uses = (const struct opt_use[]){{&table, 0}, {0}},
	.flags = DOCKER_OPERAND_ENDS,
	.min_operands = 2,
	.max_operands = CMD_MANY,
	.args_bytes = sizeof(struct exec_args),
	.done = done,
	.run = exec_run_verb,
};
