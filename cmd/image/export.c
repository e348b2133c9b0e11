/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a container is made of is found and held from outside, as a start does it; then the process
 * enters the container's user namespace for good and imports what it sees there. It stays the
 * caller's process all the while: the output is written through a descriptor opened before.
 */
#include <stddef.h>

#include "cmd/cmd.h"
#include "cmd/image/destination.h"
#include "cmd/resolve.h"
#include "cmd/run_opts.h"
#include "cmd/verbs.h"
#include "image/container_source.h"
#include "image/import.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/layer.h"
#include "runtime/merged_view.h"
#include "runtime/name.h"
#include "runtime/squashd_client.h"
#include "runtime/unpacked.h"
#include "runtime/userns.h"

struct export_args {
	const char *output;
	uint64_t threads, max_image_bytes;
	bool force, all_root, quiet;
	struct squash_options squash;
	struct run_opts run; /* which ids there are */
};

static int set_comp(void *target, const char *value, struct err *e)
{
	struct squash_options *o = target;

	return squash_parse_comp(value, &o->comp, &o->level, e);
}

static const struct opt export_opts[] = {
	{OPT_STR, 'o', "output", "FILE", offsetof(struct export_args, output), .offers = "file",
	 .initial = "NAME.sqsh in the current directory", .help = "write the image to FILE"},
	{OPT_FLAG, 'f', "force", .offset = offsetof(struct export_args, force),
	 .help = "replace FILE when it exists; it stays as it is until the new one is complete"},
	{OPT_CALL, 0, "comp", "NAME[:LEVEL]", offsetof(struct export_args, squash), set_comp,
	 .has_key = true, .initial = "zstd:3", .offers = "words:zstd lz4 gzip none",
	 .help = "how the image is compressed: zstd, lz4, gzip or none"},
	{OPT_FLAG, 0, "all-root", .offset = offsetof(struct export_args, all_root),
	 .help = "make every file root's, instead of keeping the owners the container sees"},
	{OPT_BYTES, 0, "max-image-size", "SIZE", offsetof(struct export_args, max_image_bytes),
	 .has_key = true, .initial = "128g", .help = "give up when the files exceed SIZE"},
	{OPT_NUMBER, 0, "threads", "N", offsetof(struct export_args, threads), .max = 64,
	 .has_key = true, .initial = "one for each CPU", .help = "compress with N threads"},
	{OPT_CHOICE, 0, "userns", "MODE", offsetof(struct export_args, run.spec.ns.userns),
	 .choices = "auto|one|subuid", .has_key = true, .initial = "auto",
	 .help = "which ids there are, as for start; with one, every file becomes the main user's"},
	{OPT_FLAG, 'q', "quiet", .offset = offsetof(struct export_args, quiet),
	 .help = "show nothing but errors"},
	{0},
};

static const struct opt_table export_table = {"Options", export_opts};

/* Everything a container's files are found by. */
struct parts {
	struct subject subject;
	struct layer layer;
	struct unpacked unpacked; /* in place of the image where it cannot be mounted */
	struct squashd_link link;
	struct id_map map;
};
#define PARTS_INIT                                                                        \
	{                                                                                 \
		.layer = LAYER_INIT, .unpacked = UNPACKED_INIT, .link = SQUASHD_LINK_INIT \
	}

static void release(struct parts *p)
{
	squashd_link_close(&p->link);
	layer_close(&p->layer);
	unpacked_close(&p->unpacked);
	subject_close(&p->subject);
}

/* spec: the container's; a copy with another root is asked for where the image is unpacked. */
static int attach(struct cmd *c, const struct container_spec *spec, struct parts *p, struct err *e)
{
	struct container_spec unpacked = *spec;
	bool needed = spec->rootfs.kind == ROOTFS_SQUASHFS && unpacked_is_needed();
	int r = needed ? -SQUASHD_NO_FUSE : squashd_attach(&c->paths, spec, &p->map, &p->link, e);

	if (r != -SQUASHD_NO_FUSE || spec->rootfs.kind == ROOTFS_DIRECTORY)
		return r;
	r = unpacked_open(&c->paths, &spec->rootfs, &p->unpacked, e);
	if (r < 0)
		return r;
	unpacked.rootfs = p->unpacked.root;
	return squashd_attach(&c->paths, &unpacked, &p->map, &p->link, e);
}

static int collect(struct cmd *c, const char *name, struct run_opts *o, struct parts *p,
		   struct err *e)
{
	struct container_spec *s = &o->spec;
	int r = name_check(name, e);

	if (r >= 0)
		r = subject_open(c, name, o, &p->subject, e);
	if (r >= 0)
		r = layer_read(&c->paths, name, &p->layer, e);
	if (r < 0)
		return r;
	s->rootfs.upper = p->layer.dir < 0 ? UPPER_READONLY : UPPER_KEPT;
	r = resolve_main_user(&p->subject, o, e);
	if (r >= 0)
		r = userns_map_for(s->proc.uid, s->proc.gid, s->ns.userns, &p->map, e);
	return r < 0 ? r : attach(c, s, p, e);
}

static int enter(const struct container_spec *s, const struct parts *p, struct err *e)
{
	const struct rootfs_spec *root = p->unpacked.root.path ? &p->unpacked.root : &s->rootfs;
	const struct merged_view v = {
		.userns_fd = p->link.userns_fd,
		.image_fd = root->kind == ROOTFS_DIRECTORY ? -1 : p->link.image_fd,
		.directory = root->path,
		.dev = root->id.dev,
		.ino = root->id.ino,
		.layer_fd = p->layer.dir,
		.layer_path = p->layer.path,
	};

	return merged_view_enter(&v, e);
}

static int write_image(const struct export_args *a, int root, const char *name,
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

static int export_container(struct cmd *c, struct export_args *a, const char *name,
			    struct destination *d, struct parts *p, struct err *e)
{
	int r = destination_open(d, a->output, e), root;

	if (r >= 0)
		r = destination_set_name(d, a->output, name, e);
	if (r >= 0)
		r = collect(c, name, &a->run, p, e);
	root = r < 0 ? r : enter(&a->run.spec, p, e);
	return root < 0 ? root : write_image(a, root, name, d, e);
}

static int export_run(struct cmd *c, void *args, int argc, char **argv)
{
	struct destination d = DESTINATION_INIT;
	struct export_args *a = args;
	struct parts p = PARTS_INIT;
	struct err e = ERR_INIT;
	int r = export_container(c, a, argv[0], &d, &p, &e);

	(void)argc;
	if (r >= 0 && !a->quiet && !a->all_root && (id_map_is_one(&p.map) || p.unpacked.root.path))
		cmd_warn("%s: the container has only one id: every file is user %u's", d.path,
			 a->run.spec.proc.uid);
	destination_close(&d);
	release(&p);
	if (r == -EEXIST)
		err_append(&e, "--force replaces it");
	return r < 0 ? cmd_error(&e, "export %s", argv[0]) : CMD_EXIT_OK;
}

static void export_init(void *args)
{
	run_opts_init(&((struct export_args *)args)->run);
}

static void export_done(void *args)
{
	run_opts_done(&((struct export_args *)args)->run);
}

static const struct verb_example examples[] = {
	{"what was installed with start --rw, as an image", "csbx export -o py-requests.sqsh py"},
	{"the same again, for another machine", "csbx export -f --comp zstd:19 py"},
	{0},
};

const struct verb verb_export = {
	.name = "export",
	.usage = "[OPTIONS] NAME",
	.description =
		"Makes one squashfs file of a container: its image with what its kept layer has "
		"added, changed and deleted. A container that was never started with --rw gives "
		"its image again. Nothing is copied or unpacked on the way, and the file appears "
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
	.args_bytes = sizeof(struct export_args),
	.init = export_init,
	.done = export_done,
	.run = export_run,
};
