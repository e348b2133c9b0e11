/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/record/container_store.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/spec/name.h"
#include "runtime/settings/paths.h"
#include "runtime/kernel/temp_dir.h"
#include "runtime/spec/image_id.h"

int container_store_open_dir(const struct paths *p, struct err *e)
{
	return paths_open(p->data, "containers", e);
}

/* --- open --------------------------------------------------------------------------------- */

/* The whole record, malloc'ed. Nearly all fit the first read, which list does 10,000 times. */
static int read_record(int fd, char **ret_buf, size_t *ret_len, struct err *e)
{
	_strbuf_ struct strbuf all = STRBUF_INIT;
	char first[8192];
	ssize_t n = read(fd, first, sizeof(first));
	int r = 0;

	if (n < 0)
		return err_sys(e, "record");
	strbuf_add(&all, first, (size_t)n);
	if (n == sizeof(first))
		r = io_read_all(fd, CONTAINER_RECORD_BYTES_MAX, &all, e);
	*ret_len = all.len;
	*ret_buf = r < 0 ? NULL : strbuf_take(&all);
	if (r >= 0 && !*ret_buf)
		r = err_oom(e);
	return r;
}

/* A directory without a record: a disk was full, or somebody made it by hand. */
static int no_record(int dirfd, const char *name, struct err *e)
{
	struct stat st;

	if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return container_missing(e);
	return err_set(e, EBADMSG, "damaged record: there is none");
}

int container_store_read(int dirfd, const char *name, struct container_record *ret, struct err *e)
{
	char path[NAME_BYTES_MAX + sizeof("/record")], *buf = NULL;
	_close_ int fd = -1;
	size_t len = 0;
	int r;

	snprintf(path, sizeof(path), "%s/record", name);
	fd = openat(dirfd, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	if (fd >= 0)
		r = read_record(fd, &buf, &len, e);
	else
		r = errno == ENOENT || errno == ENOTDIR ? no_record(dirfd, name, e)
							: err_sys(e, "record");
	if (r >= 0)
		r = container_record_decode(ret, buf, len, e);
	if (r == -EBADMSG || r == -EPROTO)
		err_append(e, "create -f makes the container new, remove deletes it");
	return r;
}

int container_store_check_id(int dirfd, const char *name, const char *container_id, struct err *e)
{
	struct container_record now = {0};
	int r = container_store_read(dirfd, name, &now, e);

	if (r >= 0 && !(now.container_id && str_eq(now.container_id, container_id)))
		r = container_missing(e);
	container_record_free(&now);
	return r;
}

int container_store_open(const struct paths *p, const char *name, struct container_record *ret,
			 struct err *e)
{
	_close_ int dirfd = -1;
	int r = name_check(name, e);

	if (r < 0)
		return r;
	dirfd = container_store_open_dir(p, e);
	return dirfd < 0 ? dirfd : container_store_read(dirfd, name, ret, e);
}

/* Opens the pin, or the path of an image without one; the caller looks later if it is still the
 * same. */
static int open_pinned(const struct container_record *r, const char *path, struct err *e)
{
	int flags = r->kind == ROOTFS_DIRECTORY ? O_PATH | O_DIRECTORY
						: O_RDONLY | O_NONBLOCK | O_NOCTTY;
	int fd = open(path, flags | O_CLOEXEC);

	if (fd < 0 && errno == ENOENT && r->pin == PIN_PATH)
		return err_set(e, ENOENT,
			       "%s: the image is gone: it could not be pinned, so it must stay",
			       path);
	return fd < 0 ? err_sys(e, "%s", path) : fd;
}

int container_store_open_image(const struct paths *p, const char *name,
			       const struct container_record *r, char **ret_path,
			       struct image_id *ret_id, struct err *e)
{
	_free_ char *path = NULL;
	_close_ int fd = -1;
	struct stat st;

	if (r->pin == PIN_PATH)
		path = strdup(r->image);
	else
		path = str_printf("%s/containers/%s/image", p->data, name);
	if (!path)
		return err_oom(e);
	fd = open_pinned(r, path, e);
	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0)
		return err_sys(e, "%s", path);
	image_id_from_stat(ret_id, &st);
	if (!image_id_same(ret_id, &r->id))
		return err_set(
			e, ESTALE,
			"%s: the image was changed after create: create -f takes it as it is now",
			r->image);
	if (ret_path)
		*ret_path = take_ptr(path);
	return take_fd(&fd);
}

/* --- list --------------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int container_store_list(const struct paths *p, struct strv *ret, size_t *ret_debris, struct err *e)
{
	_close_ int dirfd = container_store_open_dir(p, e), list = -1, lock = -1;
	const struct dirent *ent;
	size_t temp = 0;
	DIR *d;

	if (dirfd < 0)
		return dirfd;
	list = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	d = list < 0 ? NULL : fdopendir(list);
	if (!d)
		return err_sys(e, "list %s/containers", p->data);
	(void)take_fd(&list);
	while ((ent = readdir(d))) {
		if (temp_is_name(ent->d_name))
			temp++;
		else if (name_is_valid(ent->d_name))
			strv_add(ret, ent->d_name);
	}
	closedir(d);
	if (ret->n)
		qsort(ret->items, ret->n, sizeof(*ret->items), by_name);
	if (ret_debris) {
		/* A directory that a process is at work on is no debris. */
		if (temp)
			lock = temp_try_exclusive(dirfd, NULL);
		*ret_debris = lock < 0 ? 0 : temp;
	}
	return strv_check(ret, e);
}

/* --- change --------------------------------------------------------------------------------- */

static int write_record(int dir, const struct container_record *r, struct err *e)
{
	const struct io_replace where = {
		.dirfd = dir, .name = "record", .mode = 0600, .replace = 1};
	_strbuf_ struct strbuf bytes = STRBUF_INIT;
	int rc = container_record_encode(r, &bytes, e);

	return rc < 0 ? rc : io_write_file_at(&where, bytes.data, bytes.len, e);
}

int container_store_change(const struct paths *p, const char *name, const char *container_id,
			   int (*fn)(void *arg, struct container_record *r, struct err *e),
			   void *arg, struct err *e)
{
	_close_ int dirfd = container_store_open_dir(p, e), dir = -1;
	struct container_record now = {0};
	int r;

	if (dirfd < 0)
		return dirfd;
	dir = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir < 0)
		return errno == ENOENT ? container_missing(e) : err_sys(e, "open %s", name);
	while (flock(dir, LOCK_EX) < 0) {
		if (errno != EINTR)
			return err_sys(e, "lock %s", name);
	}
	r = container_store_read(dirfd, name, &now, e);
	if (r >= 0 && (!now.container_id || strcmp(now.container_id, container_id)))
		r = container_missing(e);
	if (r >= 0)
		r = fn(arg, &now, e);
	if (r >= 0)
		r = write_record(dir, &now, e);
	container_record_free(&now);
	return r;
}
