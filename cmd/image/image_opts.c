/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/image/image_opts.h"

#include <stddef.h>
#include <stdlib.h>

#include "image/source/source.h"
#include "cmd/frame/cmd.h"
#include "cmd/image/interrupt.h"
#include "cmd/image/transfer_view.h"
#include "image/store/store.h"
#include "runtime/base/err.h"
#include "runtime/settings/config.h"

static const struct opt source_rows[] = {
	{OPT_STR, 'a', "arch", "ARCH", offsetof(struct source_opts, arch), .has_key = true,
	 .initial = "this machine's",
	 .help = "which variant of a multi-platform image to take, as uname or as Go names it "
		 "(aarch64, arm64)"},
	{OPT_STR, 0, "platform", "OS/ARCH[/VARIANT]", offsetof(struct source_opts, platform),
	 .has_key = true, .help = "the same, in full: linux/arm/v7"},
	{OPT_FLAG, 0, "offline", .offset = offsetof(struct source_opts, offline), .has_key = true,
	 .help = "ask no registry: take the image from the cache, as it was last fetched"},
	{0},
};

const struct opt_table source_opts_table = {"Source", source_rows};

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

const struct opt_table output_opts_table = {"Output", output_rows};

int open_store(const struct cmd *c, struct store **ret, struct err *e)
{
	return store_open(ret, c->paths.cache, config_get(c->config, "CSBX_SHARED_CACHE_PATH"), e);
}

static void show_waiting(void *arg, const struct digest *d, uint64_t have_bytes,
			 uint64_t size_bytes)
{
	transfer_view_wait(arg, d, have_bytes, size_bytes);
}

/* Sets what is asked of the source, and with which view; one of ret and ret_digest. */
static int ask(struct cmd *c, struct source_opts *o, const char *uri, struct source_options *s,
	       struct image_source *ret, struct digest *ret_digest, struct err *e)
{
	const _Atomic int *cancel = s->registry.cancel;
	int r = registry_opts_get(c, &o->registry, &s->registry, e);

	if (r >= 0 && !o->store && source_needs_store(uri))
		r = open_store(c, &o->store, e);
	if (r < 0)
		return r;
	s->store = o->store;
	s->registry.cancel = cancel;
	s->registry.silence = transfer_view_silence;
	s->registry.silence_arg = s->progress_arg;
	return ret ? source_open(ret, uri, s, e) : source_digest(uri, s, ret_digest, e);
}

static struct index_ahead_options index_options(const struct output_opts *o)
{
	struct index_ahead_options x = {0};

	if (o) {
		x.keep_capabilities = o->keep_capabilities;
		x.max_bytes = o->max_image_bytes ? o->max_image_bytes : IMPORT_MAX_BYTES_DEFAULT;
		x.threads = o->threads ? (unsigned)o->threads : import_default_threads();
	}
	return x;
}

/*
 * A registry may be slow for hours: a signal ends that between two pieces, and says what became of
 * what came. Other sources are read by system calls that a signal ends, and leave nothing behind.
 */
static int ask_interruptibly(struct cmd *c, struct source_opts *o, const char *uri,
			     struct source_options *s, struct image_source *ret,
			     struct digest *ret_digest, struct err *e)
{
	struct interrupt interrupt;
	int r = interrupt_catch(&interrupt, e);

	if (r < 0)
		return r;
	s->registry.cancel = &interrupt.caught;
	r = ask(c, o, uri, s, ret, ret_digest, e);
	transfer_view_done(s->progress_arg);
	if (interrupt.caught)
		cmd_warn("%s: interrupted; csbx keeps the part that came for the next time", uri);
	interrupt_release(&interrupt);
	return r;
}

static int ask_with_view(struct cmd *c, struct source_opts *o, const char *uri, int tmp_dirfd,
			 bool quiet, struct image_source *ret, struct digest *ret_digest,
			 struct err *e)
{
	struct transfer_view view;
	struct source_options s = {
		.arch = o->arch,
		.platform = o->platform,
		.tmp_dirfd = tmp_dirfd,
		.offline = o->offline,
		.index = index_options(ret ? o->output : NULL),
		.transfer_progress = transfer_view_show,
		.waiting = show_waiting,
		.progress_arg = &view,
		.engine = {.docker_host = getenv("DOCKER_HOST"),
			   .container_host = getenv("CONTAINER_HOST"),
			   .runtime_dir = getenv("XDG_RUNTIME_DIR"),
			   .watch = {transfer_view_spooled, &view}},
	};
	int r;

	transfer_view_init(&view, quiet);
	view.also = o->progress;
	view.also_arg = o->progress_arg;
	if (source_needs_store(uri))
		return ask_interruptibly(c, o, uri, &s, ret, ret_digest, e);
	r = ask(c, o, uri, &s, ret, ret_digest, e);
	transfer_view_done(&view);
	return r;
}

int source_opts_open(struct cmd *c, struct source_opts *o, const char *uri, int tmp_dirfd,
		     bool quiet, struct image_source *ret, struct err *e)
{
	return ask_with_view(c, o, uri, tmp_dirfd, quiet, ret, NULL, e);
}

int source_opts_digest(struct cmd *c, struct source_opts *o, const char *uri, int tmp_dirfd,
		       bool quiet, struct digest *ret, struct err *e)
{
	return ask_with_view(c, o, uri, tmp_dirfd, quiet, NULL, ret, e);
}

bool source_opts_retry(struct image_source *src, int r, const struct err *e)
{
	if (r != -EBADMSG || !source_drop_damaged(src))
		return false;
	cmd_warn("%s; dropped from the cache, fetching it again", e->msg);
	return true;
}

void source_opts_done(struct source_opts *o)
{
	registry_opts_done(&o->registry);
	store_close(&o->store);
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
