/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

#include "cmd/enroot/frame/enroot.h"
#include "cmd/enroot/start/args.h"
#include "cmd/enroot/frame/verbs.h"

#define AT(member) offsetof(struct enroot_start_args, member)

static const struct opt rows[] = {
	{OPT_STR, 'c', "conf", "CONFIG", AT(conf),
	 .help = "Script with environ(), mounts(), hooks(), rc() and #ENROOT_X= lines"},
	{OPT_LIST, 'e', "env", "KEY[=VAL]", AT(env),
	 .help = "Set a variable; without VAL the caller's value"},
	{OPT_STR, 0, "rc", "SCRIPT", AT(rc), .help = "Run SCRIPT in place of the image's /etc/rc"},
	{OPT_FLAG, 'r', "root", .offset = AT(root), .help = "Be root inside"},
	{OPT_FLAG, 'w', "rw", .offset = AT(rw), .help = "Keep what is written to the root"},
	{OPT_LIST, 'm', "mount", "FSTAB", AT(mounts),
	 .help = "Mount something: a line of fstab with colons for blanks"},
	{OPT_FLAG, 0, "pid", .offset = AT(pid), .help = "Give it processes of its own"},
	{OPT_FLAG, 0, "net", .offset = AT(net), .help = "Give it a network of its own (lo only)"},
	{OPT_FLAG, 0, "ipc", .offset = AT(ipc), .help = "Give it IPC of its own"},
	{OPT_FLAG, 0, "no-entrypoint", .offset = AT(no_entrypoint),
	 .help = "Run the command itself, not the image's entry point with it (not in enroot)"},
	{OPT_FLAG, 0, "uts", .offset = AT(uts), .help = "Give it a host name of its own"},
	{0},
};

const struct opt_table enroot_start_table = {"Options", rows};

void enroot_start_done(void *args)
{
	struct enroot_start_args *a = args;

	strv_free(&a->env);
	strv_free(&a->mounts);
}

static int start_run(struct enroot *x, void *args, int argc, char **argv)
{
	return enroot_start(x, args, argc, argv);
}

const struct enroot_verb enroot_verb_start = {
	.name = "start",
	.uses = (const struct opt_use[]){{&enroot_start_table, 0}, {0}},
	.min_operands = 1,
	.max_operands = CMD_MANY,
	.args_bytes = sizeof(struct enroot_start_args),
	.done = enroot_start_done,
	.run = start_run,
};
