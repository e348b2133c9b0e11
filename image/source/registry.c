/* SPDX-License-Identifier: Apache-2.0 */
#include "image/source/registry.h"

#include <stdlib.h>
#include <time.h>

#include "image/model/digest.h"
#include "image/oci/fileset.h"
#include "image/import/index_ahead.h"
#include "runtime/base/json/json.h"
#include "image/oci/image.h"
#include "image/oci/config.h"
#include "image/oci/json.h"
#include "image/table/ref.h"
#include "image/registry/registry.h"
#include "image/source/source.h"
#include "image/store/store.h"
#include "image/registry/transfer.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/log.h"
#include "runtime/base/str.h"

#define SCHEME "docker://"

#define POLL_MS 100 /* how often another process is looked at that fetches what we need */

struct fetcher {
	struct registry *registry;
	const struct source_options *o;
	struct store *store;
	const struct image_ref *ref;
	char *name;                /* of the reference in the store */
	struct index_ahead *ahead; /* NULL: nothing is indexed while it comes */
	int *pins; /* blobs held, so that no pruning takes them before they are read */
	size_t n_pins;
};

bool registry_source_is(const char *uri, bool (*exists)(const char *path))
{
	static const char *const others[] = {"oci:", "oci-archive:", "docker-archive:", "tar:",
					     "dir:", "dockerd://",   "podman://"};
	static const char *const endings[] = {".tar",  ".tar.gz", ".tgz", ".tar.zst",
					      ".tzst", ".sqsh",   ".oci", ".squashfs"};
	_image_ref_ struct image_ref ref = {0};

	if (str_has_prefix(uri, SCHEME))
		return true;
	if (*uri == '/' || *uri == '.' || str_eq(uri, "-") || exists(uri))
		return false;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if (str_has_prefix(uri, others[i]))
			return false;
	}
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		if (str_has_suffix(uri, endings[i]))
			return false;
	}
	return image_ref_parse(uri, &ref, NULL) >= 0;
}

static int open_blob(void *arg, const struct digest *d, struct file_range *ret, struct err *e)
{
	const struct fetcher *f = arg;

	*ret = (struct file_range){.owns_fd = true};
	ret->fd = store_open_blob(f->store, d, &ret->length, e);
	return ret->fd < 0 ? ret->fd : 0;
}

static int missing(const struct fetcher *f, const char *what, const struct digest *d, struct err *e)
{
	return err_set(e, ENOENT,
		       "%s: %s %s:%.12s is not in the cache, and --offline forbids to fetch it",
		       f->name, what, d->alg, d->hex);
}

/*
 * A kept manifest has no Content-Type any more: that it agrees with the content is looked at here.
 */
static int keep_text(const struct fetcher *f, const struct registry_manifest *m, struct err *e)
{
	_oci_document_ struct oci_document doc = {0};
	int k = oci_document_parse(strbuf_str(&m->text), m->text.len, m->media_type, &doc, e);

	if (k < 0)
		return err_wrap(e, "image manifest");
	return store_add_blob(f->store, &m->digest, strbuf_str(&m->text), m->text.len, e);
}

/* Small things are looked at as a whole: a damaged one is fetched like a missing one. */
static bool have_text(const struct fetcher *f, const struct digest *d, size_t max)
{
	_strbuf_ struct strbuf text = STRBUF_INIT;

	return store_read_blob(f->store, d, max, &text, NULL) >= 0;
}

static int fetch_document(const struct fetcher *f, const struct digest *d, struct err *e)
{
	_registry_manifest_ struct registry_manifest m = {0};
	int k;

	if (have_text(f, d, JSON_MANIFEST_MAX))
		return 0;
	if (f->o->offline)
		return missing(f, "manifest", d, e);
	k = registry_get_manifest(f->registry, d, &m, e);
	return k < 0 ? k : keep_text(f, &m, e);
}

static int complete(void *arg, struct transfer_item *item, struct err *e)
{
	const struct fetcher *f = arg;

	return store_commit_blob(f->store, &item->digest, item->fd, e);
}

static void arrived(void *arg)
{
	const struct fetcher *f = arg;

	index_ahead_arrived(f->ahead);
}

static void show(void *arg, const struct transfer *t)
{
	const struct fetcher *f = arg;

	if (f->o->transfer_progress)
		f->o->transfer_progress(f->o->progress_arg, t);
}

static bool is_queued(const struct transfer *t, const struct digest *d)
{
	for (size_t i = 0; i < t->n; i++) {
		if (digest_equal(&t->items[i].digest, d))
			return true;
	}
	return false;
}

/* A blob that another process fetches at the moment. */
struct busy {
	const struct oci_descriptor *blob; /* NULL: nothing */
	uint64_t have_bytes;
};

/* Takes fd. */
static int pin(struct fetcher *f, int fd, struct err *e)
{
	int *pins = reallocarray(f->pins, f->n_pins + 1, sizeof(*pins));

	if (!pins) {
		fd_close(&fd);
		return err_oom(e);
	}
	f->pins = pins;
	pins[f->n_pins++] = fd;
	return 0;
}

/* One that was pruned just now is looked for once more. */
static int pin_present(struct fetcher *f, const struct oci_descriptor *d, struct busy *busy,
		       struct err *e)
{
	uint64_t bytes;
	int fd = store_open_blob(f->store, &d->digest, &bytes, NULL);

	if (fd >= 0)
		return pin(f, fd, e);
	if (f->o->offline)
		return missing(f, "blob", &d->digest, e);
	*busy = (struct busy){d, 0};
	return 0;
}

/* A layer may be there twice; it is fetched once. */
static int queue(struct fetcher *f, const struct oci_descriptor *d, bool is_layer,
		 struct transfer *t, struct busy *busy, struct err *e)
{
	uint64_t bytes = 0;
	int fd;

	if (is_queued(t, &d->digest))
		return 0;
	if (f->o->offline)
		return store_has_blob(f->store, &d->digest, d->size_bytes)
			       ? pin_present(f, d, busy, e)
			       : missing(f, "blob", &d->digest, e);
	fd = store_begin_blob(f->store, &d->digest, d->size_bytes, &bytes, e);
	if (fd == -EBUSY)
		*busy = (struct busy){d, bytes};
	if (fd < 0)
		return fd == -EBUSY ? 0 : fd;
	if (!fd)
		return pin_present(f, d, busy, e);
	t->items[t->n++] = (struct transfer_item){.digest = d->digest,
						  .size_bytes = d->size_bytes,
						  .foreign = d->foreign,
						  .is_layer = is_layer,
						  .fd = fd};
	return 0;
}

static int wait_a_moment(const struct fetcher *f, const struct busy *busy, struct err *e)
{
	const struct timespec pause = {.tv_nsec = POLL_MS * 1000000L};
	const _Atomic int *cancel = f->o->registry.cancel;

	if (f->o->waiting)
		f->o->waiting(f->o->progress_arg, &busy->blob->digest, busy->have_bytes,
			      busy->blob->size_bytes);
	nanosleep(&pause, NULL);
	return cancel && *cancel ? err_set(e, ECANCELED, "interrupted") : 0;
}

static int transfer(struct fetcher *f, struct transfer *t, struct err *e)
{
	struct index_ahead_options o = f->o->index;
	int k;

	o.store = f->store;
	index_ahead_start(&f->ahead, &o, t);
	k = transfer_fetch(t, e);
	index_ahead_stop(&f->ahead, k < 0);
	return k;
}

/*
 * One round: all blobs that no other process is at. While we wait for others we hold no blob, so
 * two imports never wait for each other.
 */
static int fetch_free(struct fetcher *f, const struct oci_descriptor *const *wanted, size_t n,
		      struct transfer *t, struct busy *busy, struct err *e)
{
	int k = 0;

	t->n = 0;
	*busy = (struct busy){0};
	for (size_t i = 0; i < n && k >= 0; i++)
		k = queue(f, wanted[i], i + 1 < n, t, busy, e); /* the last is the config */
	if (k >= 0 && t->n)
		k = transfer(f, t, e);
	else if (k >= 0 && busy->blob)
		k = wait_a_moment(f, busy, e);
	for (size_t i = 0; i < t->n; i++) {
		if (!t->items[i].complete || k < 0)
			fd_close(&t->items[i].fd);
		else
			k = pin(f, t->items[i].fd, e);
	}
	return k;
}

static void unpin(struct fetcher *f)
{
	for (size_t i = 0; i < f->n_pins; i++)
		fd_close(&f->pins[i]);
	f->n_pins = 0;
}

static int fetch_blobs(struct fetcher *f, const struct oci_descriptor *const *wanted, size_t n,
		       struct err *e)
{
	struct transfer t = {.registry = f->registry,
			     .connections = f->o->registry.connections,
			     .complete = complete,
			     .arrived = arrived,
			     .progress = show,
			     .arg = f};
	struct busy busy;
	int k;

	t.items = calloc(n, sizeof(*t.items));
	if (!t.items)
		return err_oom(e);
	/* Blobs that were held in a round are held again in the next. */
	do {
		unpin(f);
		k = fetch_free(f, wanted, n, &t, &busy, e);
	} while (k >= 0 && busy.blob);
	free(t.items);
	return k;
}

static int fetch(void *arg, const struct oci_descriptor *const *wanted, size_t n, struct err *e)
{
	struct fetcher *f = arg;

	if (n == 1 && (!wanted[0]->media_type || oci_kind_of(wanted[0]->media_type) >= 0))
		return fetch_document(f, &wanted[0]->digest, e);
	/* The last one is the config, which is small; a damaged one is dropped here. */
	if (n)
		have_text(f, &wanted[n - 1]->digest, JSON_CONFIG_MAX);
	return fetch_blobs(f, wanted, n, e);
}

static int get_root(const struct fetcher *f, struct digest *ret, struct err *e)
{
	_registry_manifest_ struct registry_manifest m = {0};
	int k = registry_get_manifest(f->registry, NULL, &m, e);

	if (k < 0)
		return k;
	*ret = m.digest;
	return keep_text(f, &m, e);
}

/*
 * By a digest nothing has to be asked. A tag that was never fetched is fetched; for one that was,
 * the registry is asked what it stands for now, and only another manifest than ours is fetched.
 */
static int find_root(struct fetcher *f, const struct image_wish *wish, struct digest *ret,
		     struct err *e)
{
	_registry_manifest_ struct registry_manifest head = {0};
	int k;

	if (digest_is_set(&f->ref->digest)) {
		*ret = f->ref->digest;
		return fetch_document(f, ret, e);
	}
	k = store_find_name(f->store, f->name, wish->platform, ret, e);
	if (f->o->offline)
		return k < 0 ? k : fetch_document(f, ret, e);
	if (k == -ENOENT)
		return get_root(f, ret, e);
	if (k >= 0)
		k = registry_head(f->registry, &head, e);
	if (k == -ENODATA)
		return get_root(f, ret, e);
	if (k < 0)
		return k;
	*ret = head.digest;
	return fetch_document(f, ret, e);
}

/* A manifest says what it is, or its config does. */
static const char *manifest_type(const struct strbuf *text)
{
	_oci_document_ struct oci_document doc = {0};

	if (oci_document_parse(strbuf_str(text), text->len, NULL, &doc, NULL) >= 0 &&
	    doc.config.media_type && strstr(doc.config.media_type, "vnd.docker"))
		return "application/vnd.docker.distribution.manifest.v2+json";
	return OCI_MEDIA_MANIFEST;
}

static int note_image(const struct fetcher *f, const struct image_source *s,
		      const struct digest *root, struct err *e)
{
	_image_config_ struct image_config c = {0};
	struct store_image image = {.name = f->name,
				    .manifest = s->manifest_digest,
				    .size_bytes = s->manifest.len,
				    .root = *root};
	struct err ignored = ERR_INIT;
	int k = image_config_parse(strbuf_str(&s->config), s->config.len, &c, e);

	if (k < 0)
		return err_wrap(e, "image config");
	image.media_type = (char *)(uintptr_t)manifest_type(&s->manifest);
	image.os = c.os;
	image.arch = c.arch;
	image.variant = c.variant;
	/* A full disk costs the next import a download, not this one its success. */
	if (store_put_image(f->store, &image, &ignored) < 0)
		log_trace("cache: %s", ignored.msg);
	return 0;
}

static struct oci_blobs blobs_of(struct fetcher *f)
{
	return (struct oci_blobs){.fetch = fetch, .open = open_blob, .arg = f};
}

/* The manifest or index the name stands for, which is in the store now. */
static int open_root(struct fetcher *f, const struct image_wish *wish, struct oci_descriptor *ret,
		     struct err *e)
{
	_close_ int fd = -1;
	int k;

	*ret = (struct oci_descriptor){0};
	k = find_root(f, wish, &ret->digest, e);
	if (k < 0)
		return k;
	fd = store_open_blob(f->store, &ret->digest, &ret->size_bytes, e);
	return fd < 0 ? fd : 0;
}

static int load(struct fetcher *f, const struct image_wish *wish, struct image_source *s,
		struct err *e)
{
	struct oci_blobs blobs = blobs_of(f);
	struct oci_descriptor root;
	int k = open_root(f, wish, &root, e);

	if (k >= 0)
		k = oci_image_load(&blobs, &root, wish, s, e);
	return k < 0 ? k : note_image(f, s, &root.digest, e);
}

static int resolve(struct fetcher *f, const struct image_wish *wish, struct digest *ret,
		   struct err *e)
{
	struct oci_blobs blobs = blobs_of(f);
	struct oci_descriptor root;
	int k = open_root(f, wish, &root, e);

	return k < 0 ? k : oci_image_resolve(&blobs, &root, wish, ret, e);
}

static char *name_of(const struct image_ref *r)
{
	const char *registry = str_eq(r->registry, REF_HUB) ? "docker.io" : r->registry;
	char digest[DIGEST_TEXT_MAX];

	if (digest_is_set(&r->digest))
		return str_printf("%s/%s@%s", registry, r->repository,
				  digest_format(&r->digest, digest));
	return str_printf("%s/%s:%s", registry, r->repository, r->tag);
}

/* Opens what a URI names; the caller closes f->registry and frees f->name. */
static int open_fetcher(struct fetcher *f, const char *uri, struct image_ref *ref,
			const struct source_options *o, struct err *e)
{
	const char *text = str_has_prefix(uri, SCHEME) ? uri + strlen(SCHEME) : uri;
	int k = image_ref_parse(text, ref, e);

	*f = (struct fetcher){.o = o, .store = o->store, .ref = ref};
	if (k < 0)
		return k;
	f->name = name_of(ref);
	if (!f->name)
		return err_oom(e);
	return o->offline ? 0 : registry_open(&f->registry, ref, &o->registry, e);
}

static void close_fetcher(struct fetcher *f)
{
	unpin(f);
	free(f->pins);
	registry_close(&f->registry);
	free(f->name);
}

char *registry_source_name(const char *uri)
{
	const char *text = str_has_prefix(uri, SCHEME) ? uri + strlen(SCHEME) : uri;
	_image_ref_ struct image_ref ref = {0};

	return image_ref_parse(text, &ref, NULL) < 0 ? NULL : image_ref_output_name(&ref);
}

int registry_source_load(const char *uri, const struct source_options *o,
			 const struct image_wish *wish, struct image_source *s, struct err *e)
{
	_image_ref_ struct image_ref ref = {0};
	struct fetcher f;
	int k = open_fetcher(&f, uri, &ref, o, e);

	if (k >= 0) {
		s->store = o->store;
		s->ref = strdup(uri);
		s->name = image_ref_output_name(&ref);
		k = s->ref && s->name ? load(&f, wish, s, e) : err_oom(e);
	}
	close_fetcher(&f);
	return k;
}

int registry_source_digest(const char *uri, const struct source_options *o,
			   const struct image_wish *wish, struct digest *ret, struct err *e)
{
	_image_ref_ struct image_ref ref = {0};
	struct fetcher f;
	int k = open_fetcher(&f, uri, &ref, o, e);

	if (k >= 0)
		k = resolve(&f, wish, ret, e);
	close_fetcher(&f);
	return k;
}
