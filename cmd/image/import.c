/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

#include "cmd/cmd.h"
#include "cmd/image/destination.h"
#include "cmd/image/registry_opts.h"
#include "cmd/image/transfer_view.h"
#include "cmd/verbs.h"
#include "image/import.h"
#include "image/source.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"

struct import_args {
	const char *output, *arch, *platform;
	uint64_t threads, max_image_bytes;
	bool force, all_root, no_enroot_files, keep_capabilities, quiet;
	struct squash_options squash;
	struct registry_opts registry;
};

static int set_comp(void *target, const char *value, struct err *e)
{
	struct squash_options *o = target;

	return squash_parse_comp(value, &o->comp, &o->level, e);
}

static const struct opt import_opts[] = {
	{OPT_STR, 'o', "output", "FILE", offsetof(struct import_args, output), .offers = "file",
	 .initial = "the image's name and tag, .sqsh, in the current directory",
	 .help = "write the image to FILE"},
	{OPT_FLAG, 'f', "force", .offset = offsetof(struct import_args, force),
	 .help = "replace FILE when it exists; it stays as it is until the new one is complete"},
	{OPT_STR, 'a', "arch", "ARCH", offsetof(struct import_args, arch), .has_key = true,
	 .initial = "this machine's",
	 .help = "which variant of a multi-platform image to take, as uname or as Go names it "
		 "(aarch64, arm64)"},
	{OPT_STR, 0, "platform", "OS/ARCH[/VARIANT]", offsetof(struct import_args, platform),
	 .has_key = true, .help = "the same, in full: linux/arm/v7"},
	{OPT_CALL, 0, "comp", "NAME[:LEVEL]", offsetof(struct import_args, squash), set_comp,
	 .has_key = true, .initial = "zstd:3", .offers = "words:zstd lz4 gzip none",
	 .help = "how the image is compressed: zstd, lz4, gzip or none"},
	{OPT_FLAG, 0, "all-root", .offset = offsetof(struct import_args, all_root),
	 .help = "make every file root's, instead of keeping the owners of the layers"},
	{OPT_FLAG, 0, "no-enroot-files", .offset = offsetof(struct import_args, no_enroot_files),
	 .help = "leave /etc/rc, /etc/environment, /etc/fstab and /etc/rc.local alone; enroot "
		 "cannot start the image then, csbx can"},
	{OPT_FLAG, 0, "keep-capabilities",
	 .offset = offsetof(struct import_args, keep_capabilities),
	 .help = "keep file capabilities, which containers ignore, for other users of the image"},
	{OPT_BYTES, 0, "max-image-size", "SIZE", offsetof(struct import_args, max_image_bytes),
	 .has_key = true, .initial = "128g",
	 .help = "give up when the files of the image, or one unpacked layer, exceed SIZE"},
	{OPT_NUMBER, 0, "threads", "N", offsetof(struct import_args, threads), .max = 64,
	 .has_key = true, .initial = "one for each CPU", .help = "compress with N threads"},
	{OPT_FLAG, 'q', "quiet", .offset = offsetof(struct import_args, quiet),
	 .help = "show nothing but errors"},
	{0},
};

static const struct opt_table import_table = {"Options", import_opts};

static int write_image(const struct import_args *a, const struct image_source *src,
		       const struct destination *d, struct err *e)
{
	struct import_options o = {
		.squash = a->squash,
		.max_image_bytes = a->max_image_bytes,
		.force = a->force,
		.all_root = a->all_root,
		.no_enroot_files = a->no_enroot_files,
		.keep_capabilities = a->keep_capabilities,
	};

	o.squash.threads = (unsigned)a->threads;
	return destination_write(d, src, &o, a->quiet, e);
}

static int import_source(struct cmd *c, struct import_args *a, const char *uri, struct destination *d,
			 struct err *e)
{
	struct image_source src = {0};
	struct transfer_view view;
	struct source_options o = {.arch = a->arch, .platform = a->platform, .blobs_dirfd = -1};
	int r = destination_open(d, a->output, e);

	if (r < 0)
		return r;
	o.tmp_dirfd = d->dirfd;
	transfer_view_init(&view, a->quiet);
	o.transfer_progress = transfer_view_show;
	o.progress_arg = &view;
	r = registry_opts_get(c, &a->registry, &o.registry, e);
	if (r >= 0)
		r = o.blobs_dirfd = paths_open(c->paths.cache, "oci", e);
	if (r >= 0)
		r = source_open(&src, uri, &o, e);
	transfer_view_done(&view);
	fd_close(&o.blobs_dirfd);
	if (r == 0)
		r = destination_set_name(d, a->output, src.name, e);
	if (r == 0)
		r = write_image(a, &src, d, e);
	source_close(&src);
	return r;
}

static int import_run(struct cmd *c, void *args, int argc, char **argv)
{
	struct destination d = DESTINATION_INIT;
	struct err e = ERR_INIT;
	int r = import_source(c, args, argv[0], &d, &e);

	(void)argc;
	destination_close(&d);
	if (r == -EEXIST)
		err_append(&e, "--force replaces it");
	return r < 0 ? cmd_error(&e, "import %s", argv[0]) : CMD_EXIT_OK;
}

static void import_done(void *args)
{
	registry_opts_done(&((struct import_args *)args)->registry);
}

static const struct verb_example examples[] = {
	{"an OCI layout, as skopeo, buildah, umoci and docker buildx write them",
	 "csbx import oci:./python-image"},
	{"what docker save wrote", "csbx import docker-archive:py.tar -o py.sqsh"},
	{"a root file system from a pipe",
	 "mmdebstrap --variant=minbase bookworm - | csbx import -o debian.sqsh -"},
	{"small instead of fast", "csbx import --comp zstd:19 oci:./python-image"},
	{0},
};

const struct verb verb_import = {
	.name = "import",
	.usage = "[OPTIONS] URI",
	.description =
		"Makes one squashfs file of an image. URI is oci:DIR[:REF], "
		"oci-archive:FILE[:REF], docker-archive:FILE[:REF], tar:FILE, dir:DIRECTORY, - "
		"for a root file system's tar on standard input, or a path whose kind is "
		"recognised.\n\n"
		"Layers may be compressed by gzip or zstd. Every digest is checked. Nothing is "
		"unpacked: layers are merged in memory and written in one pass, without "
		"privileges, and the file appears under its name when it is complete. The same "
		"image gives the same file system, byte for byte, whatever its layers' form and "
		"the number of threads.\n\n"
		"Owners, modes and times are kept; device nodes are left out. The image's "
		"configuration goes to /.csbx/config.json in it, and what enroot needs to start "
		"it to /etc; files of those names that the image has itself go to /.csbx/orig, and "
		"containers of csbx see them in their place.",
	.uses = (const struct opt_use[]){{&import_table, 0},
					 {&registry_opts_table, offsetof(struct import_args, registry)},
					 {&registry_fetch_table, offsetof(struct import_args, registry)},
					 {0}},
	.examples = examples,
	.offers = "file",
	.min_operands = 1,
	.max_operands = 1,
	.args_bytes = sizeof(struct import_args),
	.done = import_done,
	.run = import_run,
};
