/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of a container are found and held from outside, as a start does it; then the process
 * enters the container's user namespace for good and imports what it sees there. It stays the
 * caller's process all the while: the output is written through a descriptor opened before.
 */
#include <stddef.h>

#include "cmd/frame/cmd.h"
#include "image/source/source.h"
#include "cmd/image/container_files.h"
#include "cmd/image/destination.h"
#include "cmd/image/jobs.h"
#include "cmd/frame/verbs.h"
#include "image/source/container.h"
#include "image/import/import.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/userns/userns.h"

static int set_comp(void *target, const char *value, struct err *e)
{
	struct squash_options *o = target;

	return squash_parse_comp(value, &o->comp, &o->level, e);
}

static const struct opt export_opts[] = {
	{OPT_STR, 'o', "output", "FILE", offsetof(struct export_job, output), .offers = "file",
	 .initial = "NAME.sqsh in the current directory", .help = "write the image to FILE"},
	{OPT_FLAG, 'f', "force", .offset = offsetof(struct export_job, force),
	 .help = "replace FILE when it exists; it stays as it is until the new one is complete"},
	{OPT_CALL, 0, "comp", "NAME[:LEVEL]", offsetof(struct export_job, squash), set_comp,
	 .has_key = true, .initial = "zstd:3", .offers = "words:zstd lz4 gzip none",
	 .help = "how the image is compressed: zstd, lz4, gzip or none"},
	{OPT_FLAG, 0, "all-root", .offset = offsetof(struct export_job, all_root),
	 .help = "make every file root's, instead of keeping the owners the container sees"},
	{OPT_BYTES, 0, "max-image-size", "SIZE", offsetof(struct export_job, max_image_bytes),
	 .has_key = true, .initial = "128g", .help = "give up when the files exceed SIZE"},
	{OPT_NUMBER, 0, "threads", "N", offsetof(struct export_job, threads), .max = 64,
	 .has_key = true, .initial = "one for each CPU", .help = "compress with N threads"},
	{OPT_CHOICE, 0, "userns", "MODE", offsetof(struct export_job, run.spec.ns.userns),
	 .choices = "auto|one|subuid", .has_key = true, .initial = "auto",
	 .help = "which ids there are, as for start; with one, every file becomes the main user's"},
	{OPT_FLAG, 'q', "quiet", .offset = offsetof(struct export_job, quiet),
	 .help = "show nothing but errors"},
	{0},
};

static const struct opt_table export_table = {"Options", export_opts};

static int write_image(const struct export_job *a, int root, const char *name,
		       const struct destination *d, struct err *e)
{
	struct import_options o = {
		.squash = a->squash,
		.max_image_bytes = a->max_image_bytes,
		.force = a->force,
		.all_root = a->all_root,
	};
	struct image_source src;
	int r = container_source_open(&src, root, name, e);

	if (r < 0) {
		fd_close(&root);
		return r;
	}
	o.squash.threads = (unsigned)a->threads;
	r = destination_write(d, &src, &o, a->quiet, e);
	source_close(&src);
	return r;
}

static int export_container(struct cmd *c, struct export_job *a, const char *name,
			    struct destination *d, struct container_files *f, struct err *e)
{
	int r = destination_open(d, a->output, e), root;

	if (r >= 0)
		r = destination_set_name(d, a->output, name, e);
	if (r >= 0)
		r = container_files_open(c, name, &a->run, f, e);
	root = r < 0 ? r : container_files_enter(f, &a->run.spec, e);
	return root < 0 ? root : write_image(a, root, name, d, e);
}

int export_job_run(struct cmd *c, struct export_job *j, const char *name, char **ret_path,
		   struct err *e)
{
	struct destination d = DESTINATION_INIT;
	struct container_files f = CONTAINER_FILES_INIT;
	int r = export_container(c, j, name, &d, &f, e);

	if (r >= 0 && !j->quiet && !j->all_root && (id_map_is_one(&f.map) || f.unpacked.root.path))
		cmd_warn("%s: the container has only one id: every file is user %u's", d.path,
			 j->run.spec.proc.uid);
	if (ret_path)
		*ret_path = take_ptr(d.path);
	destination_close(&d);
	container_files_close(&f);
	return r;
}

static int export_run(struct cmd *c, void *args, int argc, char **argv)
{
	struct err e = ERR_INIT;
	int r = export_job_run(c, args, argv[0], NULL, &e);

	(void)argc;
	if (r == -EEXIST)
		err_append(&e, "--force replaces it");
	return r < 0 ? cmd_error(&e, "export %s", argv[0]) : CMD_EXIT_OK;
}

void export_job_init(struct export_job *job)
{
	run_opts_init(&job->run);
}

void export_job_done(struct export_job *job)
{
	run_opts_done(&job->run);
}

static void init_args(void *args)
{
	export_job_init(args);
}

static void free_args(void *args)
{
	export_job_done(args);
}

static const struct verb_example examples[] = {
	{"the programs installed with start --rw, as an image",
	 "csbx export -o py-requests.sqsh py"},
	{"the same again, for another machine", "csbx export -f --comp zstd:19 py"},
	{0},
};

const struct verb verb_export = {
	.name = "export",
	.usage = "[OPTIONS] NAME",
	.description =
		"Makes one squashfs file of a container: its image with what its kept layer has "
		"added, changed and deleted. A container that was never started with --rw gives "
		"its image again. csbx copies and unpacks nothing on the way, and the file appears "
		"under its name when it is complete.\n\n"
		"The image's configuration stays: entry point, command and environment are those "
		"of the container. Owners are as the container sees them; device nodes are left "
		"out. A container that runs with --rw is not exported; throw-away starts of it do "
		"not matter.",
	.uses = (const struct opt_use[]){{&export_table, 0}, {0}},
	.examples = examples,
	.offers = "container",
	.min_operands = 1,
	.max_operands = 1,
	.args_bytes = sizeof(struct export_job),
	.init = init_args,
	.done = free_args,
	.run = export_run,
};
