/* SPDX-License-Identifier: Apache-2.0 */

/*
 * One file that is csbx, its helper programs and an image: see runtime/base/bundle.h for what is in
 * it and bundle_run.c for what it does when it is run.
 */

#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "cmd/enroot/verb/bundle_files.h"
#include "cmd/enroot/verb/bundle_write.h"
#include "cmd/enroot/frame/enroot.h"
#include "cmd/enroot/frame/verbs.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/spec/name.h"

struct bundle_args {
	bool all, checksum, force;
	const char *description, *output, *target;
};

#define AT(member) offsetof(struct bundle_args, member)

static const struct opt rows[] = {
	{OPT_FLAG, 'a', "all", .offset = AT(all),
	 .help = "Put environ.d, mounts.d and hooks.d of system and user into it"},
	{OPT_FLAG, 'c', "checksum", .offset = AT(checksum),
	 .help = "Put a checksum of the image into it, for --verify"},
	{OPT_STR, 'd', "desc", "TEXT", AT(description), .help = "A text for --info to show"},
	{OPT_FLAG, 'f', "force", .offset = AT(force), .help = "Replace the file if it is there"},
	{OPT_STR, 'o', "output", "FILE", AT(output),
	 .help = "Name of the file (default: IMAGE.run)"},
	{OPT_STR, 't', "target", "DIR", AT(target),
	 .help = "The directory of --extract (default: IMAGE)"},
	{0},
};

static const struct opt_table table = {"Options", rows};

/* A file of such a name would be taken for csbx itself when it is run. */
static bool is_reserved(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;

	return str_eq(base, "csbx") || str_eq(base, "docker") || str_eq(base, "enroot");
}

static int bundle_run(struct enroot *x, void *args, int argc, char **argv)
{
	const struct bundle_args *a = args;
	struct bundle_request q = {
		.image = argv[0],
		.output = a->output,
		.description = a->description,
		.target = a->target,
		.checksum =
			a->checksum || enroot_conf_flag(&x->conf, "ENROOT_BUNDLE_CHECKSUM", false),
		.force = a->force || enroot_conf_flag(&x->conf, "ENROOT_FORCE_OVERRIDE", false),
	};
	_free_ char *name = NULL, *output = NULL;
	struct err e = ERR_INIT;
	int r;

	(void)argc;
	if (name_from_image(argv[0], &name, &e) < 0)
		return enroot_error("Invalid argument: %s (a bundle keeps its file's name, of "
				    "letters, digits and _ . + -: rename it)",
				    argv[0]);
	output = str_printf("%s.run", name);
	q.name = name;
	q.target = q.target ? q.target : name;
	q.output = q.output ? q.output : output;
	if (!output || is_reserved(q.output))
		return enroot_error("Invalid argument: %s", q.output);
	if (access(argv[0], F_OK) < 0)
		return enroot_error("No such file or directory: %s", argv[0]);
	if (a->all || enroot_conf_flag(&x->conf, "ENROOT_BUNDLE_ALL", false))
		r = enroot_bundle_collect(x, &q.files, &e);
	else
		r = 0;
	if (r >= 0)
		r = bundle_write(&x->cmd.paths, &q, &e);
	strv_free(&q.files);
	if (r == -EEXIST)
		return enroot_error("File already exists: %s", q.output);
	return r < 0 ? enroot_fail(&e) : 0;
}

const struct enroot_verb enroot_verb_bundle = {
	.name = "bundle",
	.uses = (const struct opt_use[]){{&table, 0}, {0}},
	.min_operands = 1,
	.max_operands = 1,
	.args_bytes = sizeof(struct bundle_args),
	.run = bundle_run,
};
