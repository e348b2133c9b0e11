/* SPDX-License-Identifier: Apache-2.0 */

/* Run options: the process that is started, its environment and its streams. */

#include <stddef.h>

#include "cmd/options/env_file.h"
#include "cmd/options/run_opts.h"
#include "cmd/options/signal_name.h"
#include "runtime/base/err.h"
#include "runtime/base/num.h"
#include "runtime/settings/config.h"

#define AT(member) offsetof(struct run_opts, member)

static int set_env(void *env, const char *value, struct err *e)
{
	int r = env_check_assignment(value, e);

	if (r < 0)
		return r;
	strv_add(env, value);
	return strv_check(env, e);
}

/* A link in a mount is not followed, and mounts may come behind it: read in resolve_spec(). */
static int note_env_file(void *opts, const char *value, struct err *e)
{
	struct run_opts *o = opts;

	return env_file_note(&o->env_files, &o->env, value, e);
}

static int set_env_file(void *env, const char *value, struct err *e)
{
	return env_file_read(value, NULL, env, e);
}

static int parse_yes(const char *value, bool *ret, struct err *e)
{
	int r = value ? config_parse_flag(value) : 1;

	if (r < 0)
		return err_set(e, EINVAL, "must be yes or no");
	*ret = r;
	return 0;
}

static int set_tty(void *wish, const char *value, struct err *e)
{
	bool yes = false;
	int r = parse_yes(value, &yes, e);

	if (r >= 0)
		*(enum tty_wish *)wish = yes ? TTY_WISH_YES : TTY_WISH_NO;
	return r;
}

static int set_interactive(void *no_stdin, const char *value, struct err *e)
{
	bool yes = false;
	int r = parse_yes(value, &yes, e);

	if (r >= 0)
		*(bool *)no_stdin = !yes;
	return r;
}

static int set_init(void *pid1_signals, const char *value, struct err *e)
{
	bool yes = false;
	int r = parse_yes(value, &yes, e);

	if (r >= 0)
		*(bool *)pid1_signals = !yes;
	return r;
}

static int set_stop_signal(void *signal, const char *value, struct err *e)
{
	return signal_parse(value, signal, e);
}

static int set_stop_timeout(void *process, const char *value, struct err *e)
{
	struct process_spec *p = process;

	if (num_parse_duration(value, &p->stop_timeout_ms) < 0 || p->stop_timeout_ms > UINT32_MAX)
		return err_set(e, EINVAL, "must be a time such as 30s or 5m");
	p->stop_timeout_is_set = true;
	return 0;
}

static int set_group(void *keep, const char *value, struct err *e)
{
	if (!str_eq(value, "keep-groups"))
		return err_set(e, EINVAL, "only 'keep-groups' can be given");
	*(bool *)keep = true;
	return 0;
}

static int set_label(void *labels, const char *value, struct err *e)
{
	if (!*value || *value == '=')
		return err_set(e, EINVAL, "the label's name is missing (NAME=VALUE)");
	strv_add(labels, value);
	return strv_check(labels, e);
}

static const struct opt opts[] = {
	{OPT_CALL, 0, "env", "NAME[=VALUE]", AT(env), set_env, .repeats = true, .has_key = true,
	 .help = "set a variable; without a value, pass on your own"},
	{OPT_CALL, 0, "env-file", "FILE", 0, note_env_file, .repeats = true, .has_key = true,
	 .offers = "file", .help = "read variables from a file, one NAME=VALUE a line"},
	{OPT_FLAG, 0, "no-job-env", .offset = AT(no_job_env), .has_key = true,
	 .help = "in a batch job: do not pass on the job's variables (SLURM_*, PMI_*, PMIX_*, "
		 "MASTER_ADDR, RANK, CUDA_VISIBLE_DEVICES and their like)"},
	{OPT_STR, 0, "workdir", "DIR", AT(workdir), .has_key = true,
	 .initial = "the image's, else the first --mount's, else /",
	 .help = "directory to start in; made when it is missing. An image that names none, or /, "
		 "leaves it to the first --mount of a directory on the command line"},
	{OPT_STR, 0, "user", "USER[:GROUP]", AT(user), .has_key = true,
	 .initial = "the image's, else 0",
	 .help = "name or number of the main user inside; files it makes in a mount are yours"},
	{OPT_CALL, 0, "group-add", "GROUPS", AT(spec.proc.keep_groups), set_group, .has_key = true,
	 .repeats = true, .offers = "words:keep-groups",
	 .help = "'keep-groups': keep your own supplementary groups inside"},
	{OPT_STR, 0, "entrypoint", "PROGRAM", AT(entrypoint), .has_key = true,
	 .help = "run PROGRAM with the given arguments instead of the image's entry point and "
		 "command; '' for none"},
	{OPT_MAYBE, 0, "interactive", "yes|no", AT(no_stdin), set_interactive, .has_key = true,
	 .initial = "yes", .help = "hand standard input to the program; no: it reads /dev/null"},
	{OPT_MAYBE, 0, "tty", "yes|no", AT(tty), set_tty, .has_key = true,
	 .initial = "yes when standard input and output are terminals",
	 .help = "give the program a terminal of the container's own"},
	{OPT_STR, 0, "stdin", "FILE", AT(stdin_path), .offers = "file",
	 .help = "standard input from a file"},
	{OPT_MAYBE, 0, "init", "yes|no", AT(spec.proc.pid1_signals), set_init, .has_key = true,
	 .initial = "yes",
	 .help = "no: signals reach the program as they would a first process, only those it has a "
		 "handler for; csbx-init is there in any case, and reaps"},
	{OPT_CALL, 0, "stop-signal", "SIGNAL", AT(spec.proc.stop_signal), set_stop_signal,
	 .has_key = true, .initial = "the image's, else TERM", .help = "the signal of csbx stop"},
	{OPT_CALL, 0, "stop-timeout", "TIME", AT(spec.proc), set_stop_timeout, .has_key = true,
	 .initial = "10s", .help = "how long csbx stop waits before it kills"},
	{OPT_CALL, 0, "label", "NAME=VALUE", AT(spec.labels), set_label, .repeats = true,
	 .has_key = true, .help = "a note on the container, shown by inspect"},
	{0},
};

/* The same for one process more: no keys, for what holds for containers does not hold for it. */
static const struct opt exec_opts[] = {
	{OPT_CALL, 'e', "env", "NAME[=VALUE]", AT(env), set_env, .repeats = true,
	 .help = "set a variable; without a value, pass on your own"},
	{OPT_CALL, 0, "env-file", "FILE", AT(env), set_env_file, .repeats = true, .offers = "file",
	 .help = "read variables from a file, one NAME=VALUE a line"},
	{OPT_STR, 'w', "workdir", "DIR", AT(workdir), .initial = "the container's",
	 .help = "directory to start in; it must be there"},
	{OPT_STR, 'u', "user", "USER[:GROUP]", AT(user), .initial = "the container's main user",
	 .help = "name or number of the user, from the container's /etc/passwd as it is now"},
	{OPT_MAYBE, 'i', "interactive", "yes|no", AT(no_stdin), set_interactive, .initial = "yes",
	 .help = "hand standard input to the program; no: it reads /dev/null"},
	{OPT_MAYBE, 't', "tty", "yes|no", AT(tty), set_tty,
	 .initial = "yes when standard input and output are terminals",
	 .help = "give the program a terminal of the container's own"},
	{OPT_STR, 0, "stdin", "FILE", AT(stdin_path), .offers = "file",
	 .help = "standard input from a file"},
	{0},
};

const struct opt_table exec_table_process = {"Process and environment", exec_opts};

const struct opt_table run_table_process = {"Process and environment", opts};
