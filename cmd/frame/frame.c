/* SPDX-License-Identifier: Apache-2.0 */

/*
 * From argv to a verb. csbx first decides which program runs the verb, so a hand-over costs one
 * exec; then it parses options and configuration, then the verb runs.
 */

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "cmd/frame/cmd.h"
#include "cmd/frame/frame.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/log.h"
#include "runtime/base/str.h"
#include "runtime/settings/config.h"

struct frame {
	enum program self;
	const struct verb *const *verbs;
	char **argv; /* a copy as given, for a hand-over: parsing moves the operands */
};

/*
 * A program that is started with 0, 1 or 2 closed would open its own files there. The file that
 * stands in for stdout can be read only: writing fails with EBADF as before, here, in the program a
 * verb is handed to and in a container, so that nothing meant for a reader is lost without a word.
 */
static int fill_standard_fds(struct err *e)
{
	for (int fd = 0; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) >= 0)
			continue;
		if (open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY) != fd)
			return err_sys(e, "open /dev/null");
	}
	return 0;
}

int cmd_begin(struct err *e)
{
	int r = fill_standard_fds(e);

	if (r < 0)
		return r;
	/*
	 * A file that is private to us is so by its mode; a mask on the owner would only lock us
	 * out.
	 */
	umask(umask(0) & 077);
	/*
	 * Too large a file for `ulimit -f` is an error to be told. A payload gets the default back.
	 */
	signal(SIGXFSZ, SIG_IGN);
	log_init();
	return 0;
}

const struct verb *frame_find_verb(const struct verb *const *verbs, const char *name)
{
	for (; *verbs; verbs++) {
		if (str_eq((*verbs)->name, name))
			return *verbs;
	}
	return NULL;
}

static int lookup_config(void *ctx, const char *key, size_t i, const char **ret_value,
			 const char **ret_place)
{
	return config_get_nth(ctx, key, i, ret_value, ret_place);
}

/* took_last: the option that took the last word, which may have been meant for an operand. */
static int check_operands(const struct verb *v, unsigned n, const char *took_last, const char *last,
			  struct err *e)
{
	if (n < v->min_operands && took_last)
		return err_set(e, EINVAL, "%s: '%s' is the value of --%s; usage: csbx %s %s",
			       n ? "too few operands" : "an operand is missing", last, took_last,
			       v->name, v->usage);
	if (n < v->min_operands)
		return err_set(e, EINVAL, "%s; usage: csbx %s %s",
			       n ? "too few operands" : "an operand is missing", v->name, v->usage);
	if (n > v->max_operands)
		return err_set(e, EINVAL, "too many operands; usage: csbx %s %s", v->name,
			       v->usage);
	return 0;
}

static int show_help(const struct verb *v)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;

	help_format_verb(v, &out);
	return cmd_print(&out);
}

/* Options, then the verb; args is the verb's own block. */
static int parse_and_run(struct cmd *c, void *args, int argc, char **argv)
{
	struct opt_parser parser = frame_parser(c->verb);
	const char *last = argv[argc - 1], *took_last = NULL;
	struct err e = ERR_INIT;
	int n;

	parser.args = args;
	parser.ret_took_last = &took_last;
	parser.lookup = c->config ? lookup_config : NULL;
	parser.read_conf = cmd_read_conf;
	parser.lookup_ctx = c->config;
	parser.given = &c->given;
	n = opt_parse(&parser, argc, argv, &e);
	if (n == OPT_HELP)
		return show_help(c->verb);
	if (n < 0 || check_operands(c->verb, (unsigned)n, took_last, last, &e) < 0)
		return cmd_error(&e, "%s", c->verb->name);
	return c->verb->run(c, args, n, argv + 1);
}

static int run_verb(const struct frame *f, const struct verb *v, int argc, char **argv)
{
	struct cmd c = {.verb = v, .argv = f->argv};
	struct err e = ERR_INIT;
	void *args = calloc(1, v->args_bytes + 1);
	int code;

	/* Help is for those whose configuration is broken, too. */
	if (argc == 2 && (str_eq(argv[1], "--help") || str_eq(argv[1], "-h"))) {
		free(args);
		return show_help(v);
	}
	if (!args) {
		err_oom(&e);
		return cmd_error(&e, "%s", v->name);
	}
	if (v->init)
		v->init(args);
	if (!(v->flags & VERB_NO_STATE) && cmd_load_state(&c, &e) < 0)
		code = cmd_error(&e, "%s", v->name);
	else
		code = parse_and_run(&c, args, argc, argv);
	if (v->done)
		v->done(args);
	free(args);
	cmd_free_state(&c);
	return code;
}

static int unknown_verb(const char *name)
{
	const char *names[64];
	size_t n = 0;
	const char *near;
	struct err e = ERR_INIT;

	for (const struct command *c = command_list; c->name && n + 1 < 64; c++)
		names[n++] = c->name;
	names[n] = NULL;
	near = command_of_docker_word(name);
	if (!near)
		near = opt_nearest(name, names);
	if (*name == '-')
		err_set(&e, EINVAL, "unknown option (see csbx --help)");
	else if (str_eq(name, "search"))
		err_set(&e, EINVAL,
			"csbx searches no registry: give an image's whole name, as in csbx import "
			"python:3.12");
	else if (near)
		err_set(&e, EINVAL, "unknown command (did you mean 'csbx %s'?)", near);
	else
		err_set(&e, EINVAL, "unknown command (see csbx --help)");
	return cmd_error(&e, "%s", name);
}

/* Runs `name` here or in the program that has it; what = how to run it here. */
static int dispatch(const struct frame *f, const char *name,
		    int (*here)(const struct frame *f, const struct verb *v, int argc, char **argv),
		    int argc, char **argv)
{
	const struct command *c = command_find(name);
	const struct verb *v = frame_find_verb(f->verbs, name);
	struct err e = ERR_INIT;

	if (v)
		return here(f, v, argc, argv);
	if (!c)
		return unknown_verb(name);
	if (c->program == f->self)
		err_set(&e, ENOSYS, "not in this build");
	else
		cmd_hand_over(c->program, f->argv, &e);
	return cmd_error(&e, "%s", name);
}

static int help_here(const struct frame *f, const struct verb *v, int argc, char **argv)
{
	(void)f;
	(void)argc;
	(void)argv;
	return show_help(v);
}

static int man_here(const struct frame *f, const struct verb *v, int argc, char **argv)
{
	(void)f;
	(void)argc;
	(void)argv;
	return man_main(v);
}

static int complete_here(const struct frame *f, const struct verb *v, int argc, char **argv)
{
	(void)f;
	return complete_verb(v, argc, argv);
}

/* Words that are not verbs: --help, help VERB, and what completion and the man pages ask. */
static int special(const struct frame *f, int argc, char **argv)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;
	const char *word = argc > 1 ? argv[1] : "--help";
	char version[] = "version";

	if (str_eq(word, "__complete")) {
		if (argc <= 3 || (argc == 4 && str_eq(argv[2], "help")))
			return complete_verb_names(argc > 2 ? argv[argc - 1] : "");
		return dispatch(f, argv[2], complete_here, argc - 2, argv + 2);
	}
	if (str_eq(word, "__man"))
		return argc > 2 ? dispatch(f, argv[2], man_here, 0, NULL) : man_main(NULL);
	if (str_eq(word, "--version") || str_eq(word, "-V"))
		return dispatch(f, "version", run_verb, 1, (char *[]){version, NULL});
	if (argc > 2 && str_eq(word, "help") && argv[2][0] != '-')
		return dispatch(f, argv[2], help_here, 0, NULL);
	help_format_overview(&out);
	return cmd_print(&out);
}

int cmd_main(enum program self, const struct verb *const *verbs, int argc, char **argv)
{
	static const char *const words[] = {"__complete", "__man",     "--help", "-h",
					    "help",       "--version", "-V"};
	_free_ char **copy = calloc((size_t)argc + 1, sizeof(*copy));
	struct frame f = {self, verbs, copy};
	struct err e = ERR_INIT;

	if (!copy || cmd_begin(&e) < 0)
		return CMD_EXIT_FAILED;
	memcpy(copy, argv, (size_t)argc * sizeof(*copy));
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (argc < 2 || str_eq(argv[1], words[i]))
			return special(&f, argc, argv);
	}
	return dispatch(&f, argv[1], run_verb, argc - 1, argv + 1);
}
