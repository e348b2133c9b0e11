/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "cmd/engine/serve/serve.h"
#include "cmd/frame/cmd.h"
#include "cmd/frame/verbs.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/record/engine_dir.h"

struct engine_args {
	bool detach, env, context, stop;
};

static const struct opt engine_opts[] = {
	{OPT_FLAG, 'd', "detach", .offset = offsetof(struct engine_args, detach),
	 .help = "listen in the background and print the socket's address; where an engine of "
		 "yours listens already, that one is it"},
	{OPT_FLAG, 0, "env", .offset = offsetof(struct engine_args, env),
	 .help = "as -d, and print a line for a shell to evaluate, which sets DOCKER_HOST"},
	{OPT_FLAG, 0, "context", .offset = offsetof(struct engine_args, context),
	 .help = "as -d, and write a context named csbx for Docker's command line, which docker "
		 "--context csbx and docker context use csbx take"},
	{OPT_FLAG, 0, "stop", .offset = offsetof(struct engine_args, stop),
	 .help = "end the engine that listens on this socket; containers go on"},
	{0},
};

static const struct opt_table engine_table = {"Options", engine_opts};

static int print_address(const char *path, bool for_shell)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;

	if (!for_shell) {
		strbuf_addf(&out, "unix://%s\n", path);
		return cmd_print(&out);
	}
	strbuf_addstr(&out, "export DOCKER_HOST='unix://");
	for (; *path; path++)
		*path == '\'' ? strbuf_addstr(&out, "'\\''") : strbuf_addch(&out, *path);
	strbuf_addstr(&out, "'\n");
	return cmd_print(&out);
}

/* The child goes on without terminal; the socket listens already. 0 in the parent. */
static int go_behind(const struct engine_listener *l, struct err *e)
{
	_close_ int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	pid_t child;

	if (null < 0)
		return err_sys(e, "/dev/null");
	child = fork();
	if (child)
		return child < 0 ? err_sys(e, "fork") : 0;
	/* The socket is this process's from here on: --stop asks the kernel for the last who listened. */
	if (setsid() < 0 || chdir("/") < 0 || engine_listen_again(l) < 0)
		_exit(CMD_EXIT_FAILED);
	for (int fd = 0; fd < 3; fd++) {
		if (dup2(null, fd) < 0)
			_exit(CMD_EXIT_FAILED);
	}
	return 1;
}

static int detached(struct cmd *c, const struct engine_args *a, const char *path)
{
	struct engine_listener l;
	struct err e = ERR_INIT;
	int r = engine_listen(c, &l, &e);

	if (r == -EADDRINUSE)
		return print_address(path, a->env);
	if (r >= 0)
		r = go_behind(&l, &e);
	if (r == 1) {
		r = engine_take_signals(&l, &e);
		if (r >= 0)
			r = engine_serve(c, &l, &e);
		engine_listener_close(&l);
		_exit(r < 0 ? CMD_EXIT_FAILED : 0);
	}
	if (r < 0) {
		engine_listener_close(&l);
		return cmd_error(&e, "engine");
	}
	return print_address(path, a->env);
}

static _Noreturn void run_command(char **argv, const sigset_t *old)
{
	struct err e = ERR_INIT;

	sigprocmask(SIG_SETMASK, old, NULL);
	signal(SIGPIPE, SIG_DFL);
	execvp(argv[0], argv);
	err_sys(&e, "%s", argv[0]);
	(void)cmd_error(&e, "engine");
	_exit(e.code == ENOENT ? CMD_EXIT_NOT_FOUND : CMD_EXIT_NOT_EXECUTABLE);
}

static int start_command(struct engine_listener *l, const char *path, char **argv, struct err *e)
{
	_free_ char *host = str_printf("unix://%s", path);
	sigset_t old;
	int r;

	if (!host || setenv("DOCKER_HOST", host, 1) < 0)
		return err_oom(e);
	/* They would lead a client past the socket. */
	unsetenv("DOCKER_CONTEXT");
	unsetenv("DOCKER_TLS_VERIFY");
	sigprocmask(SIG_SETMASK, NULL, &old);
	r = engine_take_signals(l, e);
	if (r < 0)
		return r;
	l->command = fork();
	if (!l->command)
		run_command(argv, &old);
	if (l->command < 0) {
		l->command = 0;
		return err_sys(e, "fork");
	}
	return 0;
}

static int exit_code_of(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Around a command that ends it. */
static int around(struct cmd *c, char **argv)
{
	struct engine_listener l;
	struct err e = ERR_INIT;
	int r = engine_listen_own(c, &l, &e);

	if (r >= 0) {
		_free_ char *path = str_printf("%s/" ENGINE_DIR "/%s", c->paths.runtime, l.name);

		r = path ? start_command(&l, path, argv, &e) : err_oom(&e);
		if (r >= 0)
			r = engine_serve(c, &l, &e);
		engine_listener_close(&l);
	}
	return r < 0 ? cmd_error(&e, "engine") : exit_code_of(l.command_status);
}

/* Until a signal ends it. */
static int in_front(struct cmd *c)
{
	struct engine_listener l;
	struct err e = ERR_INIT;
	int r = engine_listen_given(&l, &e);

	if (r == 0)
		r = engine_listen(c, &l, &e);
	if (r >= 0) {
		r = engine_take_signals(&l, &e);
		if (r >= 0)
			r = engine_serve(c, &l, &e);
		engine_listener_close(&l);
	}
	return r < 0 ? cmd_error(&e, "engine") : CMD_EXIT_OK;
}

static int engine_run(struct cmd *c, void *args, int argc, char **argv)
{
	const struct engine_args *a = args;
	_free_ char *path = engine_socket_path(c);
	struct err e = ERR_INIT;

	if (!path) {
		err_oom(&e);
		return cmd_error(&e, "engine");
	}
	if (argc && (a->detach || a->env || a->context || a->stop)) {
		err_set(&e, EINVAL, "%s goes without a command",
			a->env       ? "--env"
			: a->context ? "--context"
			: a->stop    ? "--stop"
				     : "--detach");
		return cmd_error(&e, "engine");
	}
	if (a->stop && (a->detach || a->env || a->context)) {
		err_set(&e, EINVAL, "--stop goes without --detach, --env and --context");
		return cmd_error(&e, "engine");
	}
	if (a->stop)
		return engine_stop(c, &e) < 0 ? cmd_error(&e, "engine --stop") : CMD_EXIT_OK;
	if (argc)
		return around(c, argv);
	if (a->context && engine_write_context(path, &e) < 0)
		return cmd_error(&e, "engine");
	return a->detach || a->env || a->context ? detached(c, a, path) : in_front(c);
}

static const struct verb_example examples[] = {
	{"let docker-py and docker's own command line find csbx in this shell",
	 "eval \"$(csbx engine --env)\""},
	{"end the engine that -d, --env or --context started", "csbx engine --stop"},
	{"for one command, in a batch job or in CI", "csbx engine -- python run_evaluation.py"},
	{0},
};

const struct verb verb_engine = {
	.name = "engine",
	.usage = "[OPTIONS] [--] [COMMAND [ARGUMENT...]]",
	.description =
		"Listens on the socket docker.sock in the runtime directory and answers there as "
		"Docker's daemon answers: programs that speak the Docker Engine API, such as "
		"docker-py and Docker's own command line, work with csbx once DOCKER_HOST names "
		"the socket. Only processes of the same user outside of containers are "
		"served.\n\n"
		"With a COMMAND, the command runs with DOCKER_HOST set to a socket of its own, the "
		"engine ends with it, and its exit code is the command's. Without one and without "
		"-d, the engine listens until a signal ends it, on the socket that systemd hands "
		"over (LISTEN_FDS) where there is one.\n\n"
		"The engine holds no state. It may be ended and started again at any time: "
		"containers go on, and the next engine finds them. docs/engine.md lists the "
		"endpoints, and the differences from Docker's daemon.",
	.uses = (const struct opt_use[]){{&engine_table, 0}, {0}},
	.examples = examples,
	.flags = VERB_OPERAND_ENDS,
	.max_operands = CMD_MANY,
	.args_bytes = sizeof(struct engine_args),
	.run = engine_run,
};
