/* SPDX-License-Identifier: Apache-2.0 */

/*
 * From a docker command line to a verb: global options, the command's name in its long or short
 * form, the program that runs it, its flags and operands.
 */

#include "cmd/docker/frame/docker.h"

#include <stddef.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "cmd/docker/frame/argv.h"
#include "cmd/docker/frame/complete.h"
#include "cmd/frame/frame.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/record/engine_dir.h"

struct global_args {
	struct strv hosts;
	const char *config, *context, *log_level, *tls_file;
	bool debug, tls, version;
};

#define AT(member) offsetof(struct global_args, member)

static const struct opt global_opts[] = {
	{OPT_STR, 0, "config", "string", AT(config)},
	{OPT_STR, 'c', "context", "string", AT(context)},
	{OPT_FLAG, 'D', "debug", NULL, AT(debug)},
	{OPT_LIST, 'H', "host", "list", AT(hosts)},
	{OPT_STR, 'l', "log-level", "string", AT(log_level)},
	{OPT_FLAG, 0, "tls", NULL, AT(tls)},
	{OPT_STR, 0, "tlscacert", "string", AT(tls_file)},
	{OPT_STR, 0, "tlscert", "string", AT(tls_file)},
	{OPT_STR, 0, "tlskey", "string", AT(tls_file)},
	{OPT_FLAG, 0, "tlsverify", NULL, AT(tls)},
	{OPT_FLAG, 'v', "version", NULL, AT(version)},
	{0},
};

static const struct opt_table global_table = {"Global Options", global_opts};
static const struct opt_use global_uses[] = {{&global_table, 0}, {0}};

struct dialect {
	enum program self;
	const struct docker_verb *const *verbs;
	char **all; /* the whole command line, for a hand-over */
};

static const char *verb_name(const struct docker_command *c)
{
	return c->top ? c->top : c->path;
}

/* True for "GROUP WORD" of the list. */
static bool has_path(const struct docker_command *c, const char *group, const char *word)
{
	size_t n = strlen(group);

	if (!c->path || strncmp(c->path, group, n) || c->path[n] != ' ')
		return false;
	return str_eq(c->path + n + 1, word) || (c->alias && str_eq(c->alias, word));
}

static bool is_group(const char *word)
{
	for (const struct docker_command *c = docker_commands; c->summary; c++) {
		if (c->path && str_has_prefix(c->path, word) && c->path[strlen(word)] == ' ')
			return true;
	}
	return false;
}

static const struct docker_command *find_command(const char *group, const char *word)
{
	for (const struct docker_command *c = docker_commands; c->summary; c++) {
		if (group ? has_path(c, group, word) : c->top && str_eq(c->top, word))
			return c;
	}
	return NULL;
}

static const struct docker_verb *find_verb(const struct dialect *x, const char *name)
{
	for (const struct docker_verb *const *v = x->verbs; *v; v++) {
		if (str_eq((*v)->name, name))
			return *v;
	}
	return NULL;
}

static int show_help(const struct docker *d)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;

	docker_help_verb(d, &out);
	return cmd_print(&out);
}

/* docker says "See" where more operands would do, and "Run" where the number is fixed. */
static int check_operands(const struct docker *d, unsigned n)
{
	const struct docker_verb *v = d->verb;
	unsigned want = n < v->min_operands ? v->min_operands : v->max_operands;
	bool exact = v->min_operands == v->max_operands;

	if (n >= v->min_operands && n <= v->max_operands)
		return 0;
	if (exact && !want)
		return docker_say(DOCKER_EXIT_FAILED,
				  "docker: '%s' accepts no arguments\n\nUsage:  %s %s\n\n"
				  "Run '%s --help' for more information",
				  d->path, d->path, v->usage, d->path);
	if (v->min_operands && !exact && v->max_operands != CMD_MANY)
		return docker_say(DOCKER_EXIT_FAILED,
				  "docker: '%s' requires at least %u and at most %u arguments\n\n"
				  "Usage:  %s %s\n\nRun '%s --help' for more information",
				  d->path, v->min_operands, v->max_operands, d->path, v->usage,
				  d->path);
	return docker_say(DOCKER_EXIT_FAILED,
			  "docker: '%s' requires %s%u argument%s\n\nUsage:  %s %s\n\n"
			  "%s '%s --help' for more information",
			  d->path,
			  exact                 ? ""
			  : n < v->min_operands ? "at least "
						: "at most ",
			  want, want == 1 ? "" : "s", d->path, v->usage,
			  exact || n > v->max_operands ? "Run" : "See", d->path);
}

/* A socket in the runtime directory is csbx engine's: this process does the work itself. */
static bool is_own_socket(const struct cmd *c, const char *host)
{
	_free_ char *dir = str_has_prefix(host, "unix://") ? strdup(host + 7) : NULL;
	char *slash = dir ? strrchr(dir, '/') : NULL;
	struct stat runtime, st;

	if (!slash || stat(c->paths.runtime, &runtime) < 0)
		return false;
	*slash = 0;
	if (str_has_suffix(dir, "/" ENGINE_DIR))
		dir[strlen(dir) - strlen("/" ENGINE_DIR)] = 0;
	return stat(dir, &st) == 0 && st.st_dev == runtime.st_dev && st.st_ino == runtime.st_ino;
}

/* Containers of another daemon are not csbx's: a script that means them is told. */
static int check_docker_host(const struct docker *d)
{
	const char *host = getenv("DOCKER_HOST");

	if (!host || !*host || is_own_socket(&d->cmd, host))
		return 0;
	return docker_say(
		DOCKER_EXIT_FAILED,
		"docker: DOCKER_HOST=%s is no socket of csbx engine: this docker is csbx, "
		"which runs containers itself and asks no daemon.\nUnset DOCKER_HOST, or call "
		"Docker's own program",
		host);
}

static int run_parsed(struct docker *d, void *args, int argc, char **argv)
{
	const struct docker_verb *v = d->verb;
	struct err e = ERR_INIT;
	int n = docker_argv_parse(v->uses, v->flags & DOCKER_OPERAND_ENDS, args, argc, argv, &e);

	if (n == DOCKER_ARGV_HELP)
		return show_help(d);
	if (n < 0)
		return docker_bad_flag(d, "%s", e.msg);
	if (check_operands(d, (unsigned)n))
		return DOCKER_EXIT_FAILED;
	if (!(v->flags & DOCKER_NO_STATE) && cmd_load_state(&d->cmd, &e) < 0)
		return docker_say(DOCKER_EXIT_USAGE, "docker: %s", e.msg);
	if (!(v->flags & DOCKER_NO_STATE) && check_docker_host(d))
		return DOCKER_EXIT_FAILED;
	return v->run(d, args, n, argv + 1);
}

static int run_verb(struct docker *d, int argc, char **argv)
{
	const struct docker_verb *v = d->verb;
	void *args = calloc(1, v->args_bytes + 1);
	int code;

	if (!args)
		return docker_say(DOCKER_EXIT_USAGE, "docker: out of memory");
	if (v->init)
		v->init(args);
	code = run_parsed(d, args, argc, argv);
	if (v->done)
		v->done(args);
	free(args);
	cmd_free_state(&d->cmd);
	return code;
}

int docker_hand_over(struct docker *d, enum program program)
{
	struct err e = ERR_INIT;

	cmd_hand_over(program, d->cmd.argv, &e);
	return docker_say(DOCKER_EXIT_USAGE, "docker: %s", e.msg);
}

/* Here or in another program; argv[0] is the command's last word. */
static int dispatch(const struct dialect *x, const struct docker_command *c, const char *path,
		    int argc, char **argv)
{
	struct docker d = {.self = x->self, .path = path, .cmd = {.argv = x->all}};

	d.verb = find_verb(x, verb_name(c));
	if (d.verb)
		return run_verb(&d, argc, argv);
	if (c->program == PROGRAM_MAX || c->program == x->self)
		return docker_say(DOCKER_EXIT_FAILED, "docker: '%s' is not done by csbx%s%s", path,
				  c->instead ? ": " : "", c->instead ? c->instead : "");
	return docker_hand_over(&d, c->program);
}

static int unknown_command(const char *path, const char *group)
{
	if (group)
		return docker_say(DOCKER_EXIT_FAILED,
				  "docker: unknown command: %s\n\nUsage:  docker %s\n\n"
				  "Run 'docker %s --help' for more information",
				  path, group, group);
	return docker_say(DOCKER_EXIT_FAILED,
			  "docker: unknown command: %s\n\nRun 'docker --help' for more information",
			  path);
}

static int show_overview(const char *group)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;

	if (group)
		docker_help_group(group, &out);
	else
		docker_help_overview(&out);
	return cmd_print(&out);
}

/* argv[0] is the first word after the global options. */
static int find_and_run(const struct dialect *x, int argc, char **argv)
{
	const char *group = is_group(argv[0]) ? argv[0] : NULL;
	const struct docker_command *c;
	_free_ char *path = NULL;

	if (group && (argc < 2 || str_eq(argv[1], "--help") || str_eq(argv[1], "-h")))
		return show_overview(group);
	c = find_command(group, argv[group ? 1 : 0]);
	path = group ? str_printf("docker %s %s", group, argv[1])
		     : str_printf("docker %s", argv[0]);
	if (!path)
		return docker_say(DOCKER_EXIT_USAGE, "docker: out of memory");
	if (!c)
		return unknown_command(path, group);
	return group ? dispatch(x, c, path, argc - 1, argv + 1) : dispatch(x, c, path, argc, argv);
}

/* `docker help run`: as `docker run --help`. */
static int help_of(const struct dialect *x, int argc, char **argv)
{
	_free_ char **words = calloc((size_t)argc + 2, sizeof(*words));
	char help[] = "--help";

	if (!argc)
		return show_overview(NULL);
	if (!words)
		return docker_say(DOCKER_EXIT_USAGE, "docker: out of memory");
	memcpy(words, argv, (size_t)argc * sizeof(*words));
	words[argc] = help;
	return find_and_run(x, argc + 1, words);
}

static bool is_remote(const char *host)
{
	return *host && !str_has_prefix(host, "unix://") && !str_has_prefix(host, "fd://") &&
	       *host != '/';
}

/* There is no daemon to talk to: an address of this machine's is passed over, another refused. */
static int check_globals(const struct global_args *g)
{
	for (size_t i = 0; i < g->hosts.n; i++) {
		if (is_remote(g->hosts.items[i]))
			return docker_say(DOCKER_EXIT_FAILED,
					  "docker: --host %s: csbx runs containers itself and "
					  "reaches no other machine",
					  g->hosts.items[i]);
	}
	if (g->context && *g->context && !str_eq(g->context, "default"))
		return docker_say(DOCKER_EXIT_FAILED,
				  "docker: --context %s: csbx has one context, default",
				  g->context);
	if (g->config && setenv("DOCKER_CONFIG", g->config, 1) < 0)
		return docker_say(DOCKER_EXIT_FAILED, "docker: out of memory");
	return 0;
}

static int after_globals(const struct dialect *x, const struct global_args *g, int argc,
			 char **argv)
{
	int code = check_globals(g);

	if (code)
		return code;
	if (g->version) {
		_strbuf_ struct strbuf out = STRBUF_INIT;

		strbuf_addstr(&out, "Docker version " DOCKER_VERSION ", build csbx\n");
		return cmd_print(&out);
	}
	if (!argc)
		return show_overview(NULL);
	if (str_eq(argv[0], "help"))
		return help_of(x, argc - 1, argv + 1);
	return find_and_run(x, argc, argv);
}

/* words: those of the command line behind "docker", the last one at the cursor. */
static int complete(const struct dialect *x, int n, char **words)
{
	struct docker d = {.self = x->self, .path = "docker", .cmd = {.argv = x->all}};
	const char *group = n > 1 && is_group(words[0]) ? words[0] : NULL;
	int verb = group ? 1 : 0;
	const struct docker_command *c;

	if (n <= verb + 1)
		return docker_complete_names(group, n ? words[n - 1] : "");
	c = find_command(group, words[verb]);
	d.verb = c ? find_verb(x, verb_name(c)) : NULL;
	if (d.verb)
		return docker_complete_verb(d.verb, n - verb - 1, words + verb + 1);
	if (!c || c->program == PROGRAM_MAX || c->program == x->self)
		return CMD_EXIT_OK;
	return docker_hand_over(&d, c->program);
}

static int run_dialect(const struct dialect *x, int argc, char **argv)
{
	static const struct docker_verb top = {.usage = "[OPTIONS] COMMAND [ARG...]"};
	const struct docker d = {.self = x->self, .path = "docker", .verb = &top};
	struct global_args g = {0};
	struct err e = ERR_INIT;
	int code, n = cmd_begin(&e);

	if (n >= 0 && argc > 1 && str_eq(argv[1], "__complete"))
		return complete(x, argc - 2, argv + 2);
	if (n >= 0)
		n = docker_argv_parse(global_uses, true, &g, argc, argv, &e);
	if (n == DOCKER_ARGV_HELP)
		code = show_overview(NULL);
	else if (n < 0)
		code = docker_bad_flag(&d, "%s", e.msg);
	else
		code = after_globals(x, &g, n, argv + 1);
	strv_free(&g.hosts);
	return code;
}

/* docker's command line asks each plugin what it is (cli-plugins/metadata of docker/cli). */
static int say_metadata(void)
{
	static const char text[] =
		"{\"SchemaVersion\":\"0.1.0\",\"Vendor\":\"csbx\",\"Version\":\"" CSBX_VERSION
		"\",\"ShortDescription\":\"Build images without root and without a daemon\"}\n";
	_strbuf_ struct strbuf out = STRBUF_INIT;

	strbuf_addstr(&out, text);
	return cmd_print(&out);
}

int docker_personality(enum program self, const struct docker_verb *const *verbs, int argc,
		       char **argv)
{
	const char *slash = argc ? strrchr(argv[0], '/') : NULL;
	const char *name = slash ? slash + 1 : argc ? argv[0] : "";
	/* As a plugin of docker's own command line it gets "buildx build ...", too. */
	bool is_plugin = str_eq(name, "docker-buildx"),
	     called = is_plugin || str_eq(name, "docker");
	_free_ char **copy = NULL;

	if (!called && argc > 2 && str_eq(argv[1], "__complete") && str_eq(argv[2], "docker"))
		return complete(&(struct dialect){self, verbs, argv}, argc - 3, argv + 3);
	if (!called && (argc < 2 || !str_eq(argv[1], "docker")))
		return -1;
	if (is_plugin && argc > 1 && str_eq(argv[1], "docker-cli-plugin-metadata"))
		return say_metadata();
	/* Parsing moves the operands. */
	copy = calloc((size_t)argc + 1, sizeof(*copy));
	if (!copy)
		return docker_say(DOCKER_EXIT_USAGE, "docker: out of memory");
	memcpy(copy, argv, (size_t)argc * sizeof(*copy));
	return run_dialect(&(struct dialect){self, verbs, copy}, called ? argc : argc - 1,
			   called ? argv : argv + 1);
}
