/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

#include "cmd/frame/cmd.h"
#include "image/source/source.h"
#include "cmd/image/destination.h"
#include "cmd/image/jobs.h"
#include "cmd/frame/verbs.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"

static const struct opt import_opts[] = {
	{OPT_STR, 'o', "output", "FILE", offsetof(struct import_job, output), .offers = "file",
	 .initial = "the image's name and tag, .sqsh, in the current directory",
	 .help = "write the image to FILE"},
	{OPT_FLAG, 'f', "force", .offset = offsetof(struct import_job, force),
	 .help = "replace FILE when it exists; it stays as it is until the new one is complete"},
	{0},
};

static const struct opt_table import_table = {"Options", import_opts};

static int import_once(struct cmd *c, struct import_job *a, const char *uri, struct destination *d,
		       bool *ret_again, struct err *e)
{
	struct import_options o = output_opts_import(&a->image);
	struct image_source src = {0};
	int r;

	o.force = a->force;
	a->source.output = &a->image;
	r = source_opts_open(c, &a->source, uri, d->dirfd, a->image.quiet, &src, e);

	if (r == 0 && !d->name)
		r = destination_set_name(d, a->output, src.name, e);
	if (r == 0)
		r = destination_write(d, &src, &o, a->image.quiet, e);
	*ret_again = source_opts_retry(&src, r, e);
	source_close(&src);
	return r;
}

/* Said before anything is fetched or spooled; making the file tells it for sure. */
static int check_free(struct destination *d, const struct import_job *j, const char *uri,
		      struct err *e)
{
	_free_ char *name = j->output ? NULL : source_name_unopened(uri);
	int r = j->output || name ? destination_set_name(d, j->output, name, e) : 0;

	return r < 0 || !d->name || j->force ? r : destination_check_free(d, e);
}

static int import_to(struct cmd *c, struct import_job *j, const char *uri, struct destination *d,
		     struct err *e)
{
	bool again = false;
	int r = destination_open(d, j->output, e);

	if (r >= 0)
		r = check_free(d, j, uri, e);
	if (r >= 0)
		r = import_once(c, j, uri, d, &again, e);
	return again ? import_once(c, j, uri, d, &again, e) : r;
}

int import_job_run(struct cmd *c, struct import_job *j, const char *uri, char **ret_path,
		   struct err *e)
{
	struct destination d = DESTINATION_INIT;
	int r = import_to(c, j, uri, &d, e);

	if (ret_path)
		*ret_path = take_ptr(d.path);
	destination_close(&d);
	return r;
}

static int import_run(struct cmd *c, void *args, int argc, char **argv)
{
	struct err e = ERR_INIT;
	int r = import_job_run(c, args, argv[0], NULL, &e);

	(void)argc;
	if (r == -EEXIST)
		err_append(&e, "--force replaces it");
	return r < 0 ? cmd_error(&e, "import %s", argv[0]) : CMD_EXIT_OK;
}

void import_job_done(struct import_job *job)
{
	source_opts_done(&job->source);
}

static void free_args(void *args)
{
	import_job_done(args);
}

static const struct verb_example examples[] = {
	{"from Docker Hub, and from a registry",
	 "csbx import python:3.12; csbx import docker://registry.example:5000/team/app:1.2"},
	{"an OCI layout, as skopeo, buildah, umoci and docker buildx write them",
	 "csbx import oci:./python-image"},
	{"an archive that docker save wrote", "csbx import docker-archive:py.tar -o py.sqsh"},
	{"a root file system from a pipe",
	 "mmdebstrap --variant=minbase bookworm - | csbx import -o debian.sqsh -"},
	{"an image that docker has", "csbx import dockerd://app:latest"},
	{"small instead of fast", "csbx import --comp zstd:19 oci:./python-image"},
	{0},
};

const struct verb verb_import = {
	.name = "import",
	.usage = "[OPTIONS] URI",
	.description =
		"Makes one squashfs file of an image. URI is docker://REFERENCE, or the reference "
		"alone (python:3.12, registry.example:5000/team/app@sha256:...), for an image in a "
		"registry; oci:DIR[:REF], oci-archive:FILE[:REF], docker-archive:FILE[:REF], "
		"tar:FILE, dir:DIRECTORY, - for a root file system's tar on standard input, or a "
		"path whose kind is recognised; dockerd://IMAGE and podman://IMAGE take an image "
		"from these engines, with its layers and its configuration: over the socket "
		"(DOCKER_HOST, CONTAINER_HOST), or where there is none by docker save and podman "
		"save.\n\n"
		"Layers may be compressed by gzip or zstd. Every digest is checked. csbx unpacks "
		"nothing: it merges the layers in memory and writes them in one pass, without "
		"privileges, and the file appears under its name when it is complete. The same "
		"image gives the same file system, byte for byte, whatever its layers' form and "
		"the number of threads. Files that nearly every start reads (program interpreter, "
		"C library, shells, Python) lie in it uncompressed, whatever --comp "
		"says.\n\n"
		"Owners, modes and times are kept; device nodes are left out. The image's "
		"configuration goes to /.csbx/config.json in it, and the files that enroot needs "
		"to start it to /etc; files of those names that the image has itself go to "
		"/.csbx/orig, and containers of csbx see them in their place.",
	.uses =
		(const struct opt_use[]){
			{&import_table, 0},
			{&source_opts_table, offsetof(struct import_job, source)},
			{&output_opts_table, offsetof(struct import_job, image)},
			{&registry_opts_table, offsetof(struct import_job, source.registry)},
			{&registry_fetch_table, offsetof(struct import_job, source.registry)},
			{0}},
	.examples = examples,
	.offers = "file",
	.min_operands = 1,
	.max_operands = 1,
	.args_bytes = sizeof(struct import_job),
	.done = free_args,
	.run = import_run,
};
