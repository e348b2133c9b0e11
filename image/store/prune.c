/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The blobs in the store, and the images that need them. First the images are counted out: each
 * names a manifest, a config and layers, and blobs know how many images have them. Then images go,
 * and with them blobs that no image has any more. Entries of index.json go before their blobs: a
 * reader that comes in between finds no entry, or finds one and fetches what is missing.
 */
#include "image/store/store.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

#include "image/model/digest.h"
#include "image/store/priv.h"
#include "image/store/survey.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"

#define PARTIAL_KEPT_S 86400u /* an import that was killed may be tried again until then */

/* An import that has just stored a manifest has not opened it yet, nor noted its image. */
#define DOCUMENT_BYTES (64u << 10)
#define DOCUMENT_KEPT_S 60u

static bool may_be_awaited(const struct survey_blob *b, uint64_t now_s)
{
	return !b->had_image && b->bytes <= DOCUMENT_BYTES && now_s < b->used_s + DOCUMENT_KEPT_S;
}

/* Removes a file that no process has locked. Its size, 0 when it stays. */
static uint64_t remove_free(int dirfd, const char *name, bool dry_run)
{
	_close_ int fd = openat(dirfd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 ||
	    (flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK))
		return 0;
	if (!dry_run && unlinkat(dirfd, name, 0) < 0)
		return 0;
	return (uint64_t)st.st_size;
}

static DIR *open_dir(int dirfd)
{
	int fd = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);

	if (!d)
		fd_close(&fd);
	return d;
}

/* left_bytes: the bytes that the images leave of the limit. */
static uint64_t remove_partials(const struct store *s, uint64_t left_bytes, bool dry_run)
{
	DIR *dir = open_dir(s->own.partial);
	time_t now = time(NULL);
	const struct dirent *d;
	uint64_t freed = 0;

	while (dir && (d = readdir(dir))) {
		struct stat st;

		if (str_is_dots(d->d_name) ||
		    fstatat(s->own.partial, d->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		if (now - st.st_mtime < PARTIAL_KEPT_S && (uint64_t)st.st_size <= left_bytes) {
			left_bytes -= (uint64_t)st.st_size;
			continue;
		}
		freed += remove_free(s->own.partial, d->d_name, dry_run);
	}
	if (dir)
		closedir(dir);
	return freed;
}

/* The index of a layer goes with the layer. */
static uint64_t remove_indexes(const struct store *s, const struct survey *v, bool dry_run)
{
	DIR *dir = open_dir(s->own.indexes);
	const struct dirent *d;
	uint64_t freed = 0;

	while (dir && (d = readdir(dir))) {
		const struct survey_blob *b;
		char name[DIGEST_TEXT_MAX];

		if (str_is_dots(d->d_name))
			continue;
		/* "sha256-HEX" and "sha256-HEX-c" */
		snprintf(name, sizeof(name), "%.*s",
			 (int)(strlen(d->d_name) - (str_has_suffix(d->d_name, "-c") ? 2 : 0)),
			 d->d_name);
		b = survey_find(v, name);
		if (!b || !b->refs)
			freed += remove_free(s->own.indexes, d->d_name, dry_run);
	}
	if (dir)
		closedir(dir);
	return freed;
}

static uint64_t remove_blobs(const struct store *s, struct survey *v, bool dry_run)
{
	uint64_t freed = 0, now_s = (uint64_t)time(NULL);

	for (size_t i = 0; i < v->n_blobs; i++) {
		_free_ char *path = NULL;

		if (v->blobs[i].refs || may_be_awaited(&v->blobs[i], now_s))
			continue;
		path = store_blob_path(&v->blobs[i].digest);
		if (path)
			freed += remove_free(s->own.oci, path, dry_run);
	}
	return freed;
}

struct pruning {
	struct store *s;
	const struct store_prune *how;
	struct survey survey;
};

static bool must_go(const struct pruning *p, const struct store_usage *u, uint64_t now_s)
{
	const struct store_prune *how = p->how;

	if (u->in_use)
		return false;
	if (how->unused_s && now_s >= u->used_s && now_s - u->used_s >= how->unused_s)
		return true;
	return survey_bytes(&p->survey) > how->max_bytes;
}

/* Decides which entries stay in index.json; those used last come first in the survey. */
static int drop_images(void *arg, struct store_images *l, bool *ret_changed, struct err *e)
{
	struct pruning *p = arg;
	uint64_t now_s = (uint64_t)time(NULL);
	int r = survey_make(&p->survey, p->s, l, e);

	for (size_t i = p->survey.n_images; r >= 0 && i-- > 0;) {
		struct survey_image *image = &p->survey.images[i];

		if (!must_go(p, &image->usage, now_s))
			continue;
		if (p->how->tell)
			p->how->tell(p->how->arg, &image->usage);
		survey_drop(&p->survey, image);
		store_image_free(&l->items[image->place]);
		*ret_changed = true;
	}
	if (*ret_changed && p->how->dry_run)
		*ret_changed = false;
	return r < 0 ? r : store_images_pack(l);
}

int store_prune(struct store *s, const struct store_prune *how, uint64_t *ret_freed_bytes,
		struct err *e)
{
	struct pruning p = {.s = s, .how = how};
	uint64_t kept;
	int r = store_change_images(s, drop_images, &p, e);

	*ret_freed_bytes = 0;
	if (r >= 0) {
		*ret_freed_bytes = remove_blobs(s, &p.survey, how->dry_run);
		*ret_freed_bytes += remove_indexes(s, &p.survey, how->dry_run);
		kept = survey_bytes(&p.survey);
		*ret_freed_bytes += remove_partials(
			s, kept < how->max_bytes ? how->max_bytes - kept : 0, how->dry_run);
	}
	survey_free(&p.survey);
	return r;
}
