/* SPDX-License-Identifier: Apache-2.0 */

/*
 * csbx join STEP -- COMMAND: a task of a SLURM step goes into the container that its step has on
 * this node. Called by slurmstepd as the task's own command, when all that SLURM does to a task has
 * been done: so limits, CPU mask, control group and what TaskProlog exported are the task's.
 *
 * csbx-join ARG... is the same for SLURM before 23.11, csbx-join COMMAND ARG... for a task of
 * --multi-prog there: see cmd/spank/plugin.c.
 */

#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/frame/cmd.h"
#include "cmd/frame/frame.h"
#include "cmd/slurm/step_join.h"
#include "cmd/slurm/step_env.h"
#include "cmd/slurm/step_state.h"
#include "cmd/frame/verbs.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/num.h"
#include "runtime/exec/join.h"
#include "runtime/record/step_dirs.h"

#define LOG_BYTES_MAX (1u << 20)

extern char **environ;

/* One task of the node tells what all of them would. */
static bool is_first_task(void)
{
	const char *id = getenv("SLURM_LOCALID");

	return !id || str_eq(id, "0");
}

static void show_log(int dirfd)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;

	if (is_first_task() && io_read_file_at(dirfd, "log", LOG_BYTES_MAX, &text, NULL) >= 0)
		io_write_all(STDERR_FILENO, strbuf_str(&text), text.len, NULL);
}

/*
 * plugstack.conf's runtime_path, which the plugin tells every task of the job where it is not the
 * usual one. It may say anything: the directory there must be the caller's own, and csbx verifies
 * the container that it names.
 */
static const char *steps_dir(void)
{
	const char *told = step_dirs_told();

	return told ? told : STEP_DIRS_USUAL;
}

/*
 * "12.0" is this node's part of step 12.0: "12.0.3" where the node was the step's fourth. The
 * number that the joining step gives the node may be another one, so the directory is looked for. A
 * word with a slash is a directory.
 */
static char *step_path(const char *operand)
{
	const char *steps = steps_dir(), *node = getenv("SLURM_NODEID");
	_free_ char *pattern = str_printf("%s/%u/%s.*", steps, geteuid(), operand);
	char *path = NULL;
	glob_t found;

	if (strchr(operand, '/') || strpbrk(operand, "*?[\\"))
		return str_printf("%s", operand);
	if (pattern && glob(pattern, 0, NULL, &found) == 0) {
		if (found.gl_pathc == 1)
			path = str_printf("%s", found.gl_pathv[0]);
		globfree(&found);
	}
	if (path)
		return path;
	return str_printf("%s/%u/%s.%s", steps, geteuid(), operand, node ? node : "0");
}

/* For --container-save, which wants to know whether all tasks went in. */
static void count(int dirfd)
{
	_close_ int fd = openat(dirfd, "joined",
				O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd >= 0)
		io_write_all(fd, "j", 1, NULL);
}

/*
 * PMI-2's connection to slurmstepd: the one descriptor beside 0, 1 and 2 that SLURM gives a task.
 * It becomes 3, and the environment is told so. -1: there is none.
 */
static int keep_pmi(struct strv *env)
{
	const char *text = strv_get_env(env, "PMI_FD");
	uint64_t fd;
	struct stat st;

	if (!text || num_parse_u64(text, INT_MAX, &fd) < 0 || fd <= STDERR_FILENO ||
	    fstat((int)fd, &st) < 0 || !S_ISSOCK(st.st_mode))
		return -1;
	strv_set_env(env, "PMI_FD=3");
	return (int)fd;
}

static int enter(const struct paths *paths, int dirfd, const struct step_state *s, char **argv,
		 struct err *e)
{
	struct join_target t = JOIN_TARGET_INIT;
	_strv_ struct strv words = STRV_INIT, env = STRV_INIT;
	int r = join_open(paths, s->pid, &t, e);

	if (r < 0) {
		join_close(&t);
		return err_wrap(e, "the step's container does not run any more");
	}
	for (; *argv; argv++)
		strv_add(&words, *argv);
	r = strv_check(&words, e);
	if (r >= 0)
		r = step_env_merge(environ, &t.env, &s->keep, &env, e);
	if (r >= 0) {
		int pmi = keep_pmi(&env);
		const struct join_command c = {
			.argv = &words,
			.env = &env,
			.cwd = s->workdir ? s->workdir : t.cwd,
			.error_prefix = "csbx: ",
			.failure_code = CMD_EXIT_FAILED,
			.keep_fds = &pmi,
			.n_keep_fds = pmi >= 0,
		};

		count(dirfd);
		signal(SIGXFSZ, SIG_DFL); /* as the task had it before cmd_begin() */
		r = join_exec(paths, &t, &c, e);
	}
	join_close(&t);
	return r;
}

/* The holder's message, once a node; the holder has escaped it. */
static int tell(const char *step, const struct strbuf *text, const struct err *e)
{
	if (!is_first_task())
		return CMD_EXIT_FAILED;
	if (!text->len)
		return cmd_error(e, "join %s", step);
	io_write_all(STDERR_FILENO, text->data, text->len, NULL);
	return CMD_EXIT_FAILED;
}

static int join_step(struct cmd *c, const char *step, char **argv)
{
	_free_ char *path = step_path(step);
	_close_ int dirfd = -1;
	_strbuf_ struct strbuf text = STRBUF_INIT;
	struct step_state s = {0};
	struct err e = ERR_INIT;
	int r;

	if (!path) {
		err_oom(&e);
		return cmd_error(&e, "join %s", step);
	}
	r = dirfd = step_dir_open(path, &e);
	if (r == -ENOENT)
		err_set(&e, ENOENT, "no step of yours has a container on this node under %s", path);
	else if (r >= 0)
		r = step_state_wait(dirfd, &s, &text, &e);
	if (r < 0)
		return tell(step, &text, &e);
	if (s.shows_log)
		show_log(dirfd);
	free(c->paths.runtime);
	c->paths.runtime = take_ptr(s.runtime);
	r = enter(&c->paths, dirfd, &s, argv, &e);
	step_state_free(&s);
	return cmd_error(&e, "join %s", step);
}

/*
 * The state of the user's own home is not looked at, so that a task that SLURM gives no HOME
 * (--export=NONE) needs none. It gets none from here either.
 */
static int load_state(struct cmd *c, struct err *e)
{
	bool is_homeless = !getenv("HOME");
	int r;

	if (is_homeless && setenv("HOME", "/nonexistent", 1) < 0)
		return err_sys(e, "HOME");
	r = cmd_load_state(c, e);
	if (is_homeless)
		unsetenv("HOME");
	return r;
}

static int join_run(struct cmd *c, void *args, int argc, char **argv)
{
	int skip = argc > 1 && str_eq(argv[1], "--");
	struct err e = ERR_INIT;

	(void)args;
	if (argc - skip < 2)
		err_set(&e, EINVAL, "no command");
	else if (load_state(c, &e) >= 0)
		return join_step(c, argv[0], argv + 1 + skip);
	return cmd_error(&e, "join %s", argv[0]);
}

int step_join_personality(int argc, char **argv)
{
	struct cmd c = {.verb = &verb_join, .argv = argv};
	const char *name = argc ? strrchr(argv[0], '/') : NULL;
	struct err e = ERR_INIT;
	char *step, *command;
	int code;

	if (!name || !str_eq(name, "/csbx-join"))
		return -1;
	step = getenv("SPANK_CSBX_STEP");
	command = getenv("SPANK_CSBX_COMMAND");
	if (!command)
		argv++; /* a line of --multi-prog */
	else
		argv[0] = command;
	if (cmd_begin(&e) < 0 || !step || !argv[0]) {
		err_set(&e, EINVAL, "is called by SLURM's plugin only");
		return cmd_error(&e, "csbx-join");
	}
	if (load_state(&c, &e) < 0)
		code = cmd_error(&e, "join");
	else
		code = join_step(&c, step, argv);
	cmd_free_state(&c);
	return code;
}

static const struct verb_example examples[] = {
	{"look at the processes that step 7.0 sees",
	 "srun --jobid=7 --overlap csbx join 7.0 ps ax"},
	{0},
};

const struct verb verb_join = {
	.name = "join",
	.usage = "STEP COMMAND [ARG...]",
	.description =
		"Runs a command in the container that a step of SLURM has on this node, made by "
		"the "
		"SPANK plugin. STEP is JOB.STEP. The command is one more process of the container: "
		"it sees what the step's tasks see, and the container's end is not its own.",
	.uses = (const struct opt_use[]){{0}},
	.examples = examples,
	.flags = VERB_OPERAND_ENDS | VERB_NO_STATE,
	.min_operands = 2,
	.max_operands = CMD_MANY,
	.args_bytes = 1,
	.run = join_run,
};
