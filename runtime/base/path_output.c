/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Theory. The caller names a file to be written, and another user may have been there first: with a
 * link to a file of the caller's, which would be overwritten, with a hard link to one, or with a
 * file or FIFO of his own, which would be told what is written. The kernel refuses that in
 * directories with the sticky bit where fs.protected_symlinks, protected_hardlinks,
 * protected_regular and protected_fifos are set (proc_sys_fs(5)); not every machine has them set.
 * The same rules hold here on each. Each step is taken by descriptor, and what was looked at is
 * what is opened.
 */
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/path.h"

#define LINKS_MAX 40u /* as the kernel's own limit, path_resolution(7) */
#define TRIES_MAX 16u /* of a name that another process makes and removes again */

struct output_way {
	char rest[PATH_MAX];
	char *at;
	unsigned links, tries;
	int dir;
	int flags;
	mode_t mode;
};

/* Any user may put names there, and none may take those of others away. */
static bool is_shared(const struct stat *dir)
{
	return dir->st_mode & S_ISVTX && dir->st_mode & 0022;
}

static bool is_foreign(const struct stat *st, const struct stat *dir)
{
	return is_shared(dir) && st->st_uid != geteuid() && st->st_uid != dir->st_uid;
}

static int open_seen(struct output_way *w, int seen, const char *path, struct err *e)
{
	char self[40];
	int fd;

	snprintf(self, sizeof(self), "/proc/self/fd/%d", seen);
	fd = open(self, w->flags & ~(O_CREAT | O_EXCL | O_NOFOLLOW));
	return fd < 0 ? err_sys(e, "%s", path) : fd;
}

static int open_file(struct output_way *w, int seen, const struct stat *st, const struct stat *dir,
		     const char *path, struct err *e)
{
	if (is_foreign(st, dir))
		return err_set(e, EPERM,
			       "%s: belongs to user %u, in a directory that all may write to", path,
			       st->st_uid);
	if (is_shared(dir) && S_ISREG(st->st_mode) && st->st_nlink > 1)
		return err_set(e, EMLINK,
			       "%s: has another name, in a directory that all may write to", path);
	return open_seen(w, seen, path, e);
}

/* Its text takes the place of what was walked of the path. */
static int enter_link(struct output_way *w, int link, const char *next, const char *path,
		      struct err *e)
{
	char target[PATH_MAX], joined[PATH_MAX];
	ssize_t n = readlinkat(link, "", target, sizeof(target) - 1);
	int len;

	if (n < 0)
		return err_sys(e, "%s", path);
	if (++w->links > LINKS_MAX)
		return err_code(e, -ELOOP, "%s", path);
	target[n] = 0;
	len = snprintf(joined, sizeof(joined), *next ? "%s/%s" : "%s", target, next);
	if (len < 0 || (size_t)len >= sizeof(joined))
		return err_code(e, -ENAMETOOLONG, "%s", path);
	memcpy(w->rest, joined, (size_t)len + 1);
	w->at = w->rest;
	if (*target == '/') {
		fd_close(&w->dir);
		w->dir = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	}
	return w->dir < 0 ? err_sys(e, "/") : -EAGAIN;
}

/* A link of /proc leads where no path does: /dev/stdout, /dev/fd/63. The kernel goes on. */
static bool is_of_proc(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC;
}

static int make(struct output_way *w, const char *name, const char *path, struct err *e)
{
	int fd = openat(w->dir, name, w->flags | O_CREAT | O_EXCL | O_NOFOLLOW, w->mode);

	if (fd < 0 && errno == EEXIST && ++w->tries < TRIES_MAX)
		return -EAGAIN;
	return fd < 0 ? err_sys(e, "%s", path) : fd;
}

/* The next name: a descriptor at the end, -EAGAIN while there is more of the path. */
static int go_on(struct output_way *w, const char *path, struct err *e)
{
	char name[NAME_MAX + 1];
	_close_ int fd = -1;
	struct stat st, dir;
	size_t n = strcspn(w->at, "/");
	bool is_last = !w->at[n];

	if (n > NAME_MAX)
		return err_code(e, -ENAMETOOLONG, "%s", path);
	memcpy(name, w->at, n);
	name[n] = 0;
	/* O_DIRECTORY: what is mounted on demand is mounted, autofs(5). */
	if (!is_last)
		fd = openat(w->dir, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (is_last || (fd < 0 && errno == ENOTDIR))
		fd = openat(w->dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT && is_last && w->flags & O_CREAT)
		return make(w, name, path, e);
	if (fd < 0 || fstat(fd, &st) < 0 || fstat(w->dir, &dir) < 0)
		return err_sys(e, "%s", path);
	if (S_ISLNK(st.st_mode)) {
		const char *next = w->at + n + strspn(w->at + n, "/");

		if (is_foreign(&st, &dir))
			return err_set(e, ELOOP,
				       "%s: '%s' is a symbolic link of user %u, which is not "
				       "followed",
				       path, name, st.st_uid);
		if (is_of_proc(fd)) {
			int r = openat(w->dir, w->at, w->flags, w->mode);

			return r < 0 ? err_sys(e, "%s", path) : r;
		}
		return enter_link(w, fd, next, path, e);
	}
	if (is_last)
		return open_file(w, fd, &st, &dir, path, e);
	fd_close(&w->dir);
	w->dir = take_fd(&fd);
	w->at += n;
	return -EAGAIN;
}

int path_open_output(const char *path, int flags, mode_t mode, struct err *e)
{
	struct output_way w = {.dir = -1, .flags = flags | O_CLOEXEC | O_NOCTTY, .mode = mode};
	size_t n = strlen(path);
	int r = -EAGAIN;

	if (!n)
		return err_code(e, -ENOENT, "%s", path);
	if (n >= sizeof(w.rest))
		return err_code(e, -ENAMETOOLONG, "%s", path);
	memcpy(w.rest, path, n + 1);
	w.dir = open(*path == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (w.dir < 0)
		return err_sys(e, "%s", path);
	for (w.at = w.rest; r == -EAGAIN; r = go_on(&w, path, e)) {
		w.at += strspn(w.at, "/");
		if (!*w.at) {
			r = err_code(e, -EISDIR, "%s", path);
			break;
		}
	}
	fd_close(&w.dir);
	return r;
}
