/* SPDX-License-Identifier: Apache-2.0 */

/* From an enroot command line to a verb, here or in the program that has it. */

#include "cmd/enroot/frame/enroot.h"

#include <stdlib.h>

#include "cmd/enroot/frame/argv.h"
#include "cmd/enroot/frame/complete.h"
#include "cmd/frame/frame.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"

struct dialect {
	enum program self;
	const struct enroot_verb *const *verbs;
	char **all; /* the whole command line, for a hand-over */
};

static int out_of_memory(void)
{
	return enroot_error("Out of memory");
}

static int show_help(const struct enroot_verb *v)
{
	_strbuf_ struct strbuf out = STRBUF_INIT;

	if (v)
		enroot_help_verb(v, &out);
	else
		enroot_help_overview(&out);
	return enroot_print(&out);
}

/* enroot prints its usage and nothing else; the reason goes to stderr, beside it. */
static int bad_usage(const struct enroot_verb *v, const char *why)
{
	enroot_error("%s%s%s", v ? v->name : "", v ? ": " : "", why);
	(void)show_help(v);
	return ENROOT_EXIT_FAILED;
}

static int run_parsed(struct enroot *x, void *args, int argc, char **argv)
{
	const struct enroot_verb *v = x->verb;
	struct err e = ERR_INIT;
	int first = enroot_argv_parse(v->uses, args, argc, argv, &e);
	unsigned n = first > 0 ? (unsigned)(argc - first) : 0;

	if (first == ENROOT_ARGV_HELP)
		return show_help(v);
	if (first < 0)
		return bad_usage(v, e.msg);
	if (n < v->min_operands)
		return bad_usage(v, "an argument is missing");
	if (n > v->max_operands)
		return bad_usage(v, "too many arguments");
	if (!(v->flags & ENROOT_NO_STATE) && enroot_load_state(x, &e) < 0)
		return enroot_fail(&e);
	return v->run(x, args, (int)n, argv + first);
}

static int run_verb(struct enroot *x, int argc, char **argv)
{
	void *args = calloc(1, x->verb->args_bytes + 1);
	int code;

	if (!args)
		return out_of_memory();
	code = run_parsed(x, args, argc, argv);
	if (x->verb->done)
		x->verb->done(args);
	free(args);
	enroot_free_state(x);
	return code;
}

static const struct enroot_verb *find_verb(const struct dialect *d, const char *name)
{
	for (const struct enroot_verb *const *v = d->verbs; *v; v++) {
		if (str_eq((*v)->name, name))
			return *v;
	}
	return NULL;
}

/* argv[0] is the command's name. */
static int dispatch(const struct dialect *d, int argc, char **argv)
{
	const struct enroot_command *c = enroot_command_find(argv[0]);
	struct enroot x = {.self = d->self, .cmd = {.argv = d->all}};
	struct err e = ERR_INIT;

	x.verb = find_verb(d, argv[0]);
	if (x.verb)
		return run_verb(&x, argc, argv);
	if (!c)
		return bad_usage(NULL, "unknown command");
	if (c->program == d->self)
		return enroot_error("%s: not in this build", argv[0]);
	cmd_hand_over(c->program, d->all, &e);
	return enroot_fail(&e);
}

/* words: those of the command line behind "enroot", the last one at the cursor. */
static int complete(const struct dialect *d, int n, char **words)
{
	const struct enroot_command *c = n > 1 ? enroot_command_find(words[0]) : NULL;
	const struct enroot_verb *v = c ? find_verb(d, c->name) : NULL;
	struct err e = ERR_INIT;

	if (n < 2)
		return enroot_complete_names(n ? words[0] : "");
	if (v)
		return enroot_complete_verb(c, v, words[n - 1], words[n - 2]);
	if (!c || c->program == d->self)
		return 0;
	cmd_hand_over(c->program, d->all, &e);
	return enroot_fail(&e);
}

/* Words that are no commands; enroot answers them with its usage too, but as if it had failed. */
static int run_dialect(const struct dialect *d, int argc, char **argv)
{
	char version[] = "version";
	struct err e = ERR_INIT;

	if (cmd_begin(&e) < 0)
		return enroot_fail(&e);
	if (argc > 1 && str_eq(argv[1], "__complete"))
		return complete(d, argc - 2, argv + 2);
	if (argc < 2)
		return bad_usage(NULL, "a command is missing");
	if (str_eq(argv[1], "help") || str_eq(argv[1], "--help") || str_eq(argv[1], "-h"))
		return show_help(NULL);
	if (str_eq(argv[1], "--version") || str_eq(argv[1], "-V"))
		return dispatch(d, 1, (char *[]){version, NULL});
	return dispatch(d, argc - 1, argv + 1);
}

int enroot_personality(enum program self, const struct enroot_verb *const *verbs, int argc,
		       char **argv)
{
	const char *slash = argc ? strrchr(argv[0], '/') : NULL;
	const char *name = slash ? slash + 1 : argc ? argv[0] : "";
	bool called = str_eq(name, "enroot");
	const struct dialect d = {self, verbs, argv};

	if (!called && argc > 2 && str_eq(argv[1], "__complete") && str_eq(argv[2], "enroot"))
		return complete(&d, argc - 3, argv + 3);
	if (!called && (argc < 2 || !str_eq(argv[1], "enroot")))
		return -1;
	return run_dialect(&d, called ? argc : argc - 1, called ? argv : argv + 1);
}
