/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/slurm/hold_args.h"

#include <stddef.h>

#include "cmd/frame/opt.h"
#include "runtime/base/err.h"

#define AT(member) offsetof(struct hold_args, member)
#define CHOICE "unset|no|yes"

static const struct opt rows[] = {
	{OPT_STR, 0, "image", "IMAGE", AT(image)},
	{OPT_STR, 0, "importer", "PROGRAM", AT(importer)},
	{OPT_STR, 0, "name", "NAME", AT(name)},
	{OPT_CHOICE, 0, "how", "HOW", AT(how), .choices = "auto|create|exec|no_exec"},
	{OPT_CHOICE, 0, "scope", "SCOPE", AT(scope), .choices = "global|job"},
	{OPT_LIST, 0, "mount", "LINE", AT(mounts)},
	{OPT_LIST, 0, "source", "PATH", AT(sources)},
	{OPT_LIST, 0, "env", "NAME", AT(env)},
	{OPT_STR, 0, "workdir", "PATH", AT(workdir)},
	{OPT_STR, 0, "save", "PATH", AT(save)},
	{OPT_CHOICE, 0, "mount-home", "YES", AT(mount_home), .choices = CHOICE},
	{OPT_CHOICE, 0, "remap-root", "YES", AT(remap_root), .choices = CHOICE},
	{OPT_CHOICE, 0, "writable", "YES", AT(writable), .choices = CHOICE},
	{OPT_CHOICE, 0, "entrypoint", "YES", AT(entrypoint), .choices = CHOICE},
	{OPT_CHOICE, 0, "entrypoint-log", "YES", AT(entrypoint_log), .choices = CHOICE},
	{OPT_CHOICE, 0, "net", "YES", AT(net), .choices = CHOICE},
	{OPT_CHOICE, 0, "ipc", "YES", AT(ipc), .choices = CHOICE},
	{OPT_CHOICE, 0, "uts", "YES", AT(uts), .choices = CHOICE},
	{OPT_NUMBER, 0, "job", "ID", AT(job)},
	{OPT_NUMBER, 0, "tasks", "COUNT", AT(tasks)},
	{OPT_FLAG, 0, "end-job", .offset = AT(end_job)},
	{OPT_FLAG, 0, "end-step", .offset = AT(end_step)},
	{0},
};

static const struct opt_table table = {"Hold", rows};

int hold_args_parse(struct hold_args *a, int argc, char **argv, struct err *e)
{
	const struct opt_use uses[] = {{&table, 0}, {0}};
	const struct opt_parser parser = {.uses = uses, .args = a};
	int n = opt_parse(&parser, argc, argv, e);

	if (n == OPT_HELP || n == 0 || n > 1)
		return err_set(e, EINVAL, "is for SLURM's plugin; one directory is expected");
	if (n < 0)
		return n;
	a->dir = argv[1];
	if (!a->end_job && !a->image && !a->name)
		return err_set(e, EINVAL, "neither --image nor --name");
	return 0;
}

void hold_args_free(struct hold_args *a)
{
	strv_free(&a->mounts);
	strv_free(&a->sources);
	strv_free(&a->env);
}
