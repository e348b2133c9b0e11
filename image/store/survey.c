/* SPDX-License-Identifier: Apache-2.0 */
#include "image/store/survey.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "image/model/digest.h"
#include "runtime/base/json/json.h"
#include "image/oci/json.h"
#include "image/store/priv.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct survey_blob *)a)->name, ((const struct survey_blob *)b)->name);
}

static int by_use(const void *a, const void *b)
{
	uint64_t x = ((const struct survey_image *)a)->usage.used_s;
	uint64_t y = ((const struct survey_image *)b)->usage.used_s;

	return x < y ? 1 : x > y ? -1 : 0;
}

struct survey_blob *survey_find(const struct survey *v, const char *name)
{
	struct survey_blob key;

	snprintf(key.name, sizeof(key.name), "%s", name);
	return v->n_blobs ? bsearch(&key, v->blobs, v->n_blobs, sizeof(key), by_name) : NULL;
}

static int add_blob(struct survey *v, int dirfd, const char *alg, const char *hex, struct err *e)
{
	_close_ int fd = openat(dirfd, hex, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct survey_blob b = {.refs = 0}, *blobs;
	char text[DIGEST_TEXT_MAX];
	struct stat st;

	snprintf(text, sizeof(text), "%s:%s", alg, hex);
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) ||
	    digest_parse(text, &b.digest, NULL) < 0)
		return 0;
	b.in_use = flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK;
	b.bytes = (uint64_t)st.st_size;
	b.used_s = st.st_mtime > 0 ? (uint64_t)st.st_mtime : 0;
	snprintf(b.name, sizeof(b.name), "%s-%s", b.digest.alg, b.digest.hex);
	blobs = reallocarray(v->blobs, v->n_blobs + 1, sizeof(*blobs));
	if (!blobs)
		return err_oom(e);
	v->blobs = blobs;
	blobs[v->n_blobs++] = b;
	return 0;
}

static int add_blobs_of(struct survey *v, struct store *s, const char *alg, struct err *e)
{
	char path[32];
	const struct dirent *d;
	DIR *dir;
	int fd, r = 0;

	snprintf(path, sizeof(path), "blobs/%s", alg);
	fd = openat(s->own.oci, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir) {
		fd_close(&fd);
		return 0;
	}
	while (r >= 0 && (d = readdir(dir)))
		r = str_is_dots(d->d_name) ? 0 : add_blob(v, dirfd(dir), alg, d->d_name, e);
	closedir(dir);
	return r;
}

/* Counts a blob for an image, once. */
static void count(struct survey *v, struct survey_image *image, const struct digest *d)
{
	char name[DIGEST_TEXT_MAX];
	struct survey_blob *b;
	uint32_t place;

	snprintf(name, sizeof(name), "%s-%s", d->alg, d->hex);
	b = survey_find(v, name);
	if (!b) {
		image->usage.complete = false;
		return;
	}
	place = (uint32_t)(b - v->blobs);
	for (size_t i = 0; i < image->n_blobs; i++) {
		if (image->blobs[i] == place)
			return;
	}
	image->blobs[image->n_blobs++] = place;
	image->usage.bytes += b->bytes;
	image->usage.in_use = image->usage.in_use || b->in_use;
	b->refs++;
	b->had_image = true;
}

/* The manifest without a trace of use; 0 and an empty document when it is not there or damaged. */
static int read_manifest(struct store *s, struct store_usage *u, struct oci_document *ret)
{
	_free_ char *path = store_blob_path(&u->image.manifest);
	_strbuf_ struct strbuf text = STRBUF_INIT;
	struct stat st;

	*ret = (struct oci_document){0};
	if (!path || fstatat(s->own.oci, path, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
	    io_read_file_at(s->own.oci, path, JSON_MANIFEST_MAX, &text, NULL) < 0 ||
	    digest_verify(strbuf_str(&text), text.len, &u->image.manifest, NULL) < 0)
		return -ENOENT;
	u->used_s = st.st_mtime > 0 ? (uint64_t)st.st_mtime : 0;
	return oci_document_parse(strbuf_str(&text), text.len, NULL, ret, NULL);
}

static int add_image(struct survey *v, struct store *s, const struct store_image *image,
		     size_t place, struct err *e)
{
	struct survey_image *i = &v->images[v->n_images];
	_oci_document_ struct oci_document doc = {0};

	*i = (struct survey_image){.usage = {.image = *image, .complete = true}, .place = place};
	if (read_manifest(s, &i->usage, &doc) < 0 || doc.kind != OCI_MANIFEST)
		i->usage.complete = false;
	i->blobs = calloc(doc.n + 3, sizeof(*i->blobs));
	if (!i->blobs)
		return err_oom(e);
	v->n_images++;
	count(v, i, &image->manifest);
	if (!digest_equal(&image->root, &image->manifest))
		count(v, i, &image->root);
	if (digest_is_set(&doc.config.digest))
		count(v, i, &doc.config.digest);
	for (size_t k = 0; k < doc.n; k++)
		count(v, i, &doc.entries[k].digest);
	return 0;
}

static void count_own(struct survey *v)
{
	for (size_t i = 0; i < v->n_images; i++) {
		struct survey_image *image = &v->images[i];

		for (size_t k = 0; k < image->n_blobs; k++) {
			const struct survey_blob *b = &v->blobs[image->blobs[k]];

			if (b->refs == 1)
				image->usage.own_bytes += b->bytes;
		}
	}
}

int survey_make(struct survey *v, struct store *s, const struct store_images *l, struct err *e)
{
	int r;

	*v = (struct survey){0};
	r = add_blobs_of(v, s, "sha256", e);
	if (r >= 0)
		r = add_blobs_of(v, s, "sha512", e);
	if (r < 0)
		return r;
	if (v->n_blobs)
		qsort(v->blobs, v->n_blobs, sizeof(*v->blobs), by_name);
	v->images = calloc(l->n + 1, sizeof(*v->images));
	if (!v->images)
		return err_oom(e);
	for (size_t i = 0; i < l->n && r >= 0; i++)
		r = add_image(v, s, &l->items[i], i, e);
	count_own(v);
	if (v->n_images)
		qsort(v->images, v->n_images, sizeof(*v->images), by_use);
	return r;
}

void survey_free(struct survey *v)
{
	for (size_t i = 0; i < v->n_images; i++)
		free(v->images[i].blobs);
	free(v->images);
	free(v->blobs);
	*v = (struct survey){0};
}

uint64_t survey_bytes(const struct survey *v)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < v->n_blobs; i++)
		bytes += v->blobs[i].refs ? v->blobs[i].bytes : 0;
	return bytes;
}

void survey_drop(struct survey *v, struct survey_image *image)
{
	for (size_t k = 0; k < image->n_blobs; k++)
		v->blobs[image->blobs[k]].refs--;
	image->n_blobs = 0;
}

/* All regular files of a directory. */
static uint64_t directory_bytes(int dir_fd)
{
	int fd = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *d;
	uint64_t bytes = 0;
	struct stat st;

	if (!dir)
		fd_close(&fd);
	while (dir && (d = readdir(dir))) {
		if (!fstatat(dir_fd, d->d_name, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode))
			bytes += (uint64_t)st.st_size;
	}
	if (dir)
		closedir(dir);
	return bytes;
}

int store_report(struct store *s, struct store_report *ret, struct err *e)
{
	struct store_images l;
	struct survey v;
	int r = store_images(s, &l, e);

	*ret = (struct store_report){0};
	if (r < 0)
		return r;
	r = survey_make(&v, s, &l, e);
	ret->items = r < 0 ? NULL : calloc(v.n_images + 1, sizeof(*ret->items));
	if (r >= 0 && !ret->items)
		r = err_oom(e);
	for (size_t i = 0; r >= 0 && i < v.n_images; i++) {
		ret->items[ret->n++] = v.images[i].usage;
		l.items[v.images[i].place] = (struct store_image){0}; /* its strings moved */
	}
	for (size_t i = 0; r >= 0 && i < v.n_blobs; i++)
		ret->total_bytes += v.blobs[i].bytes;
	ret->total_bytes += directory_bytes(s->own.partial) + directory_bytes(s->own.indexes);
	survey_free(&v);
	store_images_free(&l);
	return r;
}

void store_report_free(struct store_report *r)
{
	for (size_t i = 0; i < r->n; i++)
		store_image_free(&r->items[i].image);
	free(r->items);
	*r = (struct store_report){0};
}
