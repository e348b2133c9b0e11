/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The last step becomes an image: what the steps have changed, as one small file over the files of
 * the base (cmd/image/delta_image.h); without a base, and where the base's files cannot be shared,
 * all files, seen from inside, as one layer. The same last key again is the same image, which is
 * there already.
 */

#include "cmd/build/build.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/build/build_child.h"
#include "cmd/build/build_stream.h"
#include "cmd/docker/image/tar_image.h"
#include "cmd/frame/cmd.h"
#include "cmd/image/delta_image.h"
#include "cmd/image/image_add.h"
#include "cmd/image/settings.h"
#include "image/bytes/spool.h"
#include "image/model/digest.h"
#include "image/model/source.h"
#include "image/oci/config_layers.h"
#include "image/pack/tar_out.h"
#include "image/pack/tree.h"
#include "image/source/source.h"
#include "image/source/tar.h"
#include "image/table/image_name.h"
#include "image/table/table.h"
#include "runtime/base/clock.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/kernel/process_id.h"
#include "runtime/life/container_root.h"
#include "runtime/spec/name.h"

static int write_config(const struct build_stage *s, const struct config_layers *l,
			struct image_source *src, struct err *e)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;
	int r = build_config_write(&s->config, clock_realtime_ns(), &text, e);

	return r < 0 ? r : config_with_layers(strbuf_str(&text), text.len, l, &src->config, e);
}

static int enter(const struct build_view *v, int parent, struct err *e)
{
	_close_ int root = build_view_enter(v, e);

	if (root < 0)
		return root;
	return process_end_with(parent, e) < 0 ? -ESRCH : take_fd(&root);
}

/*
 * --- a file over the base's --------------------------------------------------------------------
 */

struct delta_work {
	struct build *b;
	struct build_stage *s;
	struct build_view view;
	struct delta_below below;
	const struct strv *tags;
	const struct import_options *options;
	struct stat root; /* where no step has changed files */
	int out;          /* takes the id */
};

static int configure(void *arg, struct image_source *src, struct err *e)
{
	const struct delta_work *w = arg;
	const struct strv *below = &w->below.record.diff_ids;
	_strv_ struct strv diff_ids = STRV_INIT;
	struct config_layers l = {.diff_ids = &diff_ids, .n_kept = below->n};
	char diff_id[DIGEST_TEXT_MAX];
	int r;

	for (size_t i = 0; i < below->n; i++)
		strv_add(&diff_ids, below->items[i]);
	l.has_rest = digest_is_set(&src->layers[0].diff_id);
	if (l.has_rest)
		strv_add(&diff_ids, digest_format(&src->layers[0].diff_id, diff_id));
	r = strv_check(&diff_ids, e);
	return r < 0 ? r : write_config(w->s, &l, src, e);
}

static int open_uppers(const struct build_root *root, struct uppers *ret, struct err *e)
{
	for (size_t i = root->layers.n; i-- > 0;) {
		int fd = open(root->layers.items[i],
			      O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

		if (fd < 0)
			return err_sys(e, "%s", root->layers.items[i]);
		ret->fds[ret->n++] = fd;
	}
	return 0;
}

static int set_attributes(int fd, const struct stat *st, struct err *e)
{
	if (fchown(fd, st->st_uid, st->st_gid) < 0 || fchmod(fd, st->st_mode & 07777) < 0 ||
	    futimens(fd, (const struct timespec[]){st->st_atim, st->st_mtim}) < 0)
		return err_sys(e, "attributes of the root");
	return 0;
}

/* A directory without a name that holds nothing and has the root's attributes. */
static int open_empty(const struct build_cache *cache, const struct stat *root, struct err *e)
{
	char id[NAME_ID_DIGITS + 1], name[sizeof(BUILD_NEW_PREFIX) + sizeof(id)];
	_close_ int fd = -1;
	int r = name_new_id(id, e);

	if (r < 0)
		return r;
	snprintf(name, sizeof(name), BUILD_NEW_PREFIX "%s", id);
	if (mkdirat(cache->dirfd, name, 0700) < 0)
		return err_sys(e, "%s/%s", cache->path, name);
	fd = openat(cache->dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	r = fd < 0 ? err_sys(e, "%s/%s", cache->path, name) : set_attributes(fd, root, e);
	(void)unlinkat(cache->dirfd, name, AT_REMOVEDIR);
	return r < 0 ? r : take_fd(&fd);
}

/* As containers see it, which is known in a mount namespace that files cannot be linked from. */
static int stat_child(void *arg, int parent, struct err *e)
{
	const struct delta_work *w = arg;
	_close_ int root = enter(&w->view, parent, e);
	struct stat st;

	if (root < 0)
		return root;
	if (fstat(root, &st) < 0)
		return err_sys(e, "root");
	return io_write_all(w->out, &st, sizeof(st), e);
}

static int delta_child(void *arg, int parent, struct err *e)
{
	struct delta_work *w = arg;
	struct delta_image d = {
		.dirfd = w->b->images,
		.ref = "build:",
		.below = &w->below,
		.has_no_layer = !w->s->root.layers.n,
		.names = w->tags,
		.options = w->options,
		.configure = configure,
		.arg = w,
	};
	const struct container_root inside = {.root_fd = -1, .userns_fd = w->view.link.userns_fd};
	char id[IMAGE_ID_BYTES];
	int r = container_root_enter(&inside, e);

	if (r >= 0 && process_end_with(parent, e) < 0)
		return -ESRCH;
	if (r >= 0 && d.has_no_layer)
		r = d.uppers.fds[d.uppers.n++] = open_empty(&w->b->cache, &w->root, e);
	else if (r >= 0)
		r = open_uppers(&w->s->root, &d.uppers, e);
	if (r >= 0)
		r = delta_image_add(&d, id, e);
	return r < 0 ? r : io_write_all(w->out, id, sizeof(id), e);
}

static int do_apart(struct delta_work *w, build_child_fn *work, void *ret, size_t size,
		    struct err *e)
{
	struct build_child child = BUILD_CHILD_INIT;
	_spool_ struct spool out = SPOOL_INIT;
	int r = spool_open(&out, w->b->images, e);

	w->out = out.fd;
	if (r >= 0)
		r = build_child_start(&child, work, w, e);
	if (r >= 0)
		r = build_child_wait(&child, e);
	return r < 0 ? r : io_pread_exact(out.fd, ret, size, 0, e);
}

/* -EOPNOTSUPP: it has to be all files. */
static int make_delta(struct build *b, struct build_stage *s, const struct strv *tags,
		      const struct import_options *o, char ret_id[IMAGE_ID_BYTES], struct err *e)
{
	struct delta_work w = {.b = b, .s = s, .tags = tags, .options = o};
	int r = s->root.image ? 0 : -EOPNOTSUPP;

	if (r < 0)
		return r;
	r = build_view_open(b->cmd, &b->cache, &s->root, NULL, &w.view, e);
	if (r >= 0)
		r = delta_below_find(b->images, s->root.image_id, &w.view.opts.spec.rootfs,
				     &w.below, e);
	if (r >= 0 && !s->root.layers.n)
		r = do_apart(&w, stat_child, &w.root, sizeof(w.root), e);
	if (r >= 0)
		r = do_apart(&w, delta_child, ret_id, IMAGE_ID_BYTES, e);
	build_view_close(&w.view);
	delta_below_free(&w.below);
	return r;
}

/*
 * --- all files ---------------------------------------------------------------------------------
 */

struct pack_work {
	struct build_view view;
	int out;
};

static int pack_child(void *arg, int parent, struct err *e)
{
	struct pack_work *w = arg;
	_close_ int root = enter(&w->view, parent, e);
	struct tar_out t;
	int r;

	if (root < 0)
		return root;
	tar_out_init(&t, w->out);
	r = tree_pack(root, "", TREE_DEVICES_OF_IMAGE, &t, e);
	if (r >= 0)
		r = tar_out_end(&t, e);
	tar_out_free(&t);
	return r;
}

static int pack(struct build *b, struct build_stage *s, int out, struct err *e)
{
	struct pack_work w = {.out = out};
	struct build_child child = BUILD_CHILD_INIT;
	int r = build_view_open(b->cmd, &b->cache, &s->root, NULL, &w.view, e);

	if (r >= 0)
		r = build_child_start(&child, pack_child, &w, e);
	if (r >= 0)
		r = build_child_wait(&child, e);
	build_view_close(&w.view);
	if (r >= 0 && lseek(out, 0, SEEK_SET) < 0)
		r = err_sys(e, "read the files again");
	return r;
}

static int names(const struct build *b, struct strv *ret, struct err *e)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i < b->args->tags.n; i++) {
		char *name = NULL;

		r = tar_image_name(b->args->tags.items[i], &name, e);
		if (r >= 0 && name)
			strv_take(ret, name);
	}
	return r < 0 ? r : strv_check(ret, e);
}

static int make_whole(struct build *b, struct build_stage *s, const struct strv *tags,
		      const struct import_options *o, char ret_id[IMAGE_ID_BYTES], struct err *e)
{
	const struct image_add_names n = {.names = tags, .options = o};
	_strv_ struct strv diff_ids = STRV_INIT;
	const struct config_layers one = {.diff_ids = &diff_ids, .has_rest = true};
	_spool_ struct spool files = SPOOL_INIT;
	char diff_id[DIGEST_TEXT_MAX];
	struct image_source src;
	int r = spool_open(&files, b->images, e);

	if (r >= 0)
		r = pack(b, s, files.fd, e);
	if (r >= 0)
		r = tar_source_open(&src, files.fd, b->images, e);
	if (r < 0)
		return r;
	strv_add(&diff_ids, digest_format(&src.layers[0].diff_id, diff_id));
	r = strv_check(&diff_ids, e);
	if (r >= 0)
		r = write_config(s, &one, &src, e);
	if (r >= 0)
		r = image_add_named(b->images, &src, &n, ret_id, NULL, e);
	source_close(&src);
	return r;
}

static int make_image(struct build *b, struct build_stage *s, const struct strv *tags,
		      char ret_id[IMAGE_ID_BYTES], struct err *e)
{
	_image_settings_ struct image_settings settings;
	struct import_options o;
	int r = image_settings_read(b->cmd, &settings, e);

	if (r < 0)
		return r;
	o = output_opts_import(&settings.output);
	r = make_delta(b, s, tags, &o, ret_id, e);
	if (r != -EOPNOTSUPP)
		return r;
	*e = (struct err)ERR_INIT;
	return make_whole(b, s, tags, &o, ret_id, e);
}

/* The image of an earlier build, if it is still there. */
static bool is_known(struct build *b, const struct build_stage *s, char ret_id[IMAGE_ID_BYTES])
{
	_image_entry_ struct image_entry x = {0};

	return !b->args->no_cache &&
	       build_cache_image(&b->cache, s->key, ret_id, IMAGE_ID_BYTES) >= 0 &&
	       image_table_find(b->images, ret_id, &x, NULL) >= 0 && str_eq(x.id, ret_id);
}

static int tag(struct build *b, const struct strv *tags, const char *id, struct err *e)
{
	_close_ int lock = image_table_lock(b->images, e);
	int r = lock < 0 ? lock : 0;

	for (size_t i = 0; r >= 0 && i < tags->n; i++)
		r = image_table_tag(b->images, tags->items[i], id, NULL, e);
	return r;
}

/* Says the lines about the image that clients of the engine look for. */
static void say_made(const struct build *b, const char *id, const struct strv *tags)
{
	if (b->args->quiet) {
		build_stream_say("%s\n", id);
		return;
	}
	build_stream_aux(id);
	build_stream_say("Successfully built %.12s\n", image_id_hex(id));
	for (size_t i = 0; i < tags->n; i++)
		build_stream_say("Successfully tagged %s\n", image_name_familiar(tags->items[i]));
}

int build_result(struct build *b, struct build_stage *s, char *ret_id, size_t size, struct err *e)
{
	_strv_ struct strv tags = STRV_INIT;
	char id[IMAGE_ID_BYTES] = "";
	int r = names(b, &tags, e);

	if (r < 0)
		return r;
	build_text_prepare(&b->progress, "exporting to image");
	build_text_open(&b->progress);
	r = is_known(b, s, id) ? tag(b, &tags, id, e) : -ENOENT;
	if (r == -ENOENT)
		r = make_image(b, s, &tags, id, e);
	if (r >= 0)
		r = build_cache_set_image(&b->cache, s->key, id, e);
	if (r < 0)
		return r;
	snprintf(ret_id, size, "%s", id);
	for (size_t i = 0; i < tags.n; i++) {
		_free_ char *line = str_printf("naming to %s\n", tags.items[i]);

		if (line && !b->args->is_stream)
			build_text_output(&b->progress, line, strlen(line));
	}
	build_text_done(&b->progress);
	if (b->args->is_stream)
		say_made(b, id, &tags);
	return 0;
}
