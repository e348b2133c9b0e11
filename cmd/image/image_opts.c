/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/image/image_opts.h"

#include <stddef.h>
#include <stdlib.h>

#include "cmd/cmd.h"
#include "cmd/image/transfer_view.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"

static const struct opt source_rows[] = {
	{OPT_STR, 'a', "arch", "ARCH", offsetof(struct source_opts, arch), .has_key = true,
	 .initial = "this machine's",
	 .help = "which variant of a multi-platform image to take, as uname or as Go names it "
		 "(aarch64, arm64)"},
	{OPT_STR, 0, "platform", "OS/ARCH[/VARIANT]", offsetof(struct source_opts, platform),
	 .has_key = true, .help = "the same, in full: linux/arm/v7"},
	{0},
};

const struct opt_table source_opts_table = {"Which image", source_rows};

static int set_comp(void *target, const char *value, struct err *e)
{
	struct squash_options *o = target;

	return squash_parse_comp(value, &o->comp, &o->level, e);
}

static const struct opt output_rows[] = {
	{OPT_CALL, 0, "comp", "NAME[:LEVEL]", offsetof(struct output_opts, squash), set_comp,
	 .has_key = true, .initial = "zstd:3", .offers = "words:zstd lz4 gzip none",
	 .help = "how the image is compressed: zstd, lz4, gzip or none"},
	{OPT_FLAG, 0, "all-root", .offset = offsetof(struct output_opts, all_root),
	 .help = "make every file root's, instead of keeping the owners of the layers"},
	{OPT_FLAG, 0, "no-enroot-files", .offset = offsetof(struct output_opts, no_enroot_files),
	 .help = "leave /etc/rc, /etc/environment, /etc/fstab and /etc/rc.local alone; enroot "
		 "cannot start the image then, csbx can"},
	{OPT_FLAG, 0, "keep-capabilities",
	 .offset = offsetof(struct output_opts, keep_capabilities),
	 .help = "keep file capabilities, which containers ignore, for other users of the image"},
	{OPT_BYTES, 0, "max-image-size", "SIZE", offsetof(struct output_opts, max_image_bytes),
	 .has_key = true, .initial = "128g",
	 .help = "give up when the files of the image, or one unpacked layer, exceed SIZE"},
	{OPT_NUMBER, 0, "threads", "N", offsetof(struct output_opts, threads), .max = 64,
	 .has_key = true, .initial = "one for each CPU", .help = "compress with N threads"},
	{OPT_FLAG, 'q', "quiet", .offset = offsetof(struct output_opts, quiet),
	 .help = "show nothing but errors"},
	{0},
};

const struct opt_table output_opts_table = {"What is made of it", output_rows};

int source_opts_open(struct cmd *c, struct source_opts *o, const char *uri, int tmp_dirfd,
		     bool quiet, struct image_source *ret, struct err *e)
{
	struct transfer_view view;
	struct source_options s = {
		.arch = o->arch,
		.platform = o->platform,
		.tmp_dirfd = tmp_dirfd,
		.blobs_dirfd = -1,
		.transfer_progress = transfer_view_show,
		.progress_arg = &view,
		.engine = {.docker_host = getenv("DOCKER_HOST"),
			   .container_host = getenv("CONTAINER_HOST"),
			   .runtime_dir = getenv("XDG_RUNTIME_DIR")},
	};
	int r = registry_opts_get(c, &o->registry, &s.registry, e);

	transfer_view_init(&view, quiet);
	if (r >= 0)
		r = s.blobs_dirfd = paths_open(c->paths.cache, "oci", e);
	if (r >= 0)
		r = source_open(ret, uri, &s, e);
	transfer_view_done(&view);
	fd_close(&s.blobs_dirfd);
	return r;
}

void source_opts_done(struct source_opts *o)
{
	registry_opts_done(&o->registry);
}

struct import_options output_opts_import(const struct output_opts *o)
{
	struct import_options i = {
		.squash = o->squash,
		.max_image_bytes = o->max_image_bytes,
		.all_root = o->all_root,
		.no_enroot_files = o->no_enroot_files,
		.keep_capabilities = o->keep_capabilities,
	};

	i.squash.threads = (unsigned)o->threads;
	return i;
}
