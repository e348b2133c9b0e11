/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

#include "cmd/enroot/verb/uri.h"
#include "cmd/enroot/frame/enroot.h"
#include "cmd/enroot/frame/verbs.h"
#include "cmd/image/jobs.h"
#include "cmd/image/settings.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"

struct import_args {
	const char *arch, *output;
};

static const struct opt rows[] = {
	{OPT_STR, 'a', "arch", "ARCH", offsetof(struct import_args, arch),
	 .help = "Architecture of the image (default: this machine's)"},
	{OPT_STR, 'o', "output", "FILE", offsetof(struct import_args, output),
	 .help = "Name of the file (default: IMAGE+TAG.sqsh)"},
	{0},
};

static const struct opt_table table = {"Options", rows};

static int import_run(struct enroot *x, void *args, int argc, char **argv)
{
	const struct import_args *a = args;
	_image_settings_ struct image_settings settings = {0};
	struct import_job job = {.output = a->output};
	_free_ char *path = NULL;
	struct err e = ERR_INIT;
	int r = enroot_image_settings(x, argv[0], a->arch, &settings, &e);

	(void)argc;
	if (r >= 0) {
		job.force = enroot_conf_flag(&x->conf, "ENROOT_FORCE_OVERRIDE", false);
		job.source = settings.source;
		job.image = settings.output;
		r = import_job_run(&x->cmd, &job, argv[0], &path, &e);
		settings.source = job.source; /* which owns what it opened */
	}
	if (r == -EEXIST)
		return enroot_error("File already exists: %s", path ? path : a->output);
	if (r < 0)
		return enroot_fail(&e);
	enroot_info("Imported %s: %s", argv[0], path);
	return 0;
}

const struct enroot_verb enroot_verb_import = {
	.name = "import",
	.uses = (const struct opt_use[]){{&table, 0}, {0}},
	.min_operands = 1,
	.max_operands = 1,
	.args_bytes = sizeof(struct import_args),
	.run = import_run,
};
