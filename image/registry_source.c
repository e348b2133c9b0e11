/* SPDX-License-Identifier: Apache-2.0 */
#include "image/registry_source.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "image/digest.h"
#include "image/fileset.h"
#include "image/oci_image.h"
#include "image/oci_json.h"
#include "image/ref.h"
#include "image/registry.h"
#include "image/source.h"
#include "image/transfer.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/str.h"

#define SCHEME "docker://"

struct fetcher {
	struct registry *registry;
	const struct source_options *o;
	int dirfd; /* blobs/ALG/HEX below it */
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

/* A new file without a name in the directory of an algorithm. */
static int open_new(const struct fetcher *f, const struct digest *d, struct err *e)
{
	char dir[32];
	int fd;

	snprintf(dir, sizeof(dir), "blobs/%s", d->alg);
	if ((mkdirat(f->dirfd, "blobs", 0700) < 0 && errno != EEXIST) ||
	    (mkdirat(f->dirfd, dir, 0700) < 0 && errno != EEXIST))
		return err_sys(e, "%s", dir);
	fd = openat(f->dirfd, dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	return fd < 0 ? err_sys(e, "new file in %s", dir) : fd;
}

static char *blob_path(const struct digest *d)
{
	return str_printf("blobs/%s/%s", d->alg, d->hex);
}

/* Gives a complete file its name; whoever was faster wrote the same. */
static int name_blob(const struct fetcher *f, int fd, const struct digest *d, struct err *e)
{
	_free_ char *name = blob_path(d);
	char self[40];

	if (!name)
		return err_set(e, ENOMEM, "out of memory");
	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	if (linkat(AT_FDCWD, self, f->dirfd, name, AT_SYMLINK_FOLLOW) < 0 && errno != EEXIST)
		return err_sys(e, "%s", name);
	return 0;
}

static bool have_blob(const struct fetcher *f, const struct oci_descriptor *d)
{
	_free_ char *name = blob_path(&d->digest);
	struct stat st;

	return name && !fstatat(f->dirfd, name, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode) &&
	       (uint64_t)st.st_size == d->size_bytes;
}

static int keep_text(const struct fetcher *f, const struct registry_manifest *m, struct err *e)
{
	_close_ int fd = open_new(f, &m->digest, e);
	int k = fd < 0 ? fd : io_write_all(fd, strbuf_str(&m->text), m->text.len, e);

	return k < 0 ? k : name_blob(f, fd, &m->digest, e);
}

static int fetch_document(const struct fetcher *f, const struct oci_descriptor *d, struct err *e)
{
	_registry_manifest_ struct registry_manifest m = {0};
	int k = registry_get_manifest(f->registry, &d->digest, &m, e);

	return k < 0 ? k : keep_text(f, &m, e);
}

static int complete(void *arg, struct transfer_item *item, struct err *e)
{
	return name_blob(arg, item->fd, &item->digest, e);
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

/* A layer may be there twice; it is fetched once. */
static int queue(const struct fetcher *f, const struct oci_descriptor *d, struct transfer *t,
		 struct err *e)
{
	struct transfer_item *item = &t->items[t->n];

	if (have_blob(f, d) || is_queued(t, &d->digest))
		return 0;
	*item = (struct transfer_item){
		.digest = d->digest, .size_bytes = d->size_bytes, .foreign = d->foreign};
	item->fd = open_new(f, &d->digest, e);
	if (item->fd < 0)
		return item->fd;
	t->n++;
	return 0;
}

static int fetch(void *arg, const struct oci_descriptor *const *wanted, size_t n, struct err *e)
{
	struct fetcher *f = arg;
	struct transfer t = {.registry = f->registry,
			     .connections = f->o->registry.connections,
			     .complete = complete,
			     .progress = show,
			     .arg = f};
	int k = 0;

	if (n == 1 && oci_kind_of(wanted[0]->media_type) >= 0)
		return have_blob(f, wanted[0]) ? 0 : fetch_document(f, wanted[0], e);
	t.items = calloc(n, sizeof(*t.items));
	if (!t.items)
		return err_set(e, ENOMEM, "out of memory");
	for (size_t i = 0; i < n && k >= 0; i++)
		k = queue(f, wanted[i], &t, e);
	if (k >= 0)
		k = transfer_fetch(&t, e);
	for (size_t i = 0; i < t.n; i++)
		fd_close(&t.items[i].fd);
	free(t.items);
	return k;
}

static int load(struct fetcher *f, const struct image_wish *wish, struct image_source *s,
		struct err *e)
{
	_registry_manifest_ struct registry_manifest m = {0};
	_fileset_ struct fileset files = {.fd = -1};
	struct oci_blobs blobs = {.files = &files, .fetch = fetch, .arg = f};
	struct oci_descriptor root;
	int k = registry_get_manifest(f->registry, NULL, &m, e);

	if (k >= 0)
		k = keep_text(f, &m, e);
	if (k < 0)
		return k;
	root = (struct oci_descriptor){
		.media_type = m.media_type, .digest = m.digest, .size_bytes = m.size_bytes};
	fileset_open_directory(&files, f->dirfd);
	return oci_image_load(&blobs, &root, wish, s, e);
}

int registry_source_load(const char *uri, const struct source_options *o,
			 const struct image_wish *wish, struct image_source *s, struct err *e)
{
	const char *text = str_has_prefix(uri, SCHEME) ? uri + strlen(SCHEME) : uri;
	_image_ref_ struct image_ref ref = {0};
	_registry_ struct registry *registry = NULL;
	struct fetcher f = {.o = o, .dirfd = o->blobs_dirfd};
	int k = image_ref_parse(text, &ref, e);

	if (k < 0)
		return k;
	s->ref = strdup(uri);
	s->name = image_ref_output_name(&ref);
	if (!s->ref || !s->name)
		return err_set(e, ENOMEM, "out of memory");
	k = registry_open(&registry, &ref, &o->registry, e);
	f.registry = registry;
	return k < 0 ? k : load(&f, wish, s, e);
}
