/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What the steps have changed becomes a small file over those of the base (cmd/image/delta_image.h).
 * An image that tells its steps has several: the first steps have one each, as many as a stack has
 * room for, and those behind them share the last.
 */

#include "cmd/build/build.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/build/build_child.h"
#include "cmd/build/config/inline_cache.h"
#include "cmd/frame/cmd.h"
#include "cmd/image/delta_image.h"
#include "image/bytes/spool.h"
#include "image/model/digest.h"
#include "image/model/source.h"
#include "image/oci/config_layers.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/kernel/process_id.h"
#include "runtime/life/container_root.h"
#include "runtime/spec/name.h"

static int enter(const struct build_view *v, int parent, struct err *e)
{
	_close_ int root = build_view_enter(v, e);

	if (root < 0)
		return root;
	return process_end_with(parent, e) < 0 ? -ESRCH : take_fd(&root);
}

struct delta_work {
	struct build *b;
	struct build_stage *s;
	struct build_view view;
	struct delta_below below;
	const struct strv *tags;
	const struct import_options *options;
	struct delta_middle middle[SPEC_STACK_MAX];
	unsigned n_middle;
	struct stat root; /* where no step has changed files */
	int out;          /* takes the id */
};

static bool is_told(const struct delta_work *w)
{
	return cache_is_told(w->b->args) && !w->b->is_kept;
}

/* The layer that holds the files of each step, -1 for one that changed none, counted from 0. */
static int step_layers(const struct delta_work *w, int *ret, struct err *e)
{
	const struct build_stage *s = w->s;
	size_t next = 0;

	for (size_t i = 0; i < s->steps.n; i++) {
		_free_ char *path = str_printf("%s/%s/upper", w->b->cache.path, s->steps.items[i]);

		if (!path)
			return err_oom(e);
		ret[i] = next < s->root.layers.n && str_eq(s->root.layers.items[next], path)
				 ? (int)next++
				 : -1;
	}
	return 0;
}

/* Tells the steps up to the first that shares its layer. */
static int tell_steps(struct delta_work *w, const int *layers, const struct digest *top,
		      struct err *e)
{
	_inline_cache_ struct inline_cache told = {0};
	_strbuf_ struct strbuf text = STRBUF_INIT;
	struct build_stage *s = w->s;
	char diff_id[DIGEST_TEXT_MAX];
	int r = 0;

	snprintf(told.key, sizeof(told.key), "%s", s->key);
	for (size_t i = 0; r >= 0 && i < s->steps.n; i++) {
		const bool is_top = layers[i] == (int)w->n_middle;
		const char *id = NULL;

		if (layers[i] > (int)w->n_middle || (is_top && w->n_middle + 1 < s->root.layers.n))
			break;
		if (layers[i] >= 0)
			id = digest_format(is_top ? top : &w->middle[layers[i]].diff_id, diff_id);
		r = inline_cache_add(&told, s->steps.items[i], id, e);
	}
	if (r >= 0)
		r = inline_cache_format(&told, &text, e);
	free(s->config.inline_cache);
	s->config.inline_cache = r < 0 ? NULL : strbuf_take(&text);
	return r;
}

static int write_told(struct delta_work *w, struct config_layers *l, struct image_source *src,
		      struct err *e)
{
	const struct build_stage *s = w->s;
	_free_ int *layers = calloc(s->steps.n + 1, sizeof(*layers));
	_free_ bool *last = calloc(s->steps.n + 1, sizeof(*last));
	int r = layers && last ? step_layers(w, layers, e) : err_oom(e);

	if (r >= 0)
		r = tell_steps(w, layers, &src->layers[0].diff_id, e);
	if (r < 0)
		return r;
	for (size_t i = 0; i < s->steps.n; i++)
		last[i] = layers[i] >= 0 &&
			  (layers[i] < (int)w->n_middle || layers[i] + 1 == (int)s->root.layers.n);
	l->last = last;
	l->n_last = s->steps.n;
	return build_config_layers(&s->config, l, &src->config, e);
}

static int configure(void *arg, struct image_source *src, struct err *e)
{
	struct delta_work *w = arg;
	const struct strv *below = &w->below.record.diff_ids;
	_strv_ struct strv diff_ids = STRV_INIT;
	struct config_layers l = {.diff_ids = &diff_ids, .n_kept = below->n};
	char diff_id[DIGEST_TEXT_MAX];
	int r;

	for (size_t i = 0; i < below->n; i++)
		strv_add(&diff_ids, below->items[i]);
	for (unsigned i = 0; i < w->n_middle; i++)
		strv_add(&diff_ids, digest_format(&w->middle[i].diff_id, diff_id));
	l.has_rest = digest_is_set(&src->layers[0].diff_id);
	if (l.has_rest)
		strv_add(&diff_ids, digest_format(&src->layers[0].diff_id, diff_id));
	r = strv_check(&diff_ids, e);
	if (r < 0)
		return r;
	return is_told(w) ? write_told(w, &l, src, e)
			  : build_config_layers(&w->s->config, &l, &src->config, e);
}

static int open_upper(const char *path, struct uppers *ret, struct err *e)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return err_sys(e, "%s", path);
	ret->fds[ret->n++] = fd;
	return 0;
}

/* The first n_middle have a layer each. */
static int open_uppers(struct delta_work *w, struct uppers *ret, struct err *e)
{
	const struct strv *layers = &w->s->root.layers;
	int r = 0;

	for (size_t i = layers->n; r >= 0 && i-- > 0;)
		r = open_upper(layers->items[i], i < w->n_middle ? &w->middle[i].uppers : ret, e);
	return r;
}

/* The trees below the layer that several steps share: what their whiteouts may hide. */
static int open_base(struct delta_work *w, struct uppers *ret, struct err *e)
{
	const struct rootfs_spec *dirs = &w->view.unpacked.root;
	const size_t n = w->view.opts.spec.rootfs.n_lowers + 1;

	for (size_t i = 0; i < n && n + w->n_middle <= UPPERS_BASE_MAX; i++) {
		int fd = w->view.link.image_fds[i];

		if (dirs->path)
			fd = open(rootfs_part_at(dirs, i).path,
				  O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0)
			return err_sys(e, "files of the base");
		ret->base[ret->n_base++] = fd;
	}
	for (unsigned i = 0; ret->n_base && i < w->n_middle; i++)
		ret->base[ret->n_base++] = w->middle[i].uppers.fds[0];
	return 0;
}

/* The topmost file is one of those that a stack has room for. */
static unsigned count_middle(const struct delta_work *w)
{
	const size_t n = w->s->root.layers.n, room = SPEC_STACK_MAX - 1 - w->below.n;

	if (!is_told(w) || n < 2)
		return 0;
	return (unsigned)(n - 1 < room ? n - 1 : room);
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
		.middle = w->middle,
		.n_middle = w->n_middle,
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
		r = open_uppers(w, &d.uppers, e);
	if (r >= 0 && d.uppers.n > 1)
		r = open_base(w, &d.uppers, e);
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

int build_delta(struct build *b, struct build_stage *s, const struct strv *tags,
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
	w.n_middle = r < 0 ? 0 : count_middle(&w);
	if (r >= 0 && !s->root.layers.n)
		r = do_apart(&w, stat_child, &w.root, sizeof(w.root), e);
	if (r >= 0)
		r = do_apart(&w, delta_child, ret_id, IMAGE_ID_BYTES, e);
	build_view_close(&w.view);
	delta_below_free(&w.below);
	return r;
}
