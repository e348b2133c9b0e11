/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <unistd.h>

#include "cmd/enroot/frame/enroot.h"
#include "cmd/enroot/frame/verbs.h"
#include "cmd/image/jobs.h"
#include "cmd/image/settings.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"

struct export_args {
	const char *output;
	bool force;
};

static const struct opt rows[] = {
	{OPT_STR, 'o', "output", "FILE", offsetof(struct export_args, output),
	 .help = "Name of the file (default: NAME.sqsh)"},
	{OPT_FLAG, 'f', "force", .offset = offsetof(struct export_args, force),
	 .help = "Replace the file if it is there"},
	{0},
};

static const struct opt_table table = {"Options", rows};

static int export_container(struct enroot *x, const struct export_args *a, const char *name,
			    char **ret_path, struct err *e)
{
	_image_settings_ struct image_settings settings = {0};
	struct export_job job;
	int r = image_settings_read(&x->cmd, &settings, e);

	if (r < 0)
		return r;
	job = (struct export_job){
		.output = a->output,
		.threads = settings.output.threads,
		.max_image_bytes = settings.output.max_image_bytes,
		.force = a->force || enroot_conf_flag(&x->conf, "ENROOT_FORCE_OVERRIDE", false),
		.all_root = true, /* as mksquashfs -all-root */
		.quiet = !isatty(STDERR_FILENO),
		.squash = settings.output.squash,
	};
	export_job_init(&job);
	r = export_job_run(&x->cmd, &job, name, ret_path, e);
	export_job_done(&job);
	return r;
}

static int export_run(struct enroot *x, void *args, int argc, char **argv)
{
	const struct export_args *a = args;
	_free_ char *path = NULL;
	struct err e = ERR_INIT;
	int r = export_container(x, a, argv[0], &path, &e);

	(void)argc;
	if (r == -EEXIST)
		return enroot_error("File already exists: %s", path ? path : a->output);
	if (e.origin == ERR_NO_CONTAINER)
		return enroot_error("No such file or directory: %s/containers/%s",
				    x->cmd.paths.data, argv[0]);
	if (r < 0)
		return enroot_fail(&e);
	enroot_info("Exported %s: %s", argv[0], path);
	return 0;
}

const struct enroot_verb enroot_verb_export = {
	.name = "export",
	.uses = (const struct opt_use[]){{&table, 0}, {0}},
	.min_operands = 1,
	.max_operands = 1,
	.args_bytes = sizeof(struct export_args),
	.run = export_run,
};
