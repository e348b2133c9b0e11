/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/start/own_dirs_walk.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/path.h"
#include "runtime/base/str.h"
#include "runtime/userns/userns.h"

#define LINKS_MAX 40
#define OVERFLOW_UID 65534u

static int too_long(const char *path, struct err *e)
{
	return err_set(e, ENAMETOOLONG, "%s", path);
}

size_t own_walk_next_name(const struct own_walk *w, const char **ret)
{
	const char *s = w->rest + strspn(w->rest, "/");

	*ret = s;
	return strcspn(s, "/");
}

static int follow(struct own_walk *w, const char *behind, struct strv *links, struct err *e)
{
	char target[PATH_MAX], joined[PATH_MAX];
	ssize_t n = readlink(w->at, target, sizeof(target) - 1);
	char *slash = strrchr(w->at, '/');

	if (n < 0)
		return err_sys(e, "%s", w->at);
	target[n] = 0;
	if (++w->links > LINKS_MAX)
		return err_code(e, ELOOP, "%s", w->at);
	strv_add(links, w->at);
	if ((size_t)n + strlen(behind) + 2 > sizeof(joined))
		return too_long(w->at, e);
	memcpy(joined, target, (size_t)n);
	joined[n] = '/';
	memcpy(joined + n + 1, behind, strlen(behind) + 1);
	memcpy(w->rest, joined, strlen(joined) + 1);
	*(target[0] == '/' ? w->at : slash) = 0;
	return 0;
}

/*
 * csbx reads nothing by it, its configuration neither (path_open_believed()), and has nothing there.
 * One that `cp` copied out, which csbx does not follow either, is no such link: a program that owns
 * it takes the mark away.
 */
static bool is_foreign(const char *link, const struct stat *st)
{
	char dir[PATH_MAX];
	struct stat of_dir;
	int n = (int)(strrchr(link, '/') - link);

	snprintf(dir, sizeof(dir), "%.*s", n ? n : 1, n ? link : "/");
	return lstat(dir, &of_dir) < 0 || path_trust_link(st, &of_dir) < PATH_TRUST_PLACE;
}

static int stop_at(struct own_walk *w, struct strv *links)
{
	strv_add(links, w->at);
	*strrchr(w->at, '/') = 0;
	return -ELOOP;
}

int own_walk(const char *path, struct own_walk *w, struct strv *links, struct err *e)
{
	const char *name;
	struct stat st;
	size_t n;

	w->at[0] = 0;
	if (strlen(path) >= sizeof(w->rest))
		return too_long(path, e);
	memcpy(w->rest, path, strlen(path) + 1);
	while ((n = own_walk_next_name(w, &name))) {
		size_t len = strlen(w->at);
		char *slash = strrchr(w->at, '/');

		if (n == 2 && !memcmp(name, "..", 2)) {
			/* The directory that is left again is on the way: a link in its place is followed. */
			if (slash) {
				strv_add(links, w->at);
				*slash = 0;
			}
		} else if (n != 1 || *name != '.') {
			if (len + n + 2 > sizeof(w->at))
				return too_long(path, e);
			w->at[len] = '/';
			memcpy(w->at + len + 1, name, n);
			w->at[len + 1 + n] = 0;
			if (w->names)
				strv_add(w->names, w->at);
			if (lstat(w->at, &st) < 0) {
				w->at[len] = 0;
				w->is_missing = errno == ENOENT;
				return -errno;
			}
			if (S_ISLNK(st.st_mode)) {
				int r;

				w->is_foreign = is_foreign(w->at, &st);
				r = w->is_foreign ? stop_at(w, links)
						  : follow(w, name + n, links, e);
				if (r < 0)
					return r;
				continue;
			}
		}
		memmove(w->rest, name + n, strlen(name + n) + 1);
	}
	return 0;
}

int own_walk_look_plainly(const char *path)
{
	struct open_how how = {.flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
			       .resolve = RESOLVE_NO_SYMLINKS};
	_close_ int fd = -1;

	if (strstr(path, "//") || strstr(path, "/./") || strstr(path, "/../") ||
	    str_has_suffix(path, "/") || str_has_suffix(path, "/.") || str_has_suffix(path, "/.."))
		return -EAGAIN;
	fd = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof(how));
	if (fd >= 0)
		return 0;
	return errno == ENOENT ? -ENOENT : -EAGAIN;
}

bool own_walk_is_of_others(const struct stat *st)
{
	return st->st_uid != geteuid() && (st->st_uid == 0 || st->st_uid == OVERFLOW_UID ||
					   getpwuid(st->st_uid) || userns_is_anothers(st->st_uid));
}

bool own_walk_may_be_given_away(const char *link)
{
	struct stat st;

	return lstat(link, &st) < 0 || !own_walk_is_of_others(&st);
}

/* lstat(2) of a path and of the directory that it is in. False: one cannot be looked at. */
static bool look_with_directory(const char *path, char dir[PATH_MAX], struct stat *ret_dir,
				struct stat *ret)
{
	const char *slash = strrchr(path, '/');
	int n = slash ? (int)(slash - path) : 0;

	snprintf(dir, PATH_MAX, "%.*s", n ? n : 1, n ? path : "/");
	return lstat(dir, ret_dir) == 0 && lstat(path, ret) == 0;
}

bool own_walk_may_be_replaced(const char *link)
{
	char dir[PATH_MAX];
	struct stat st, of_link;

	if (!look_with_directory(link, dir, &st, &of_link))
		return true;
	if (S_ISDIR(of_link.st_mode)) /* that ".." leaves */
		return false;
	if (!own_walk_is_of_others(&st))
		return true;
	if (faccessat(AT_FDCWD, dir, W_OK | X_OK, AT_EACCESS) < 0)
		return false;
	return !(st.st_mode & S_ISVTX) || !own_walk_is_of_others(&of_link);
}

bool own_walk_may_be_given_up(const char *name)
{
	char dir[PATH_MAX];
	struct stat st, of_name;

	if (!look_with_directory(name, dir, &st, &of_name))
		return true;
	return st.st_mode & S_ISVTX && of_name.st_uid != 0 &&
	       faccessat(AT_FDCWD, dir, W_OK | X_OK, AT_EACCESS) == 0;
}

/* Another user's directory, which the caller cannot write to. */
static bool is_closed(const char *dir, const struct stat *st)
{
	return own_walk_is_of_others(st) && faccessat(AT_FDCWD, dir, W_OK | X_OK, AT_EACCESS) < 0;
}

static bool is_kept(const char *name, bool by_its_owner)
{
	char dir[PATH_MAX];
	struct stat st, of_dir;

	snprintf(dir, sizeof(dir), "%.*s", (int)(strrchr(name, '/') - name), name);
	if (lstat(*dir ? dir : "/", &of_dir) < 0 || lstat(name, &st) < 0)
		return false;
	if (is_closed(*dir ? dir : "/", &of_dir))
		return true;
	return of_dir.st_mode & S_ISVTX && own_walk_is_of_others(&of_dir) &&
	       (by_its_owner ? own_walk_is_of_others(&st) : st.st_uid == 0);
}

bool own_walk_is_kept(const char *path, bool by_its_owner)
{
	char name[PATH_MAX];
	const char *end = path;

	while (*end && strlen(path) < sizeof(name)) {
		end += strspn(end, "/");
		end += strcspn(end, "/");
		snprintf(name, sizeof(name), "%.*s", (int)(end - path), path);
		if (*name && !is_kept(name, by_its_owner))
			return false;
	}
	return !*end;
}

bool own_walk_is_guarded(const char *path)
{
	_strv_ struct strv links = STRV_INIT, names = STRV_INIT;
	struct own_walk w = {.names = &names};
	struct stat st;
	bool is_guarded = own_walk(path, &w, &links, NULL) == 0 && *w.at && lstat(w.at, &st) == 0 &&
			  is_closed(w.at, &st) && strv_check(&names, NULL) == 0;

	for (size_t i = 0; i < names.n && is_guarded; i++)
		is_guarded = is_kept(names.items[i], true);
	return is_guarded;
}
