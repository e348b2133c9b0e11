/* SPDX-License-Identifier: Apache-2.0 */
#include "image/oci/layout.h"

#include "image/model/digest.h"
#include "image/oci/fileset.h"
#include "runtime/base/json/json.h"
#include "image/oci/image.h"
#include "image/oci/json.h"
#include "image/oci/platform.h"
#include "image/table/ref.h"
#include "image/oci/source_uri.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"

bool layout_is_image(const struct oci_descriptor *d)
{
	return oci_kind_of(d->media_type) >= 0 && !d->attestation;
}

static bool has_ref(const struct oci_descriptor *d, const char *ref)
{
	return (d->ref_name && (str_eq(d->ref_name, ref) || image_ref_same(d->ref_name, ref))) ||
	       (d->image_name &&
		(str_eq(d->image_name, ref) || image_ref_same(d->image_name, ref)));
}

static bool is_selected(const struct oci_document *index, size_t i, const struct source_uri *u)
{
	const struct oci_descriptor *d = &index->entries[i];

	switch (u->select) {
	case SELECT_REF:
		return layout_is_image(d) && has_ref(d, u->ref);
	case SELECT_DIGEST:
		return digest_equal(&d->digest, &u->digest);
	case SELECT_PLACE:
		return i == u->place;
	case SELECT_ANY:
		break;
	}
	return layout_is_image(d);
}

/* "latest, v1, @2": what can be written behind the path. */
static void list_images(const struct oci_document *index, struct strbuf *out)
{
	for (size_t i = 0; i < index->n && out->len < 300; i++) {
		const struct oci_descriptor *d = &index->entries[i];
		const char *name = d->ref_name ? d->ref_name : d->image_name;

		if (!layout_is_image(d))
			continue;
		strbuf_addstr(out, out->len ? ", " : "");
		if (name)
			strbuf_add_escaped(out, name, strlen(name));
		else
			strbuf_addf(out, "@%zu", i);
	}
}

static int not_one(const struct oci_document *index, bool none, struct err *e)
{
	_strbuf_ struct strbuf names = STRBUF_INIT;

	list_images(index, &names);
	if (!names.len)
		return err_set(e, ENOENT, "the layout holds no image");
	return none ? err_set(e, ENOENT, "no such image in the layout; it has: %s",
			      strbuf_str(&names))
		    : err_set(e, EINVAL, "several images; choose one of: %s", strbuf_str(&names));
}

/* The entries that are selected, and how far they can be mistaken for each other. */
struct candidates {
	const struct oci_descriptor *first, *best;
	int best_rank;
	bool same_content, same_name, have_platforms, best_is_clear;
};

static bool same_name(const struct oci_descriptor *a, const struct oci_descriptor *b)
{
	if (!a->ref_name || !b->ref_name)
		return a->ref_name == b->ref_name;
	return str_eq(a->ref_name, b->ref_name);
}

static void consider(struct candidates *c, const struct oci_descriptor *d,
		     const struct platform *want)
{
	int rank = platform_rank(want, d->os, d->arch, d->variant);

	if (!c->first) {
		*c = (struct candidates){.first = d,
					 .best_rank = -1,
					 .same_content = true,
					 .same_name = true,
					 .have_platforms = true};
	}
	c->same_content = c->same_content && digest_equal(&c->first->digest, &d->digest);
	c->same_name = c->same_name && same_name(c->first, d);
	c->have_platforms = c->have_platforms && d->arch;
	if (rank > c->best_rank) {
		c->best_rank = rank;
		c->best = d;
		c->best_is_clear = true;
	} else if (rank == c->best_rank && c->best && !digest_equal(&c->best->digest, &d->digest)) {
		c->best_is_clear = false;
	}
}

/*
 * One entry of index.json. Several that are selected serve when they are the same content under
 * many names, or one image in one entry for each platform.
 */
static int choose(const struct oci_document *index, const struct source_uri *u,
		  const struct platform *want, const struct oci_descriptor **ret, struct err *e)
{
	struct candidates c = {0};
	size_t place;

	for (size_t i = 0; i < index->n; i++) {
		if (is_selected(index, i, u))
			consider(&c, &index->entries[i], want);
	}
	if (!c.first)
		return not_one(index, true, e);
	if (c.same_content) {
		*ret = c.first;
		return 0;
	}
	if (!c.have_platforms || !c.same_name)
		return not_one(index, false, e);
	if (!c.best)
		return platform_choose(want, index->entries, index->n, &place, e);
	*ret = c.best;
	return c.best_is_clear ? 0 : not_one(index, false, e);
}

/* A digest that index.json does not list may be one of a nested index's. */
static int load_by_digest(const struct oci_blobs *b, const struct digest *digest,
			  const struct image_wish *wish, struct image_source *s, struct err *e)
{
	struct oci_descriptor d = {.digest = *digest};
	_free_ char *name = str_printf("blobs/%s/%s", digest->alg, digest->hex);
	struct file_range range;
	int r;

	if (!name)
		return err_oom(e);
	r = fileset_open(b->files, name, &range, e);
	if (r < 0)
		return r;
	if (range.owns_fd)
		fd_close(&range.fd);
	d.size_bytes = range.length;
	return oci_image_load(b, &d, wish, s, e);
}

static bool lists_digest(const struct oci_document *index, const struct digest *digest)
{
	for (size_t i = 0; i < index->n; i++) {
		if (digest_equal(&index->entries[i].digest, digest))
			return true;
	}
	return false;
}

int layout_read_index(const struct fileset *f, struct oci_document *ret, struct err *e)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;
	int r = fileset_read(f, "oci-layout", JSON_MANIFEST_MAX, &text, e);

	if (r == -ENOENT)
		return err_set(e, ENOENT, "not an OCI layout (no file oci-layout)");
	if (r < 0)
		return r;
	r = oci_layout_check(strbuf_str(&text), text.len, e);
	if (r < 0)
		return err_wrap(e, "oci-layout");
	strbuf_reset(&text);
	r = fileset_read(f, "index.json", JSON_MANIFEST_MAX, &text, e);
	if (r < 0)
		return r;
	r = oci_document_parse(strbuf_str(&text), text.len, NULL, ret, e);
	if (r >= 0 && ret->kind != OCI_INDEX)
		r = err_set(e, EBADMSG, "not an image index");
	return r < 0 ? err_wrap(e, "index.json") : 0;
}

int layout_load(const struct fileset *f, const struct source_uri *u, const struct image_wish *wish,
		struct image_source *s, struct err *e)
{
	const struct oci_blobs blobs = {.files = f};
	_oci_document_ struct oci_document index = {0};
	const struct oci_descriptor *root = NULL;
	int r = layout_read_index(f, &index, e);

	if (r < 0)
		return r;
	if (u->select == SELECT_DIGEST && !lists_digest(&index, &u->digest))
		return load_by_digest(&blobs, &u->digest, wish, s, e);
	r = choose(&index, u, wish->platform, &root, e);
	return r < 0 ? r : oci_image_load(&blobs, root, wish, s, e);
}
