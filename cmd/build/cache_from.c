/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/build/cache_from.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/build/build.h"
#include "cmd/build/build_child.h"
#include "cmd/frame/cmd.h"
#include "cmd/image/image_opts.h"
#include "image/pack/tree_unpack.h"
#include "image/save/layers.h"
#include "image/store/store.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/kernel/process_id.h"

_Static_assert(INLINE_STEP_BYTES == BUILD_DIR_BYTES, "a step's directory is told as it is");

/* --- words ---------------------------------------------------------------------------------- */

static void split(const char *text, struct strv *ret)
{
	for (;; text++) {
		size_t len = strcspn(text, ",");

		strv_addn(ret, text, len);
		text += len;
		if (!*text)
			return;
	}
}

/* "NAME[,NAME]" or "type=registry,ref=NAME". */
static int read_words(const char *text, struct strv *names, struct err *e)
{
	_strv_ struct strv fields = STRV_INIT;
	const char *ref = NULL;

	if (!strchr(text, '=')) {
		split(text, names);
		return strv_check(names, e);
	}
	split(text, &fields);
	for (size_t i = 0; i < fields.n; i++) {
		const char *f = fields.items[i];

		if (str_has_prefix(f, "ref="))
			ref = f + strlen("ref=");
		else if (!str_eq(f, "type=registry"))
			return err_set(e, EINVAL,
				       "--cache-from %s: images are the only sources that are "
				       "done: NAME, or type=registry,ref=NAME",
				       text);
	}
	if (!ref || !*ref)
		return err_set(e, EINVAL, "--cache-from %s: ref=NAME is missing", text);
	strv_add(names, ref);
	return strv_check(names, e) < 0 || strv_check(&fields, e) < 0 ? -ENOMEM : 0;
}

int cache_words_check(const struct build_args *a, struct err *e)
{
	_strv_ struct strv names = STRV_INIT;

	for (size_t i = 0; i < a->cache_from.n; i++) {
		if (read_words(a->cache_from.items[i], &names, e) < 0)
			return -EINVAL;
	}
	for (size_t i = 0; i < a->cache_to.n; i++) {
		const char *to = a->cache_to.items[i];

		if (!str_eq(to, "type=inline") && !str_eq(to, "inline") &&
		    !str_eq(to, "type=inline,mode=min"))
			return err_set(e, EINVAL,
				       "--cache-to %s: type=inline is the only one that is done, "
				       "and docker push takes it along",
				       to);
	}
	return 0;
}

bool cache_is_told(const struct build_args *a)
{
	const char *asked = strv_get_env(&a->build_args, "BUILDKIT_INLINE_CACHE");

	return a->cache_to.n || (asked && (str_eq(asked, "1") || str_eq(asked, "true")));
}

/* --- images --------------------------------------------------------------------------------- */

static int open_source(struct build *b, const char *name, struct cache_source *ret, struct err *e)
{
	_image_entry_ struct image_entry x = {0};
	int r = image_table_find(b->images, name, &x, e);

	if (r < 0)
		return err_set(e, ENOENT, "no image of that name is here: docker pull %s", name);
	memcpy(ret->id, x.id, sizeof(ret->id));
	r = image_table_read(b->images, x.id, &ret->record, e);
	if (r < 0)
		return r;
	r = inline_cache_parse(ret->record.config, ret->record.config_len, &ret->cache, e);
	if (r == -ENODATA)
		(void)err_set(e, ENODATA,
			      "it does not tell its steps: build it with --cache-to type=inline");
	if (r < 0)
		image_record_free(&ret->record);
	return r;
}

static int add_source(struct build *b, const char *name, struct err *e)
{
	struct cache_from *c = &b->cache_from;
	struct cache_source *more = reallocarray(c->items, c->n + 1, sizeof(*more));
	_free_ char *text = NULL;
	struct err why = ERR_INIT;

	if (!more)
		return err_oom(e);
	c->items = more;
	more[c->n] = (struct cache_source){0};
	build_text_prepare(&b->progress, "importing cache manifest from %s", name);
	build_text_open(&b->progress);
	if (open_source(b, name, &more[c->n], &why) >= 0) {
		c->n++;
	} else {
		text = str_printf("%s gives no steps: %s\n", name, why.msg);
		if (!text)
			return err_oom(e);
		build_text_output(&b->progress, text, strlen(text));
	}
	build_text_done(&b->progress);
	return 0;
}

int cache_from_open(struct build *b, struct err *e)
{
	_strv_ struct strv names = STRV_INIT;
	int r = 0;

	for (size_t i = 0; r >= 0 && i < b->args->cache_from.n; i++)
		r = read_words(b->args->cache_from.items[i], &names, e);
	for (size_t i = 0; r >= 0 && i < names.n; i++)
		r = add_source(b, names.items[i], e);
	return r;
}

void cache_from_close(struct cache_from *c)
{
	for (size_t i = 0; i < c->n; i++) {
		image_record_free(&c->items[i].record);
		inline_cache_free(&c->items[i].cache);
	}
	free(c->items);
	*c = (struct cache_from){0};
}

const char *cache_from_image(const struct build *b, const char *key)
{
	for (size_t i = 0; i < b->cache_from.n; i++) {
		if (str_eq(b->cache_from.items[i].cache.key, key))
			return b->cache_from.items[i].id;
	}
	return NULL;
}

/* --- one step ------------------------------------------------------------------------------- */

struct layer_work {
	struct build_view view;
	struct layer_tar tar;
};

static int unpack_child(void *arg, int parent, struct err *e)
{
	struct layer_work *w = arg;
	const int root = build_view_enter(&w->view, e);
	const struct tree_unpack u = {
		.root_fd = root,
		.base = "",
		.resolve = TREE_BENEATH,
		.keep_owner = true,
		.is_layer = true,
	};

	if (root < 0)
		return root;
	umask(0022);
	if (process_end_with(parent, e) < 0)
		return -ESRCH;
	if (lseek(w->tar.fd, 0, SEEK_SET) < 0)
		return err_sys(e, "read the layer");
	return tree_unpack(&u, w->tar.fd, e);
}

/* -ENOENT: the layer is not here any more, and no file has been written. */
static int open_layer(struct build *b, const struct cache_source *from, const char *diff_id,
		      struct layer_tar *ret)
{
	_store_ struct store *store = NULL;
	struct image_content content = {.dirfd = b->images};
	struct image_layers layers = {0};
	int r = open_store(b->cmd, &store, NULL);

	content.store = r < 0 ? NULL : store;
	r = image_layers_find(&content, &from->record, &layers, NULL);
	for (size_t i = 0; r >= 0 && i < layers.n; i++) {
		const struct image_layer *l = &layers.items[i];

		if (l->kind == IMAGE_LAYER_JOINED || !l->diff_id || !str_eq(l->diff_id, diff_id))
			continue;
		r = image_layer_tar(&content, &from->record, l, ret, NULL);
		image_layers_free(&layers);
		return r < 0 ? -ENOENT : 0;
	}
	image_layers_free(&layers);
	return -ENOENT;
}

static int take_layer(struct build *b, const struct build_stage *s, const struct build_step *step,
		      struct layer_work *w, struct err *e)
{
	struct build_child child = BUILD_CHILD_INIT;
	int r = build_view_open(b->cmd, &b->cache, &s->root, step, &w->view, e);

	if (r >= 0)
		r = build_child_start(&child, unpack_child, w, e);
	if (r >= 0)
		r = build_child_wait(&child, e);
	build_view_close(&w->view);
	return r < 0 ? err_wrap(e, "a layer of --cache-from") : 0;
}

static int take(struct build *b, const struct build_stage *s, struct build_step *step,
		const struct cache_source *from, struct err *e)
{
	const struct inline_step *told = inline_cache_find(&from->cache, step->key);
	struct layer_work w = {.tar = LAYER_TAR_INIT};
	int r = told ? 0 : -ENOENT;

	if (r >= 0 && *told->diff_id)
		r = open_layer(b, from, told->diff_id, &w.tar);
	if (r < 0 || !build_step_is_as(&b->cache, step, told->step)) {
		fd_close(&w.tar.fd);
		return 0;
	}
	if (*told->diff_id)
		r = take_layer(b, s, step, &w, e);
	fd_close(&w.tar.fd);
	return r < 0 ? r : 1;
}

int cache_from_make(struct build *b, const struct build_stage *s, struct build_step *step,
		    struct err *e)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < b->cache_from.n && !b->args->no_cache; i++)
		r = take(b, s, step, &b->cache_from.items[i], e);
	return r;
}
