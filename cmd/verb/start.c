/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

#include "cmd/frame/cmd.h"
#include "cmd/options/keep.h"
#include "cmd/options/run_container.h"
#include "cmd/options/run_opts.h"
#include "cmd/frame/verbs.h"
#include "runtime/base/err.h"
#include "runtime/base/str.h"
#include "runtime/record/container_find.h"
#include "runtime/spec/name.h"

struct start_args {
	struct run_opts run;
	const char *rc;
	bool root, rw, force, plan, detach;
};

static const struct opt start_opts[] = {
	{OPT_FLAG, 'w', "rw", .offset = offsetof(struct start_args, rw),
	 .help = "keep what is written: the container's own layer stays between starts, and only "
		 "one start may use it at a time"},
	{OPT_FLAG, 'r', "root", .offset = offsetof(struct start_args, root),
	 .help = "be root inside, whatever the image says; the same as --user 0"},
	{OPT_CONF, 'c', "conf", "FILE", .offers = "file", .repeats = true,
	 .help = "read settings from FILE too, lines of KEY VALUE as in csbx.conf; they win over "
		 "the other files and over the environment"},
	{OPT_STR, 0, "rc", "SCRIPT", offsetof(struct start_args, rc), .offers = "file",
	 .help = "run SCRIPT with the container's /bin/sh in place of its /etc/rc or entry point"},
	{OPT_FLAG, 0, "force", .offset = offsetof(struct start_args, force),
	 .help = "use a kept layer that may be incomplete because the machine went down"},
	{OPT_FLAG, 'd', "detach", .offset = offsetof(struct start_args, detach),
	 .help = "print the instance's id when the command runs, and leave it running; csbx logs "
		 "shows its output, stop ends it"},
	{OPT_FLAG, 0, "plan", .offset = offsetof(struct start_args, plan),
	 .help = "print what would be mounted, in order, and start nothing"},
	{0},
};

static const struct opt_table start_table = {"Start", start_opts};

static void start_init(void *args)
{
	run_opts_init(&((struct start_args *)args)->run);
}

static void start_done(void *args)
{
	run_opts_done(&((struct start_args *)args)->run);
}

/* It has its own command and options; these are about this start. */
static int start_kept(struct cmd *c, const struct start_args *a, int argc,
		      struct container_found *found)
{
	static const char *const mine[] = {"detach", "force", "conf", NULL};
	struct err e = ERR_INIT;
	int r = cmd_only_options(c, mine, "the container has its own options (create --keep)", &e);

	if (r >= 0 && argc > 1)
		r = err_set(&e, EINVAL,
			    "the container has its own command; csbx exec runs another "
			    "in it");
	if (r >= 0)
		return keep_start(c, found, a->detach, a->force);
	container_record_free(&found->record);
	return cmd_error(&e, "start %s", found->name);
}

static int start_run(struct cmd *c, void *args, int argc, char **argv)
{
	struct start_args *a = args;
	struct run_request q = {
		.operand = argv[0],
		.rc = a->rc,
		.plan = a->plan,
		.detach = a->detach,
		.argc = argc - 1,
		.argv = argv + 1,
	};
	struct container_found found = {.name = ""};
	int r;

	if (operand_kind(argv[0]) == OPERAND_NAME &&
	    container_find(&c->paths, argv[0], &found, NULL) >= 0) {
		if (found.record.spec)
			return start_kept(c, a, argc, &found);
		if (str_eq(found.name, argv[0]))
			q.record = &found.record;
	}
	if (a->rw)
		a->run.spec.rootfs.upper = UPPER_KEPT;
	if (a->root)
		a->run.user = "0";
	a->run.spec.rootfs.force_layer = a->force;
	r = run_container(c, &q, &a->run);
	container_record_free(&found.record);
	return r;
}

static const struct verb_example examples[] = {
	{"a shell, or what the image runs, on your terminal", "csbx start py"},
	{"a script of yours, with a directory of yours",
	 "csbx start --mount \"$PWD/dir:/work\" py python3 /work/script.py"},
	{"install something and keep it", "csbx start --rw --network host py pip install requests"},
	{"straight from an image file, read-only", "csbx start --read-only ./py.sqsh python3 -V"},
	{0},
};

const struct verb verb_start = {
	.name = "start",
	.usage = "[OPTIONS] NAME|IMAGE [COMMAND [ARG...]]",
	.description =
		"NAME is a container made by create; IMAGE is the path of a squashfs file or of a "
		"directory (an operand with a slash, or ending in .sqsh). Written files go to a "
		"layer that is thrown away at the end, so any number of starts may run side by "
		"side. With --rw they go to the layer of the container itself, which one start at "
		"a time may write to. That layer is part of the container: start and run, with "
		"--rw or without, eval, test, cp and export show it wherever the container's name "
		"is used. /etc/hosts, hostname and resolv.conf are csbx's and made for each "
		"start; a layer has them only where a program has changed them.\n\n"
		"Without a COMMAND the image's own is run, else a shell. Arguments replace the "
		"image's command, not its entry point. Options end at NAME: the words after it "
		"belong to the command.\n\n"
		"Inside there are no network but a loopback, no capabilities over the host, no "
		"files of the host but those asked for by --mount.\n\n"
		"The exit code is the command's own; 128+N when signal N ended it; 124 when "
		"--timeout did; 125 when csbx failed, 126 when the command could not be run, 127 "
		"when it was not found.",
	.uses = (const struct opt_use[]){{&start_table, 0},
					 RUN_OPT_USES(offsetof(struct start_args, run)),
					 {0}},
	.letters = (const struct opt_letter[]){{'e', "env"}, {'m', "mount"}, {0}},
	.examples = examples,
	.offers = "container image",
	.flags = VERB_OPERAND_ENDS,
	.min_operands = 1,
	.max_operands = CMD_MANY,
	.args_bytes = sizeof(struct start_args),
	.init = start_init,
	.done = start_done,
	.run = start_run,
};
