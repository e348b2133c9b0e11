/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Theory. The caller names a file to be written, and another user may have been there first: with a
 * link to a file of the caller's, which would be overwritten, with a hard link to one, or with a
 * file or FIFO of his own, which would be told what is written. The kernel refuses that in
 * directories with the sticky bit where fs.protected_symlinks, protected_hardlinks,
 * protected_regular and protected_fifos are set (proc_sys_fs(5)); not every machine has them set.
 * The same rules hold here on each. Each step is taken by descriptor, and what was looked at is
 * what is opened. The way to a directory or to a source that the caller names is walked by the same
 * rule of links. Nearly always there is no link on it: the kernel finds that out in one call.
 *
 * A program that has a directory mounted writable is such another user, with the caller's own id: no
 * link is followed there, and no FIFO opened, which would wait for a reader.
 */
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/path.h"
#include "runtime/base/str.h"

#define LINKS_MAX 40u /* as the kernel's own limit, path_resolution(7) */
#define TRIES_MAX 16u /* of a name that another process makes and removes again */

enum purpose {
	TO_WRITE,   /* a file is opened, or made */
	TO_REACH,   /* a directory or a source, O_PATH */
	TO_NEAREST, /* as much of the way as there is */
};

struct output_way {
	char rest[PATH_MAX];
	char *at;
	unsigned links, tries;
	int dir;
	int flags;
	mode_t mode;
	enum purpose purpose;
	enum path_trust least; /* of the links on the way */
	unsigned names;        /* the last so many are csbx's choice, path_trust_name() */
	const struct path_places *programs; /* NULL: none */
};

/* Other users may put names there, and none may take those of others away. */
static bool is_shared(const struct stat *dir)
{
	return dir->st_mode & S_ISVTX && dir->st_mode & 0022;
}

/*
 * Looks from the directory up. A program can close a directory of its own (0), and open it again:
 * what cannot be reached upwards is one of its own, too.
 */
static bool lies_in_programs(const struct output_way *w)
{
	const struct path_places *p = w->programs;
	_close_ int at = -1;
	struct stat st, below = {0};

	if (!p || !p->n)
		return false;
	at = openat(w->dir, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	while (at >= 0 && fstat(at, &st) == 0) {
		int up;

		for (size_t i = 0; i < p->n; i++) {
			if (p->items[i].dev == st.st_dev && p->items[i].ino == st.st_ino)
				return true;
		}
		if (st.st_dev == below.st_dev && st.st_ino == below.st_ino)
			return false; /* "/.." is "/" */
		below = st;
		up = openat(at, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
		fd_close(&at);
		at = up;
	}
	return true;
}

static int open_seen(const struct output_way *w, int seen, const char *path, struct err *e)
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
	if (w->flags & O_EXCL)
		return err_code(e, -EEXIST, "%s", path);
	if (is_shared(dir) && st->st_uid != geteuid() && st->st_uid != dir->st_uid)
		return err_set(e, EPERM,
			       "%s: belongs to user %u, in a directory that all may write to", path,
			       st->st_uid);
	if (is_shared(dir) && S_ISREG(st->st_mode) && st->st_nlink > 1)
		return err_set(e, EMLINK,
			       "%s: has another name, in a directory that all may write to", path);
	if (!S_ISREG(st->st_mode) && lies_in_programs(w))
		return err_set(e, EPERM,
			       "%s: is no regular file, in a directory that the program may write "
			       "to",
			       path);
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

/* The name at w->at, and the descriptor of what it is; a link is opened itself. */
static int open_name(const struct output_way *w, char name[NAME_MAX + 1], bool is_last)
{
	const size_t n = strcspn(w->at, "/");
	int fd = -1;

	if (n > NAME_MAX) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(name, w->at, n);
	name[n] = 0;
	/* O_DIRECTORY: the kernel then mounts a file system that autofs(5) mounts on demand. */
	if (!is_last || w->purpose != TO_WRITE)
		fd = openat(w->dir, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if ((is_last && w->purpose == TO_WRITE) || (fd < 0 && errno == ENOTDIR))
		fd = openat(w->dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	return fd;
}

static void enter(struct output_way *w, int *fd)
{
	fd_close(&w->dir);
	w->dir = take_fd(fd);
	w->at += strcspn(w->at, "/");
}

static unsigned names_left(const char *at)
{
	unsigned n = 0;

	for (at += strspn(at, "/"); *at; at += strspn(at, "/")) {
		at += strcspn(at, "/");
		n++;
	}
	return n;
}

static int check_name(const struct output_way *w, const char *name, const struct stat *st,
		      const struct stat *dir, const char *path, struct err *e)
{
	if (names_left(w->at) > w->names || path_trust_name(st, dir, name, e) >= 0)
		return 0;
	return err_wrap(e, "%s", path);
}

static int pass_link(struct output_way *w, int link, const char *name, const struct stat *st,
		     const struct stat *dir, const char *path, struct err *e)
{
	const char *end = w->at + strcspn(w->at, "/");

	if (path_trust_link(st, dir) < w->least)
		return err_set(e, ELOOP,
			       "%s: '%s' is a symbolic link of user %u, which is not followed",
			       path, name, st->st_uid);
	if (check_name(w, name, st, dir, path, e) < 0)
		return -EPERM;
	if (path_is_copied_link(st) || str_has_prefix(name, PATH_NEW_LINK_PREFIX))
		return err_set(e, ELOOP,
			       "%s: '%s' is a symbolic link that was copied out of a container, "
			       "and is not followed",
			       path, name);
	if (lies_in_programs(w))
		return err_set(e, ELOOP,
			       "%s: '%s' is a symbolic link in a directory that the program may "
			       "write to, and is not followed",
			       path, name);
	if (is_of_proc(link)) {
		_close_ int fd = openat(
			w->dir, name, *end ? O_PATH | O_DIRECTORY | O_CLOEXEC : w->flags, w->mode);

		if (fd < 0)
			return err_sys(e, "%s", path);
		if (!*end)
			return take_fd(&fd);
		enter(w, &fd);
		return -EAGAIN;
	}
	return enter_link(w, link, end + strspn(end, "/"), path, e);
}

/* The next name: a descriptor at the end, -EAGAIN while there is more of the path. */
static int go_on(struct output_way *w, const char *path, struct err *e)
{
	char name[NAME_MAX + 1];
	const bool is_last = !w->at[strcspn(w->at, "/")];
	_close_ int fd = open_name(w, name, is_last);
	struct stat st, dir;

	if (fd < 0 && errno == ENOENT && w->purpose == TO_NEAREST)
		return take_fd(&w->dir);
	if (fd < 0 && errno == ENOENT && is_last && w->flags & O_CREAT)
		return make(w, name, path, e);
	if (fd < 0 || fstat(fd, &st) < 0 || fstat(w->dir, &dir) < 0)
		return err_sys(e, "%s", path);
	if (S_ISLNK(st.st_mode)) {
		if (is_last && w->flags & O_PATH && w->flags & O_NOFOLLOW)
			return take_fd(&fd);
		return pass_link(w, fd, name, &st, &dir, path, e);
	}
	if (check_name(w, name, &st, &dir, path, e) < 0)
		return -EPERM;
	if (is_last && w->purpose == TO_WRITE)
		return open_file(w, fd, &st, &dir, path, e);
	if (!S_ISDIR(st.st_mode) && (!is_last || w->flags & O_DIRECTORY))
		return err_code(e, -ENOTDIR, "%s", path);
	if (is_last && w->purpose == TO_REACH)
		return take_fd(&fd);
	enter(w, &fd);
	return -EAGAIN;
}

static int walk(struct output_way *w, const char *path, struct err *e)
{
	size_t n = strlen(path);
	int r = -EAGAIN;

	if (!n)
		return err_code(e, -ENOENT, "%s", path);
	if (n >= sizeof(w->rest))
		return err_code(e, -ENAMETOOLONG, "%s", path);
	memcpy(w->rest, path, n + 1);
	w->dir = open(*path == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (w->dir < 0)
		return err_sys(e, "%s", path);
	for (w->at = w->rest; r == -EAGAIN;) {
		w->at += strspn(w->at, "/");
		if (*w->at)
			r = go_on(w, path, e);
		else if (w->purpose == TO_WRITE)
			r = err_code(e, -EISDIR, "%s", path);
		else
			r = take_fd(&w->dir);
	}
	fd_close(&w->dir);
	return r;
}

int path_open_output(const char *path, int flags, mode_t mode, const struct path_places *programs,
		     struct err *e)
{
	struct output_way w = {
		.dir = -1,
		.flags = flags | O_CLOEXEC | O_NOCTTY,
		.mode = mode,
		.least = PATH_TRUST_PLACE,
		.programs = programs,
	};

	return walk(&w, path, e);
}

/* By no link at all; most paths have none. errno: ELOOP where there is one. */
static int open_straight(const char *path, int flags)
{
	const struct open_how how = {.flags = (unsigned)flags, .resolve = RESOLVE_NO_SYMLINKS};

	return (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));
}

static int reach(const char *path, int flags, enum path_trust least,
		 const struct path_places *programs, struct err *e)
{
	struct output_way w = {
		.dir = -1,
		.flags = O_PATH | O_CLOEXEC | flags,
		.purpose = TO_REACH,
		.least = least,
		.programs = programs,
	};
	int fd = open_straight(path, w.flags);

	return fd >= 0 ? fd : walk(&w, path, e);
}

int path_open_output_dir(const char *path, const struct path_places *programs, struct err *e)
{
	return reach(path, O_DIRECTORY, PATH_TRUST_PLACE, programs, e);
}

/* By the name that the kernel has for it now; a pipe has no directory. */
static bool parent_is_of_programs(int seen, const struct path_places *programs)
{
	struct output_way w = {.dir = -1, .programs = programs};
	char self[40], name[PATH_MAX], *slash;
	ssize_t n;
	bool is;

	snprintf(self, sizeof(self), "/proc/self/fd/%d", seen);
	n = readlink(self, name, sizeof(name) - 1);
	name[n > 0 ? n : 0] = 0;
	slash = strrchr(name, '/');
	if (!slash)
		return false;
	slash[slash == name] = 0;
	w.dir = open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	is = w.dir < 0 || lies_in_programs(&w);
	fd_close(&w.dir);
	return is;
}

int path_open_input(const char *path, int flags, const struct path_places *programs, struct err *e)
{
	struct output_way w = {.flags = flags | O_CLOEXEC | O_NOCTTY};
	const bool is_plain = !(flags & O_PATH) && !(programs && programs->n);
	_close_ int fd = is_plain ? open_straight(path, w.flags) : -1, seen = -1;
	struct stat st;

	if (fd >= 0)
		return take_fd(&fd);
	if (is_plain && errno == ENOENT)
		return err_sys(e, "%s", path);
	seen = reach(path, 0, PATH_TRUST_GROUP, programs, e);
	if (seen < 0)
		return seen;
	if (fstat(seen, &st) < 0)
		return err_sys(e, "%s", path);
	if (S_ISFIFO(st.st_mode) && programs && programs->n &&
	    parent_is_of_programs(seen, programs))
		return err_set(e, EPERM,
			       "%s: is a FIFO, in a directory that the program may write to", path);
	return open_seen(&w, seen, path, e);
}

/* Of a way without links: then the paths of its directories are what they say. */
static int check_names(const char *path, unsigned names, struct err *e)
{
	char part[PATH_MAX];
	struct stat dir, st;
	const char *at = path;
	unsigned left = names_left(path);

	if (left <= names && lstat("/", &dir) < 0)
		return err_sys(e, "/");
	for (; left; left--) {
		const char *name = at + strspn(at, "/");

		at = name + strcspn(name, "/");
		if (left > names + 1)
			continue;
		memcpy(part, path, (size_t)(at - path));
		part[at - path] = 0;
		if (lstat(part, &st) < 0)
			return err_sys(e, "%s", path);
		if (left <= names && path_trust_name(&st, &dir, part + (name - path), e) < 0)
			return err_wrap(e, "%s", path);
		dir = st;
	}
	return 0;
}

static int reach_believed(const char *path, unsigned names, struct err *e)
{
	struct output_way w = {
		.dir = -1,
		.flags = O_PATH | O_CLOEXEC,
		.purpose = TO_REACH,
		.least = PATH_TRUST_PLACE,
		.names = names,
	};

	return walk(&w, path, e);
}

/* A path that leads to nothing is no error: the owners of what is on the way do not matter then. */
int path_open_believed(const char *path, unsigned names, int flags, struct err *e)
{
	const struct output_way w = {.flags = flags | O_CLOEXEC | O_NOCTTY};
	_close_ int fd = open_straight(path, w.flags), seen = -1;

	if (fd >= 0)
		return names && check_names(path, names, e) < 0 ? -EPERM : take_fd(&fd);
	if (errno == ENOENT)
		return err_sys(e, "%s", path);
	seen = reach_believed(path, names, e);
	if (seen == -EPERM && names) {
		_close_ int there = reach_believed(path, 0, NULL);

		if (there == -ENOENT)
			return err_code(e, -ENOENT, "%s", path);
	}
	return seen < 0 ? seen : open_seen(&w, seen, path, e);
}

int path_read_believed(const char *path, size_t max, struct strbuf *out, struct err *e)
{
	_close_ int fd = path_open_believed(path, 0, O_RDONLY | O_NONBLOCK, e);

	return fd < 0 ? fd : io_read_regular(fd, path, max, out, e);
}

int path_read_input(const char *path, size_t max, struct strbuf *out, struct err *e)
{
	_close_ int fd = path_open_input(path, O_RDONLY | O_NONBLOCK, NULL, e);

	return fd < 0 ? fd : io_read_regular(fd, path, max, out, e);
}

char *path_of_open(int fd, const char *shown, struct err *e)
{
	char self[40], name[PATH_MAX], *copy = NULL;
	ssize_t n;

	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	n = readlink(self, name, sizeof(name) - 1);
	if (n < 0) {
		err_sys(e, "%s", shown);
	} else if (*name != '/') {
		err_code(e, -ENOENT, "%s", shown);
	} else {
		name[n] = 0;
		copy = strdup(name);
		if (!copy)
			err_oom(e);
	}
	return copy;
}

int path_open_source(const char *path, int flags, struct err *e)
{
	return reach(path, flags, PATH_TRUST_GROUP, NULL, e);
}

int path_open_nearest(const char *path, char ret_rest[PATH_MAX], struct err *e)
{
	struct output_way w = {
		.dir = -1,
		.flags = O_PATH | O_CLOEXEC | O_DIRECTORY,
		.purpose = TO_NEAREST,
		.least = PATH_TRUST_GROUP,
	};
	int fd = walk(&w, path, e);

	if (fd >= 0)
		memcpy(ret_rest, w.at, strlen(w.at) + 1);
	return fd;
}
