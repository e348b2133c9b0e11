/* SPDX-License-Identifier: Apache-2.0 */
#include "image/pack/link_out.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "image/pack/made.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/path.h"

#define TRIES_MAX 16u
#define NEW_NAME_BYTES (sizeof(PATH_NEW_LINK_PREFIX) + 16)

/*
 * The path without names that ".." takes back; ret has room for as many bytes. True where it leaves
 * its directory.
 */
static bool shorten(const char *path, char *ret)
{
	const bool is_absolute = *path == '/';
	size_t len = is_absolute, kept = is_absolute; /* kept: bytes that no ".." takes back */

	*ret = '/';
	for (path += strspn(path, "/"); *path; path += strspn(path, "/")) {
		const size_t n = strcspn(path, "/");
		const bool is_up = n == 2 && path[0] == '.' && path[1] == '.';

		if (is_up && len > kept) {
			while (len > kept && ret[len - 1] != '/')
				len--;
			len -= len > kept;
		} else if (!(n == 1 && *path == '.') && !(is_up && is_absolute)) {
			if (len && ret[len - 1] != '/')
				ret[len++] = '/';
			memcpy(ret + len, path, n);
			len += n;
			kept = is_up ? len : kept;
		}
		path += n;
	}
	ret[len] = 0;
	return kept;
}

/* A file is no place that a copy writes below: a link to one is replaced. */
static bool is_file(int dir, const char *path)
{
	struct stat st;

	return fstatat(dir, path, &st, 0) == 0 && !S_ISDIR(st.st_mode);
}

/* Also where it is not there: what is in its place later is in the directory, too. */
static bool is_beneath(int dir, const char *name)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
	};
	_close_ int fd = (int)syscall(SYS_openat2, dir, name, &how, sizeof(how));

	return fd >= 0 || errno == ENOENT;
}

/*
 * Theory. A link of one name leads to what is beside it, and that is no link that leads out unless
 * it was there before. One of more names goes by directories whose files another copy brings, with
 * links among them: where such a link leads to is not known before it is followed.
 */
bool link_may_lead_out(int dir, const char *target)
{
	_free_ char *text = malloc(strlen(target) + 1);

	if (!text)
		return true;
	if (shorten(target, text) || strchr(text, '/'))
		return !is_file(dir, target) || !is_file(dir, text);
	return !is_beneath(dir, *text ? text : ".");
}

static int make_new(int dir, const char *target, char ret_name[NEW_NAME_BYTES], struct err *e)
{
	uint64_t random;

	for (unsigned i = 0; i < TRIES_MAX; i++) {
		if (getrandom(&random, sizeof(random), 0) != sizeof(random))
			return err_sys(e, "random name");
		snprintf(ret_name, NEW_NAME_BYTES, PATH_NEW_LINK_PREFIX "%016llx",
			 (unsigned long long)random);
		if (symlinkat(target, dir, ret_name) == 0)
			return 0;
		if (errno != EEXIST)
			break;
	}
	return err_sys(e, "make the symbolic link");
}

/* Some file systems keep no nanoseconds, and some no time of the year 2038: the mark is the time then. */
static int mark(int fd, int64_t mtime_s, struct err *e)
{
	struct stat st;
	int r = made_set_time(fd, mtime_s, PATH_COPIED_LINK_NS, e);

	if (r >= 0 && fstat(fd, &st) == 0 && path_is_copied_link(&st))
		return 0;
	r = made_set_time(fd, PATH_COPIED_LINK_NS, 0, e);
	if (r >= 0 && (fstat(fd, &st) < 0 || !path_is_copied_link(&st)))
		r = err_set(e, EOPNOTSUPP,
			    "it is a symbolic link, and the file system keeps no time of one by "
			    "which csbx would know it (-L copies what it leads to inside)");
	return r;
}

/*
 * NFS and some file systems of FUSE have no RENAME_NOREPLACE: link(2) replaces no file either. Where
 * there are no second names, the room that was made for the name is all there is.
 */
static int move_in(int dir, const char *from, const char *name)
{
	int r = renameat2(dir, from, dir, name, RENAME_NOREPLACE);

	if (r == 0 || (errno != EINVAL && errno != ENOSYS))
		return r;
	if (linkat(dir, from, dir, name, 0) == 0)
		return unlinkat(dir, from, 0);
	return errno == EEXIST ? -1 : renameat(dir, from, dir, name);
}

static int make_marked(int dir, const char *name, const char *target, int64_t mtime_s,
		       struct err *e)
{
	char made[NEW_NAME_BYTES];
	_close_ int fd = -1;
	int r = make_new(dir, target, made, e);

	if (r < 0)
		return r;
	fd = made_open(dir, made, S_IFLNK, e);
	r = fd < 0 ? fd : mark(fd, mtime_s, e);
	if (r >= 0 && move_in(dir, made, name) < 0)
		r = err_sys(e, "make the symbolic link");
	if (r < 0)
		(void)unlinkat(dir, made, 0);
	return r < 0 ? r : take_fd(&fd);
}

/* A signal waits until the link has its name: SIGKILL alone leaves the other one. */
int link_out_make(int dir, const char *name, const char *target, int64_t mtime_s, struct err *e)
{
	sigset_t all, old;
	int r;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	r = make_marked(dir, name, target, mtime_s, e);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return r;
}
