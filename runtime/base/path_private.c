/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Theory. The place of a directory of our own may lie below one that everybody writes to. So each
 * link on the whole way must be one of ours or of root's (path_trust.c).
 */
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/path.h"

#define DIR_FLAGS (O_RDONLY | O_DIRECTORY | O_CLOEXEC)
#define LINKS_MAX 40u /* as the kernel's own limit, path_resolution(7) */

/* A path of which what lies before `at` is behind us. */
struct way {
	char rest[PATH_MAX];
	char *at;
	unsigned links;
	int dir; /* where we are */
	struct stat st;
};

/* Its text takes the place of what was walked of the path. */
static int enter_link(struct way *w, int link, const char *next, const char *path, struct err *e)
{
	char target[PATH_MAX], joined[PATH_MAX];
	ssize_t n = readlinkat(link, "", target, sizeof(target) - 1);
	int len;

	if (n < 0)
		return err_sys(e, "%s", path);
	if (++w->links > LINKS_MAX)
		return err_code(e, -ELOOP, "%s", path);
	target[n] = 0;
	len = snprintf(joined, sizeof(joined), "%s/%s", target, next);
	if (len < 0 || (size_t)len >= sizeof(joined))
		return err_code(e, -ENAMETOOLONG, "%s", path);
	memcpy(w->rest, joined, (size_t)len + 1);
	w->at = w->rest;
	if (*target != '/')
		return 0;
	fd_close(&w->dir);
	w->dir = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return w->dir < 0 || fstat(w->dir, &w->st) < 0 ? err_sys(e, "/") : 0;
}

/*
 * A link is opened itself. O_DIRECTORY: the kernel then mounts a file system that is mounted on
 * demand, autofs(5).
 */
static int open_component(int dir, const char *name)
{
	int fd = openat(dir, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	return fd < 0 && errno == ENOTDIR ? openat(dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC) : fd;
}

/* The next component, made where it is missing. */
static int go_on(struct way *w, const char *path, struct err *e)
{
	_close_ int fd = -1;
	struct stat st;
	char *name = w->at, *next = name + strcspn(name, "/");

	if (*next)
		*next++ = 0;
	next += strspn(next, "/");
	fd = open_component(w->dir, name);
	if (fd < 0 && errno == ENOENT) {
		if (mkdirat(w->dir, name, 0700) < 0 && errno != EEXIST)
			return err_sys(e, "make directory %s: %s", path, name);
		fd = open_component(w->dir, name);
	}
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_sys(e, "open directory %s", path);
	if (S_ISLNK(st.st_mode)) {
		if (path_trust_link(&st, &w->st) < PATH_TRUST_OWN)
			return err_set(
				e, ELOOP,
				"%s: '%s' on the way is a symbolic link of user %u, which is "
				"not followed",
				path, name, st.st_uid);
		if (path_is_copied_link(&st))
			return err_set(e, ELOOP,
				       "%s: '%s' on the way is a symbolic link that was copied out "
				       "of a container, and is not followed",
				       path, name);
		return enter_link(w, fd, next, path, e);
	}
	if (!S_ISDIR(st.st_mode))
		return err_code(e, -ENOTDIR, "open directory %s", path);
	fd_close(&w->dir);
	w->dir = take_fd(&fd);
	w->st = st;
	w->at = next;
	return 0;
}

static int walk(const char *path, struct err *e)
{
	struct way w = {.dir = -1};
	size_t n = strlen(path);
	int r = 0, fd;

	if (n >= sizeof(w.rest))
		return err_code(e, -ENAMETOOLONG, "%s", path);
	memcpy(w.rest, path, n + 1);
	w.dir = open(*path == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (w.dir < 0 || fstat(w.dir, &w.st) < 0)
		r = err_sys(e, "open directory %s", path);
	for (w.at = w.rest; r >= 0; r = go_on(&w, path, e)) {
		w.at += strspn(w.at, "/");
		if (!*w.at)
			break;
	}
	fd = r < 0 ? r : openat(w.dir, ".", DIR_FLAGS);
	if (r >= 0 && fd < 0)
		fd = err_sys(e, "open directory %s", path);
	fd_close(&w.dir);
	return fd;
}

/* Nearly always there is no link on the way: the kernel finds that out in one call. */
static int open_without_links(const char *path)
{
	struct open_how how = {.flags = DIR_FLAGS, .resolve = RESOLVE_NO_SYMLINKS};

	return (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));
}

int path_open_private_dir(const char *path, struct err *e)
{
	_close_ int fd = open_without_links(path);
	struct stat st;

	if (fd < 0)
		fd = walk(path, e);
	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0)
		return err_sys(e, "stat %s", path);
	if (st.st_uid != geteuid())
		return err_set(e, EPERM, "%s: belongs to user %u, not to us", path, st.st_uid);
	if (st.st_mode & 0022)
		return err_set(e, EPERM, "%s: open to other users (mode %04o): chmod go-w it", path,
			       st.st_mode & 07777);
	return take_fd(&fd);
}

int path_open_private_at(int dirfd, const char *where, const char *name, struct err *e)
{
	_close_ int fd = openat(dirfd, name, DIR_FLAGS | O_NOFOLLOW);
	struct stat st;

	if (fd < 0 && errno == ENOENT) {
		if (mkdirat(dirfd, name, 0700) < 0 && errno != EEXIST)
			return err_sys(e, "make directory %s/%s", where, name);
		fd = openat(dirfd, name, DIR_FLAGS | O_NOFOLLOW);
	}
	if (fd < 0)
		return err_sys(e, "open directory %s/%s", where, name);
	if (fstat(fd, &st) < 0)
		return err_sys(e, "stat %s/%s", where, name);
	if (st.st_uid != geteuid())
		return err_set(e, EPERM, "%s/%s: belongs to user %u, not to us", where, name,
			       st.st_uid);
	if (st.st_mode & 0077)
		return err_set(e, EPERM, "%s/%s: open to other users (mode %04o): chmod 700 it",
			       where, name, st.st_mode & 07777);
	return take_fd(&fd);
}
