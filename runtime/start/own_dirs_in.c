/* SPDX-License-Identifier: Apache-2.0 */
/* What lies in csbx's own directories, or would once it is made. */
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/path.h"
#include "runtime/base/str.h"
#include "runtime/start/own_dirs.h"

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* dir is the directory, or lies in it; or the way up is closed, which a program could have done. */
static bool is_in(int dir, const struct stat *own)
{
	_close_ int at = openat(dir, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct stat st, above;

	if (at < 0 || fstat(at, &st) < 0)
		return true;
	while (!is_same(&st, own)) {
		int up = openat(at, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);

		if (up < 0 || fstat(up, &above) < 0)
			return true;
		if (is_same(&st, &above)) {
			close(up);
			return false;
		}
		fd_close(&at);
		at = up;
		st = above;
	}
	return true;
}

/* The part of an own directory that exists, and the names of it that are still to be made. */
static bool would_lie_in(int dir, const char *rest, const char *own)
{
	char own_rest[PATH_MAX];
	_close_ int fd = path_open_nearest(own, own_rest, NULL);
	struct stat st, here;
	const char *a = rest, *b = own_rest;

	if (fd < 0) /* a program may close one on the way: only what cannot be there is no matter */
		return own_dirs_stat(own, &st, NULL) <= 0;
	if (fstat(fd, &st) < 0 || fstat(dir, &here) < 0)
		return true;
	if (!own_rest[strspn(own_rest, "/")])
		return is_in(dir, &st);
	if (!is_same(&st, &here))
		return false;
	for (;;) {
		size_t n, m;

		a += strspn(a, "/");
		b += strspn(b, "/");
		n = strcspn(a, "/");
		m = strcspn(b, "/");
		if (!m)
			return true;
		if (n != m || memcmp(a, b, n) != 0)
			return false;
		a += n;
		b += m;
	}
}

int own_dirs_check_new(const struct paths *p, int dir, const char *rest, const char *path,
		       struct err *e)
{
	_strv_ struct strv own = STRV_INIT;
	int r = own_dirs_list(p, &own, e);

	for (size_t i = 0; r >= 0 && i < own.n; i++) {
		if (would_lie_in(dir, rest, own.items[i]))
			return err_set(e, EPERM,
				       "%s does not exist, and nothing is made in %s, which is "
				       "csbx's own (for docker.sock: start csbx engine first)",
				       path, own.items[i]);
	}
	return r;
}

int own_dirs_refuse_in(const struct strv *own, int dir, const char *path, struct err *e)
{
	struct stat st;

	for (size_t i = 0; i < own->n; i++) {
		int r = own_dirs_stat(own->items[i], &st, e);

		if (r < 0)
			return r;
		if (!r && is_in(dir, &st))
			return err_set(e, EPERM, "%s lies in %s, which is csbx's own", path,
				       own->items[i]);
	}
	return 0;
}
