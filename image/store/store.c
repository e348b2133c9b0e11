/* SPDX-License-Identifier: Apache-2.0 */
#include "image/store/store.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "image/model/digest.h"
#include "image/store/priv.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/log.h"
#include "runtime/base/path.h"

#define CHUNK (256u << 10)

static const char layout_text[] = "{\"imageLayoutVersion\":\"1.0.0\"}";
static const char empty_index[] = "{\"schemaVersion\":2,\"manifests\":[]}";

char *store_blob_path(const struct digest *d)
{
	return str_printf("blobs/%s/%s", d->alg, d->hex);
}

char *store_flat_name(const struct digest *d, const char *suffix)
{
	return str_printf("%s-%s%s", d->alg, d->hex, suffix);
}

static int make_layout(int oci, struct err *e)
{
	struct io_replace layout = {.dirfd = oci, .name = "oci-layout", .mode = 0600};
	struct io_replace index = {.dirfd = oci, .name = STORE_INDEX_JSON, .mode = 0600};
	int r = 0;

	if ((mkdirat(oci, "blobs", 0700) < 0 && errno != EEXIST) ||
	    (mkdirat(oci, "blobs/sha256", 0700) < 0 && errno != EEXIST))
		return err_sys(e, "make directory oci/blobs");
	if (faccessat(oci, "oci-layout", F_OK, 0) < 0)
		r = io_write_file_at(&layout, layout_text, sizeof(layout_text) - 1, e);
	if ((r >= 0 || r == -EEXIST) && faccessat(oci, STORE_INDEX_JSON, F_OK, 0) < 0)
		r = io_write_file_at(&index, empty_index, sizeof(empty_index) - 1, e);
	return r == -EEXIST ? 0 : r;
}

static int open_shared(int top, const char *sub)
{
	return openat(top, sub, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* A file that others can write to proves nothing about the names in a layer. */
static bool is_trusted(int fd)
{
	struct stat st;

	return fd >= 0 && !fstat(fd, &st) && !(st.st_mode & 0022) &&
	       (!st.st_uid || st.st_uid == geteuid());
}

int store_open(struct store **ret, const char *path, const char *shared, struct err *e)
{
	_store_ struct store *s = calloc(1, sizeof(*s));
	_close_ int top = shared ? path_open_output_dir(shared, NULL, NULL) : -1;
	_close_ int base = -1;
	int r;

	if (!s)
		return err_oom(e);
	s->own = s->shared = (struct store_dirs){-1, -1, -1};
	r = base = path_open_private_dir(path, e);
	if (r >= 0)
		r = s->own.oci = path_open_private_at(base, path, "oci", e);
	if (r >= 0)
		r = s->own.partial = path_open_private_at(base, path, "partial", e);
	if (r >= 0)
		r = s->own.indexes = path_open_private_at(base, path, "indexes", e);
	if (r >= 0)
		r = make_layout(s->own.oci, e);
	if (r < 0)
		return err_wrap(e, "cache");
	if (top >= 0) {
		s->shared.oci = open_shared(top, "oci");
		s->shared.indexes = open_shared(top, "indexes");
		if (!is_trusted(s->shared.indexes))
			fd_close(&s->shared.indexes);
	}
	*ret = take_ptr(s);
	return 0;
}

static void close_dirs(struct store_dirs *d)
{
	fd_close(&d->oci);
	fd_close(&d->partial);
	fd_close(&d->indexes);
}

void store_close(struct store **sp)
{
	struct store *s = *sp;

	*sp = NULL;
	if (!s)
		return;
	close_dirs(&s->own);
	close_dirs(&s->shared);
	strv_free(&s->refused);
	free(s);
}

static bool is_refused(const struct store *s, const struct digest *d)
{
	char text[DIGEST_TEXT_MAX];

	digest_format(d, text);
	for (size_t i = 0; i < s->refused.n; i++) {
		if (str_eq(s->refused.items[i], text))
			return true;
	}
	return false;
}

static int open_in(int oci, const struct digest *d)
{
	_free_ char *name = store_blob_path(d);
	_close_ int fd = -1;
	struct stat st;

	if (oci < 0 || !name)
		return -ENOENT;
	fd = openat(oci, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return -ENOENT;
	return take_fd(&fd);
}

int store_open_blob(struct store *s, const struct digest *d, uint64_t *ret_bytes, struct err *e)
{
	static const struct timespec now[2] = {{.tv_nsec = UTIME_NOW}, {.tv_nsec = UTIME_NOW}};
	_close_ int fd = is_refused(s, d) ? -1 : open_in(s->shared.oci, d);
	struct stat st;

	if (fd < 0) {
		fd = open_in(s->own.oci, d);
		/* The time of the last use is what pruning goes by. */
		if (fd >= 0 && futimens(fd, now) < 0)
			log_trace("cache: cannot note the use of a blob: %m");
	}
	if (fd < 0)
		return err_set(e, ENOENT, "%s:%.12s is not in the cache", d->alg, d->hex);
	if (flock(fd, LOCK_SH | LOCK_NB) < 0)
		log_trace("cache: blob %.12s is locked: %m", d->hex);
	if (fstat(fd, &st) < 0)
		return err_sys(e, "stat blob");
	*ret_bytes = (uint64_t)st.st_size;
	return take_fd(&fd);
}

void store_drop_blob(struct store *s, const struct digest *d)
{
	_free_ char *name = store_blob_path(d);
	char text[DIGEST_TEXT_MAX];

	strv_add(&s->refused, digest_format(d, text));
	if (name)
		unlinkat(s->own.oci, name, 0);
}

bool store_has_blob(struct store *s, const struct digest *d, uint64_t size_bytes)
{
	/* A wrong one in the shared directory hides the right one that came for it: two tries. */
	for (int i = 0; i < 2; i++) {
		uint64_t bytes;
		_close_ int fd = store_open_blob(s, d, &bytes, NULL);

		if (fd < 0)
			return false;
		if (size_bytes == UINT64_MAX || bytes == size_bytes)
			return true;
		store_drop_blob(s, d);
	}
	return false;
}

int store_read_blob(struct store *s, const struct digest *d, size_t max, struct strbuf *out,
		    struct err *e)
{
	uint64_t bytes;
	int fd, r;

	while ((fd = store_open_blob(s, d, &bytes, e)) >= 0) {
		strbuf_reset(out);
		r = io_read_all(fd, max, out, e);
		fd_close(&fd);
		if (r >= 0)
			r = digest_verify(strbuf_str(out), out->len, d, e);
		if (r >= 0 || r == -ENOMEM || is_refused(s, d))
			return r;
		store_drop_blob(s, d);
	}
	return fd;
}

int store_check_blob(int fd, const struct digest *d, struct err *e)
{
	_free_ char *buf = malloc(CHUNK);
	_digest_ctx_ struct digest_ctx hash = DIGEST_CTX_INIT;
	struct digest got;
	off_t at = 0;
	int r = buf ? digest_init(&hash, d->alg, e) : err_oom(e);

	while (r >= 0) {
		ssize_t n = pread(fd, buf, CHUNK, at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(e, "read");
		if (!n)
			break;
		digest_update(&hash, buf, (size_t)n);
		at += n;
	}
	if (r >= 0)
		r = digest_final(&hash, &got, e);
	return r < 0 ? r : digest_equal(&got, d);
}

/* Opens the file of that name, again when it was renamed or removed before it was locked. */
static int open_partial(struct store *s, const char *name, uint64_t *ret_bytes, struct err *e)
{
	for (;;) {
		_close_ int fd = openat(s->own.partial, name,
					O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
		struct stat st, there;

		if (fd < 0 || fstat(fd, &st) < 0)
			return err_sys(e, "cache: partial/%.19s", name);
		*ret_bytes = (uint64_t)st.st_size;
		if (flock(fd, LOCK_EX | LOCK_NB) < 0)
			return errno == EWOULDBLOCK ? err_set(e, EBUSY, "another import fetches it")
						    : err_sys(e, "cache: lock");
		if (!fstatat(s->own.partial, name, &there, AT_SYMLINK_NOFOLLOW) &&
		    there.st_dev == st.st_dev && there.st_ino == st.st_ino)
			return take_fd(&fd);
	}
}

int store_begin_blob(struct store *s, const struct digest *d, uint64_t size_bytes,
		     uint64_t *ret_bytes, struct err *e)
{
	_free_ char *name = store_flat_name(d, "");
	int fd;

	if (!name)
		return err_oom(e);
	if (store_has_blob(s, d, size_bytes))
		return 0;
	fd = open_partial(s, name, ret_bytes, e);
	if (fd < 0)
		return fd;
	/* It may have been completed between the look and the lock. */
	if (!store_has_blob(s, d, size_bytes))
		return fd;
	unlinkat(s->own.partial, name, 0);
	fd_close(&fd);
	return 0;
}

int store_commit_blob(struct store *s, const struct digest *d, int fd, struct err *e)
{
	_free_ char *name = store_flat_name(d, ""), *path = store_blob_path(d);
	_free_ char *dir = str_printf("blobs/%s", d->alg);

	if (!name || !path || !dir)
		return err_oom(e);
	if (mkdirat(s->own.oci, dir, 0700) < 0 && errno != EEXIST)
		return err_sys(e, "cache: %s", dir);
	if (renameat(s->own.partial, name, s->own.oci, path) < 0)
		return err_sys(e, "cache: %.30s", path);
	if (flock(fd, LOCK_SH | LOCK_NB) < 0)
		log_trace("cache: lock: %m");
	return 0;
}

int store_add_blob(struct store *s, const struct digest *d, const void *data, size_t len,
		   struct err *e)
{
	_free_ char *path = store_blob_path(d), *dir = str_printf("blobs/%s", d->alg);
	const struct io_replace where = {
		.dirfd = s->own.oci, .name = path, .mode = 0600, .replace = 1};
	int r;

	if (!path || !dir)
		return err_oom(e);
	if (mkdirat(s->own.oci, dir, 0700) < 0 && errno != EEXIST)
		return err_sys(e, "cache: %s", dir);
	/* Small: two that do it at once do it twice, and both have it afterwards. */
	r = io_write_file_at(&where, data, len, e);
	return r < 0 ? err_wrap(e, "cache") : 0;
}
