/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/record/container_index.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/kernel/temp_dir.h"
#include "runtime/spec/name.h"

#define IDS ".ids"
#define WHOLE IDS "/whole"
#define BUCKET_DIGITS 2u
#define PATH_BYTES (sizeof(IDS "/HH/") + NAME_ID_DIGITS)

static void entry_path(const char *id, char ret[PATH_BYTES])
{
	snprintf(ret, PATH_BYTES, IDS "/%.2s/%.*s", id, (int)NAME_ID_DIGITS, id);
}

static bool make_bucket(int dirfd, const char *id)
{
	char path[PATH_BYTES];

	snprintf(path, sizeof(path), IDS "/%.2s", id);
	if (!mkdirat(dirfd, path, 0700) || errno == EEXIST)
		return true;
	return errno == ENOENT && (!mkdirat(dirfd, IDS, 0700) || errno == EEXIST) &&
	       (!mkdirat(dirfd, path, 0700) || errno == EEXIST);
}

/* An old entry is replaced by one rename: the container can be found meanwhile. */
static int replace(int dirfd, const char *path, const char *name, struct err *e)
{
	char tmp[TEMP_NAME_BYTES], made[sizeof(IDS "/") + TEMP_NAME_BYTES];
	int r = temp_name(tmp, e);

	if (r < 0)
		return r;
	snprintf(made, sizeof(made), IDS "/%s", tmp);
	if (symlinkat(name, dirfd, made) < 0)
		return err_sys(e, "make %s", made);
	if (renameat(dirfd, made, dirfd, path) < 0) {
		r = err_sys(e, "rename %s", made);
		(void)unlinkat(dirfd, made, 0);
	}
	return r;
}

/* -ENOENT; -EAGAIN: there is one that no csbx has made. */
static int read_entry(int dirfd, const char *path, char ret[NAME_BYTES_MAX + 1])
{
	ssize_t n = readlinkat(dirfd, path, ret, NAME_BYTES_MAX + 1);

	if (n < 0 && errno == ENOENT)
		return -ENOENT;
	if (n <= 0 || n > NAME_BYTES_MAX)
		return -EAGAIN;
	ret[n] = 0;
	return name_is_valid(ret) ? 0 : -EAGAIN;
}

static int add_entry(int dirfd, const char *path, struct strv *ret)
{
	char name[NAME_BYTES_MAX + 1];
	int r = read_entry(dirfd, path, name);

	if (r >= 0)
		strv_add(ret, name);
	return r == -ENOENT ? 0 : r;
}

int container_index_put(int dirfd, const char *id, const char *name, struct err *e)
{
	char path[PATH_BYTES], now[NAME_BYTES_MAX + 1];

	entry_path(id, path);
	if (!symlinkat(name, dirfd, path))
		return 0;
	if (errno == ENOENT && make_bucket(dirfd, id) && !symlinkat(name, dirfd, path))
		return 0;
	if (errno != EEXIST)
		return err_sys(e, "make %s", path);
	return read_entry(dirfd, path, now) >= 0 && str_eq(now, name)
		       ? 0
		       : replace(dirfd, path, name, e);
}

void container_index_move(int dirfd, const char *id, const char *name)
{
	if (container_index_put(dirfd, id, name, NULL) < 0)
		(void)unlinkat(dirfd, WHOLE, 0);
}

void container_index_remove(int dirfd, const char *id)
{
	char path[PATH_BYTES];

	entry_path(id, path);
	(void)unlinkat(dirfd, path, 0);
}

static int add_matching(int dirfd, const char *digits, struct strv *ret)
{
	char path[PATH_BYTES];
	const struct dirent *ent;
	int fd, r = 0;
	DIR *d;

	snprintf(path, sizeof(path), IDS "/%.2s", digits);
	fd = openat(dirfd, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	d = fd < 0 ? NULL : fdopendir(fd);
	if (!d) {
		fd_close(&fd);
		return 0;
	}
	while (r >= 0 && (ent = readdir(d))) {
		if (str_has_prefix(ent->d_name, digits))
			r = add_entry(fd, ent->d_name, ret);
	}
	closedir(d);
	return r;
}

int container_index_find(int dirfd, const char *digits, struct strv *ret, struct err *e)
{
	size_t len = strlen(digits);
	char path[PATH_BYTES];
	int r = -EAGAIN;

	if (len >= NAME_ID_DIGITS) {
		entry_path(digits, path);
		r = add_entry(dirfd, path, ret);
	} else if (len >= BUCKET_DIGITS) {
		r = add_matching(dirfd, digits, ret);
	}
	if (strv_check(ret, e) < 0)
		return -ENOMEM;
	return faccessat(dirfd, WHOLE, F_OK, 0) < 0 ? -EAGAIN : r;
}

void container_index_set_whole(int dirfd)
{
	int fd = openat(dirfd, WHOLE, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0 && errno == ENOENT && !mkdirat(dirfd, IDS, 0700))
		fd = openat(dirfd, WHOLE, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	fd_close(&fd);
}

static void sweep_bucket(int dirfd, int ids, const char *bucket)
{
	char name[NAME_BYTES_MAX + 1];
	const struct dirent *ent;
	int fd = openat(ids, bucket, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);

	if (!d) {
		fd_close(&fd);
		return;
	}
	while ((ent = readdir(d))) {
		if (!str_is_dots(ent->d_name) &&
		    (read_entry(fd, ent->d_name, name) < 0 ||
		     (faccessat(dirfd, name, F_OK, AT_SYMLINK_NOFOLLOW) < 0 && errno == ENOENT)))
			(void)unlinkat(fd, ent->d_name, 0);
	}
	closedir(d);
}

void container_index_sweep(int dirfd)
{
	int fd = openat(dirfd, IDS, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *ent;

	if (!d) {
		fd_close(&fd);
		return;
	}
	while ((ent = readdir(d))) {
		if (temp_is_name(ent->d_name))
			(void)unlinkat(fd, ent->d_name, 0);
		else if (strlen(ent->d_name) == BUCKET_DIGITS && !str_is_dots(ent->d_name))
			sweep_bucket(dirfd, fd, ent->d_name);
	}
	closedir(d);
}
