/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/base/path.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"

static int open_how(int rootfd, const char *path, int flags, mode_t mode, unsigned resolve)
{
	struct open_how how = {
		.flags = (unsigned)(flags | O_CLOEXEC),
		.mode = flags & (O_CREAT | O_TMPFILE) & ~O_DIRECTORY ? mode : 0,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS | resolve,
	};
	long fd;

	/* EAGAIN: a rename elsewhere raced with a ".." step; the kernel asks to try again. */
	for (int i = 0; i < 64; i++) {
		fd = syscall(SYS_openat2, rootfd, path, &how, sizeof(how));
		if (fd >= 0 || (errno != EAGAIN && errno != EINTR))
			break;
	}
	return (int)fd;
}

static int open_in_root(int rootfd, const char *path, int flags, mode_t mode)
{
	return open_how(rootfd, path, flags, mode, 0);
}

int path_open_in_root(int rootfd, const char *path, int flags, mode_t mode, struct err *e)
{
	int fd = open_in_root(rootfd, path, flags, mode);

	return fd < 0 ? err_sys(e, "%s", path) : fd;
}

int path_open_no_links(int rootfd, const char *path, int flags, struct err *e)
{
	int fd = open_how(rootfd, path, flags, 0, RESOLVE_NO_SYMLINKS);

	return fd < 0 ? err_sys(e, "%s", path) : fd;
}

int path_open_no_mounts(int rootfd, const char *path, int flags, struct err *e)
{
	int fd = open_how(rootfd, path, flags, 0, RESOLVE_NO_XDEV);

	return fd < 0 ? err_sys(e, "%s", path) : fd;
}

/* Walks to the last component, making missing directories; ret_name points into path. */
static int open_parent(int rootfd, char *path, char **ret_name, struct err *e)
{
	char *slash;

	for (size_t n = strlen(path); n > 1 && path[n - 1] == '/'; n--)
		path[n - 1] = 0;
	slash = strrchr(path, '/');
	if (!slash) {
		*ret_name = path;
		return path_open_in_root(rootfd, ".", O_PATH | O_DIRECTORY, 0, e);
	}
	*ret_name = slash + 1;
	*slash = 0;
	return path_mkdirs_in_root(rootfd, *path ? path : "/", e);
}

static int copy_path(const char *path, char *buf, size_t size, struct err *e)
{
	size_t n = strlen(path);

	if (!n)
		return err_set(e, EINVAL, "empty path");
	if (n >= size)
		return err_set(e, ENAMETOOLONG, "path of %zu bytes: too long", n);
	memcpy(buf, path, n + 1);
	return 0;
}

#define LINKS_MAX 40u /* as the kernel's own limit, path_resolution(7) */

/* A path that is made step by step: the part before `at` exists. */
struct walk {
	int root;
	unsigned links;
	char *at;
	char buf[PATH_MAX];
};

/*
 * The last step is a link to what is not there: its text takes its place, with the rest of the
 * path behind it, and the walk begins anew. name lies in w->buf, its end is marked by a NUL.
 */
static int follow_link(struct walk *w, int parent, const char *name, const char *rest)
{
	char target[PATH_MAX], joined[PATH_MAX];
	ssize_t n = readlinkat(parent, name, target, sizeof(target) - 1);
	int len;

	if (n < 0)
		return -ENOENT; /* something else, or gone */
	if (++w->links > LINKS_MAX)
		return -ELOOP;
	target[n] = 0;
	len = snprintf(joined, sizeof(joined), "%.*s%s%s%s",
		       *target == '/' ? 0 : (int)(name - w->buf), w->buf, target, *rest ? "/" : "",
		       rest);
	if (len < 0 || (size_t)len >= sizeof(joined))
		return -ENAMETOOLONG;
	memcpy(w->buf, joined, (size_t)len + 1);
	w->at = w->buf + strspn(w->buf, "/");
	return 0;
}

/* The directory that holds the component at w->at. */
static int open_holder(struct walk *w)
{
	char saved;
	int fd;

	if (w->at - w->buf <= 1)
		return open_in_root(w->root, "/", O_PATH | O_DIRECTORY, 0);
	saved = w->at[-1];
	w->at[-1] = 0;
	fd = open_in_root(w->root, w->buf, O_PATH | O_DIRECTORY, 0);
	w->at[-1] = saved;
	return fd;
}

/* One component, entered or made. 0 and its directory; 1: the path is another, begin anew. */
static int step(struct walk *w, int *ret_dir)
{
	_close_ int parent = -1, dir = -1;
	char *end = w->at + strcspn(w->at, "/"), saved = *end;

	*end = 0;
	dir = open_in_root(w->root, w->buf, O_PATH | O_DIRECTORY, 0);
	if (dir < 0 && errno != ENOENT)
		return -errno;
	if (dir < 0) {
		parent = open_holder(w);
		if (parent < 0 || (mkdirat(parent, w->at, 0755) < 0 && errno != EEXIST))
			return -errno;
		dir = open_in_root(w->root, w->buf, O_PATH | O_DIRECTORY, 0);
		if (dir < 0 && errno != ENOENT)
			return -errno;
	}
	if (dir < 0) {
		int r = follow_link(w, parent, w->at, saved ? end + 1 : "");

		return r < 0 ? r : 1;
	}
	*end = saved;
	w->at = end + strspn(end, "/");
	*ret_dir = take_fd(&dir);
	return 0;
}

int path_mkdirs_in_root(int rootfd, const char *path, struct err *e)
{
	struct walk w = {.root = rootfd};
	int fd = open_in_root(rootfd, path, O_PATH | O_DIRECTORY, 0), r;

	if (fd >= 0)
		return fd;
	if (errno != ENOENT)
		return err_sys(e, "%s", path);
	r = copy_path(path, w.buf, sizeof(w.buf), e);
	if (r < 0)
		return r;
	/* Prefix by prefix, each resolved from the root: no fd of a half-trusted parent is kept. */
	for (w.at = w.buf + strspn(w.buf, "/");;) {
		_close_ int dir = -1;

		r = step(&w, &dir);
		if (r < 0)
			return err_code(e, r, "%s", path);
		if (!r && !*w.at)
			return take_fd(&dir);
	}
}

/* 1: w->buf is another path, of what a link to nothing names. */
static int touch_once(struct walk *w, int *ret_fd, struct err *e)
{
	char copy[PATH_MAX], *name;
	_close_ int parent = -1, fd = -1;
	int r;

	memcpy(copy, w->buf, sizeof(copy));
	parent = open_parent(w->root, copy, &name, e);
	if (parent < 0)
		return parent;
	if (!*name || str_is_dots(name))
		return err_set(e, EINVAL, "%s: not a file name", w->buf);
	fd = openat(parent, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY,
		    0644);
	if (fd < 0 && errno != EEXIST)
		return err_sys(e, "%s", w->buf);
	*ret_fd = open_in_root(w->root, w->buf, O_PATH, 0);
	if (*ret_fd >= 0)
		return 0;
	if (errno != ENOENT)
		return err_sys(e, "%s", w->buf);
	r = follow_link(w, parent, w->buf + (name - copy), "");
	return r < 0 ? err_code(e, r, "%s", w->buf) : 1;
}

int path_touch_in_root(int rootfd, const char *path, struct err *e)
{
	struct walk w = {.root = rootfd};
	int fd = open_in_root(rootfd, path, O_PATH, 0), r;

	if (fd >= 0)
		return fd;
	if (errno != ENOENT)
		return err_sys(e, "%s", path);
	r = copy_path(path, w.buf, sizeof(w.buf), e);
	if (r < 0)
		return r;
	do {
		r = touch_once(&w, &fd, e);
	} while (r > 0);
	return r < 0 ? r : fd;
}

bool path_is_clean_absolute(const char *path)
{
	if (*path != '/')
		return false;
	while (*path) {
		size_t n;

		path += strspn(path, "/");
		n = strcspn(path, "/");
		if ((n == 1 && path[0] == '.') || (n == 2 && path[0] == '.' && path[1] == '.'))
			return false;
		path += n;
	}
	return true;
}

bool path_is_within(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	return !strncmp(path, dir, n) && (!path[n] || path[n] == '/');
}

/* One entry. 1: a directory that is not empty, which is all that is not removed and no error. */
static int remove_entry(int fd, const struct dirent *ent)
{
	if (ent->d_type != DT_DIR) {
		if (!unlinkat(fd, ent->d_name, 0) || errno == ENOENT)
			return 0;
		if (errno != EISDIR && errno != EPERM && errno != EBUSY)
			return -errno;
	}
	if (!unlinkat(fd, ent->d_name, AT_REMOVEDIR) || errno == ENOENT)
		return 0;
	return errno == ENOTEMPTY || errno == EEXIST ? 1 : -errno;
}

/* Empties the directory fd one level: returns a subdirectory's name to descend into, or 0. */
static int empty_level(int fd, char *ret_sub, size_t size)
{
	int dup_fd = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), found = 0;
	DIR *d;
	const struct dirent *ent;

	if (dup_fd < 0)
		return -errno;
	d = fdopendir(dup_fd);
	if (!d) {
		close(dup_fd);
		return -ENOMEM;
	}
	while (!found && (ent = readdir(d))) {
		if (str_is_dots(ent->d_name))
			continue;
		found = remove_entry(fd, ent);
		if (found > 0)
			snprintf(ret_sub, size, "%s", ent->d_name);
	}
	closedir(d);
	return found;
}

/* A read-only directory of ours must not stop us. */
static void make_writable(int fd)
{
	struct stat st;

	if (!fstat(fd, &st) && (st.st_mode & 0700) != 0700)
		(void)fchmod(fd, 0700);
}

/*
 * Gives the owner of a directory all rights on it. Before Linux 6.6 (fchmodat2) a libc does without
 * following a link by way of /proc, which the processes of an image server have not, nor that call.
 * There the directory that has just been seen not to be a link is named again: it lies in a
 * directory of the caller's own, which no other user writes to.
 */
static int make_enterable(int dirfd, const char *name)
{
	struct stat st;

	if (!fchmodat(dirfd, name, 0700, AT_SYMLINK_NOFOLLOW))
		return 0;
	if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISDIR(st.st_mode))
		return -1;
	return fchmodat(dirfd, name, 0700, 0);
}

/*
 * Goes down one directory at a time and comes back up by "..", so that neither depth nor the
 * number of entries costs stack or descriptors. ".." is safe: only we write in such trees, and
 * the device and inode of the parent are compared with what was left.
 */
int path_remove_tree_at(int dirfd, const char *name, struct err *e)
{
	_close_ int fd = -1;
	struct stat top, st;
	char sub[NAME_MAX + 1];
	int r;

	if (!unlinkat(dirfd, name, 0) || errno == ENOENT)
		return 0;
	if (!unlinkat(dirfd, name, AT_REMOVEDIR))
		return 0;
	fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 && errno == EACCES && !make_enterable(dirfd, name))
		fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return err_sys(e, "remove %s", name);
	if (fstat(fd, &top) < 0)
		return err_sys(e, "remove %s", name);
	for (;;) {
		int next;

		make_writable(fd);
		r = empty_level(fd, sub, sizeof(sub));
		if (r < 0)
			return err_code(e, r, "remove %s", name);
		if (r > 0) {
			next = openat(fd, sub, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
			if (next < 0 && errno == EACCES && !make_enterable(fd, sub))
				next = openat(fd, sub,
					      O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		} else {
			if (fstat(fd, &st) < 0)
				return err_sys(e, "remove %s", name);
			if (st.st_dev == top.st_dev && st.st_ino == top.st_ino)
				break;
			next = openat(fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		}
		if (next < 0)
			return err_sys(e, "remove %s", name);
		close(fd);
		fd = next;
	}
	if (unlinkat(dirfd, name, AT_REMOVEDIR) < 0 && errno != ENOENT)
		return err_sys(e, "remove %s", name);
	return 0;
}
