/* SPDX-License-Identifier: Apache-2.0 */
/* index.json is read and replaced as a whole, under the lock of its directory. */
#include "image/store/store.h"

#include <stdlib.h>
#include <sys/file.h>

#include "image/model/digest.h"
#include "runtime/base/json/json.h"
#include "image/oci/platform.h"
#include "image/store/priv.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/log.h"

static int read_images(int oci, struct store_images *ret, struct err *e)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;
	int r = oci < 0 ? -ENOENT
			: io_read_file_at(oci, STORE_INDEX_JSON, JSON_MANIFEST_MAX, &text, e);

	*ret = (struct store_images){0};
	if (r >= 0)
		r = store_images_parse(strbuf_str(&text), text.len, ret, e);
	/*
	 * Torn by a crash, or written by something else: the images that it named are fetched
	 * again.
	 */
	if (r < 0 && r != -ENOMEM)
		log_trace("cache: index.json cannot be used");
	return r == -ENOMEM ? r : 0;
}

int store_images(struct store *s, struct store_images *ret, struct err *e)
{
	return read_images(s->own.oci, ret, e);
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? str_eq(a, b) : a == b;
}

static void find_in(const struct store_images *l, const char *name, const struct platform *want,
		    int *best, struct digest *ret)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct store_image *m = &l->items[i];
		int rank;

		if (!m->name || !str_eq(m->name, name))
			continue;
		rank = platform_rank(want, m->os, m->arch, m->variant);
		if (rank > *best) {
			*best = rank;
			*ret = m->root;
		}
	}
}

int store_find_name(struct store *s, const char *name, const struct platform *want,
		    struct digest *ret_root, struct err *e)
{
	const int places[] = {s->own.oci, s->shared.oci};
	int best = -2; /* one for another platform is better than none: its index may have ours */

	for (unsigned i = 0; i < sizeof(places) / sizeof(places[0]) && best < 0; i++) {
		_store_images_ struct store_images l = {0};
		int r = read_images(places[i], &l, e);

		if (r < 0)
			return r;
		find_in(&l, name, want, &best, ret_root);
	}
	return best > -2 ? 0 : err_set(e, ENOENT, "%s is not in the cache", name);
}

static int copy_image(const struct store_image *from, struct store_image *ret, struct err *e)
{
	*ret = *from;
	ret->name = from->name ? strdup(from->name) : NULL;
	ret->media_type = from->media_type ? strdup(from->media_type) : NULL;
	ret->os = from->os ? strdup(from->os) : NULL;
	ret->arch = from->arch ? strdup(from->arch) : NULL;
	ret->variant = from->variant ? strdup(from->variant) : NULL;
	if (!ret->name != !from->name || !ret->media_type != !from->media_type ||
	    !ret->os != !from->os || !ret->arch != !from->arch || !ret->variant != !from->variant)
		return err_oom(e);
	return 0;
}

static bool same_place(const struct store_image *a, const struct store_image *b)
{
	return same_text(a->name, b->name) && same_text(a->os, b->os) &&
	       same_text(a->arch, b->arch) && same_text(a->variant, b->variant);
}

static int put(struct store_images *l, const struct store_image *image, bool *ret_changed,
	       struct err *e)
{
	struct store_images kept = {0};
	int r;

	kept.items = calloc(l->n + 1, sizeof(*kept.items));
	if (!kept.items)
		return err_oom(e);
	*ret_changed = true;
	for (size_t i = 0; i < l->n; i++) {
		if (!same_place(&l->items[i], image)) {
			kept.items[kept.n++] = l->items[i];
			l->items[i] = (struct store_image){0};
		} else if (digest_equal(&l->items[i].manifest, &image->manifest) &&
			   digest_equal(&l->items[i].root, &image->root)) {
			*ret_changed = false;
		}
	}
	r = copy_image(image, &kept.items[kept.n++], e);
	store_images_free(l);
	*l = kept;
	return r;
}

static int write_images(struct store *s, const struct store_images *l, struct err *e)
{
	const struct io_replace where = {
		.dirfd = s->own.oci, .name = STORE_INDEX_JSON, .mode = 0600, .replace = 1};
	_strbuf_ struct strbuf text = STRBUF_INIT;
	int r = store_images_format(l, &text, e);

	return r < 0 ? r : io_write_file_at(&where, text.data, text.len, e);
}

int store_change_images(struct store *s,
			int (*change)(void *arg, struct store_images *l, bool *ret_changed,
				      struct err *e),
			void *arg, struct err *e)
{
	_store_images_ struct store_images l = {0};
	bool changed = false;
	int r;

	if (flock(s->own.oci, LOCK_EX) < 0)
		return err_sys(e, "cache: lock");
	r = read_images(s->own.oci, &l, e);
	if (r >= 0)
		r = change(arg, &l, &changed, e);
	if (r >= 0 && changed)
		r = write_images(s, &l, e);
	flock(s->own.oci, LOCK_UN);
	return r < 0 ? err_wrap(e, "cache") : 0;
}

static int put_one(void *arg, struct store_images *l, bool *ret_changed, struct err *e)
{
	return put(l, arg, ret_changed, e);
}

int store_put_image(struct store *s, const struct store_image *image, struct err *e)
{
	return store_change_images(s, put_one, (void *)(uintptr_t)image, e);
}
