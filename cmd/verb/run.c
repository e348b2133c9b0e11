/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

#include "cmd/frame/cmd.h"
#include "cmd/options/keep.h"
#include "cmd/options/run_container.h"
#include "cmd/options/run_opts.h"
#include "cmd/frame/verbs.h"
#include "runtime/base/err.h"

struct run_args {
	struct run_opts run;
	struct keep_opts keep;
	const char *name, *spec;
	bool plan, detach;
};

static const struct opt run_only_opts[] = {
	{OPT_STR, 0, "name", "NAME", offsetof(struct run_args, name), .initial = "the operand's",
	 .help = "the name of this run in list and inspect"},
	{OPT_STR, 0, "spec", "FILE", offsetof(struct run_args, spec), .offers = "file",
	 .help = "run what FILE (- for standard input) says, a container_spec in JSON; takes no "
		 "operands and of the options only --plan and those about result and output"},
	{OPT_FLAG, 'd', "detach", .offset = offsetof(struct run_args, detach),
	 .help = "print the instance's id when the command runs, and leave it running; csbx logs "
		 "shows its output, stop ends it"},
	{OPT_FLAG, 0, "plan", .offset = offsetof(struct run_args, plan),
	 .help = "print what would be mounted, in order, and start nothing"},
	{0},
};

static const struct opt_table run_only_table = {"Run", run_only_opts};

static void run_init(void *args)
{
	run_opts_init(&((struct run_args *)args)->run);
}

static void run_done(void *args)
{
	run_opts_done(&((struct run_args *)args)->run);
}

static int run_run(struct cmd *c, void *args, int argc, char **argv)
{
	struct run_args *a = args;
	struct run_request q = {
		.operand = argv[0],
		.name = a->name,
		.plan = a->plan,
		.detach = a->detach,
		.argc = argc - 1,
		.argv = argv + 1,
	};
	struct err e = ERR_INIT;

	a->keep.name = a->name;
	/* --rm alone says what is the case anyhow. */
	if (a->keep.owner && !a->keep.keep) {
		err_set(&e, EINVAL, "--owner is for --keep: without it nothing stays");
		return cmd_error(&e, "run");
	}
	if (argc && !a->spec && a->keep.keep && !a->plan)
		return keep_create(c, &q, &a->keep, &a->run, true);
	if (argc && !a->spec)
		return run_container(c, &q, &a->run);
	/* JSON is read by csbx-tool, so that this program needs no parser for it. */
	if (a->spec)
		cmd_hand_over(PROGRAM_TOOL, c->argv, &e);
	else
		err_set(&e, EINVAL, "an operand is missing; usage: csbx run %s", c->verb->usage);
	return cmd_error(&e, "run");
}

static const struct verb_example examples[] = {
	{"one command in an image", "csbx run ./debian.sqsh cat /etc/os-release"},
	{"as another user, with a variable, standard input closed",
	 "csbx run -u nobody -e LANG=C --interactive=no ./debian.sqsh id"},
	{"only a sized /tmp is writable",
	 "csbx run --read-only --tmpfs /tmp:size=64m ./debian.sqsh sh -c 'echo hi >/tmp/x'"},
	{0},
};

const struct verb verb_run = {
	.name = "run",
	.usage = "[OPTIONS] IMAGE [COMMAND [ARG...]]",
	.description =
		"Creates a container of IMAGE, starts it, and removes it when the command ends. "
		"IMAGE is the path of a squashfs file or of a directory (an operand with a slash, "
		"or ending in .sqsh), or the name of a container, of which a fresh copy runs, with "
		"what start --rw and cp have put into it. With --keep the new container is not "
		"removed: csbx start runs it again.\n\n"
		"Options end at IMAGE: the words after it belong to the command. Exit codes are "
		"those of start.",
	.uses = (const struct opt_use[]){{&run_only_table, 0},
					 {&keep_table, offsetof(struct run_args, keep)},
					 RUN_OPT_USES(offsetof(struct run_args, run)),
					 {0}},
	.letters =
		(const struct opt_letter[]){
			{'e', "env"}, {'i', "interactive"}, {'t', "tty"}, {'u', "user"}, {0}},
	.examples = examples,
	.offers = "image container",
	.flags = VERB_OPERAND_ENDS,
	.max_operands = CMD_MANY,
	.args_bytes = sizeof(struct run_args),
	.init = run_init,
	.done = run_done,
	.run = run_run,
};
