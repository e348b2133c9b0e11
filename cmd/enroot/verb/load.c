/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

#include "cmd/enroot/verb/uri.h"
#include "cmd/enroot/frame/enroot.h"
#include "cmd/enroot/frame/verbs.h"
#include "cmd/image/jobs.h"
#include "cmd/image/settings.h"
#include "runtime/base/err.h"
#include "runtime/spec/name.h"

struct load_args {
	const char *arch, *name;
	bool force;
};

static const struct opt rows[] = {
	{OPT_STR, 'a', "arch", "ARCH", offsetof(struct load_args, arch),
	 .help = "Architecture of the image (default: this machine's)"},
	{OPT_STR, 'n', "name", "NAME", offsetof(struct load_args, name),
	 .help = "Name of the container (default: IMAGE+TAG)"},
	{OPT_FLAG, 'f', "force", .offset = offsetof(struct load_args, force),
	 .help = "Replace a container of that name"},
	{0},
};

static const struct opt_table table = {"Options", rows};

static int load_run(struct enroot *x, void *args, int argc, char **argv)
{
	const struct load_args *a = args;
	_image_settings_ struct image_settings settings = {0};
	struct load_job job = {.name = a->name, .is_enroot = true};
	struct err e = ERR_INIT;
	int r;

	(void)argc;
	if (a->name && !name_is_valid(a->name))
		return enroot_error("Invalid argument: %s", a->name);
	r = enroot_image_settings(x, argv[0], a->arch, &settings, &e);
	if (r >= 0) {
		job.force = a->force || enroot_conf_flag(&x->conf, "ENROOT_FORCE_OVERRIDE", false);
		job.source = settings.source;
		job.image = settings.output;
		r = load_job_run(&x->cmd, &job, argv[0], &e);
		settings.source = job.source;
	}
	if (r == -EEXIST)
		return enroot_error("File already exists: %s/containers/%s", x->cmd.paths.data,
				    a->name ? a->name : argv[0]);
	return r < 0 ? enroot_fail(&e) : 0;
}

const struct enroot_verb enroot_verb_load = {
	.name = "load",
	.uses = (const struct opt_use[]){{&table, 0}, {0}},
	.min_operands = 1,
	.max_operands = 1,
	.args_bytes = sizeof(struct load_args),
	.run = load_run,
};
