/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/judge/test/clone.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/judge/test/clone_url.h"
#include "cmd/judge/test/git.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/kernel/file_lock.h"
#include "runtime/settings/paths.h"
#include "runtime/userns/tree_remove.h"

#define NAME_BYTES_MAX 200u

static bool is_hash(const char *s)
{
	size_t n = strlen(s);

	return (n == 40 || n == 64) && strspn(s, "0123456789abcdef") == n;
}

int clone_check(const char *url, const char *commit, struct err *e)
{
	static const char *const protocols[] = {"https://", "http://", "git://", "file:///"};
	bool known = *url == '/';

	for (size_t i = 0; i < sizeof(protocols) / sizeof(protocols[0]); i++)
		known = known || str_has_prefix(url, protocols[i]);
	if (!known)
		return err_set(e, EINVAL,
			       "--clone: must be an https, http, git or file URL or an "
			       "absolute path");
	for (const char *p = url; *p; p++) {
		if ((unsigned char)*p <= ' ' || *p == 0x7f)
			return err_set(e, EINVAL, "--clone: a blank or control character");
	}
	if (!commit)
		return err_set(e, EINVAL, "--clone: needs --commit");
	if (!is_hash(commit))
		return err_set(e, EINVAL,
			       "--commit %.64s: must be a full hash, 40 or 64 hex digits", commit);
	return 0;
}

/* The URL as a file name: a byte that is no letter, digit, dot or dash becomes %XX. */
static int cache_name(const char *url, struct strbuf *out, struct err *e)
{
	static const char plain[] =
		"-.0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

	for (const char *p = url; *p; p++) {
		if (strchr(plain, *p))
			strbuf_addch(out, *p);
		else
			strbuf_addf(out, "%%%02x", (unsigned char)*p);
	}
	if (out->len > NAME_BYTES_MAX)
		return err_set(e, ENAMETOOLONG, "--clone: the URL is too long");
	return strbuf_check(out, e);
}

static bool has_commit(const char *dir, const char *commit)
{
	_free_ char *object = str_printf("%s^{commit}", commit);
	const char *const args[] = {"cat-file", "-e", object, NULL};

	return object && git_run(dir, args, NULL, NULL) >= 0;
}

/* The commit alone; if a server gives only commits that a name leads to, all that has a name. */
static int fetch(const char *dir, const struct clone_url *from, const char *commit, struct err *e)
{
	const char *url = from->url;
	const char *const one[] = {"fetch",     "--quiet", "--no-tags", "--no-recurse-submodules",
				   "--depth=1", "--",      url,         commit,
				   NULL};
	const char *const deepen[] = {
		"fetch",       "--quiet", "--no-tags", "--no-recurse-submodules",
		"--unshallow", "--",      url,         "+refs/*:refs/fetched/*",
		NULL};
	const char *const all[] = {"fetch",
				   "--quiet",
				   "--no-tags",
				   "--no-recurse-submodules",
				   "--",
				   url,
				   "+refs/*:refs/fetched/*",
				   NULL};
	_free_ char *shallow = str_printf("%s/shallow", dir);
	struct err first = ERR_INIT;

	if (git_run(dir, one, from, &first) >= 0 && has_commit(dir, commit))
		return 0;
	if (!shallow)
		return err_oom(e);
	if (git_run(dir, access(shallow, F_OK) == 0 ? deepen : all, from, e) < 0)
		return err_wrap(e, "fetch %s", url);
	if (!has_commit(dir, commit))
		return err_set(e, ENOENT, "fetch %s: it has no commit %s", url, commit);
	return 0;
}

static int lock(int dirfd, const char *name, const char *suffix, bool exclusive, struct err *e)
{
	_free_ char *file = str_printf("%s%s", name, suffix);
	int fd;

	if (!file)
		return err_oom(e);
	fd = file_lock_open(dirfd, file, exclusive);
	return fd < 0 ? err_code(e, fd, "lock %s", file) : fd;
}

/*
 * What a git that was killed, or went down with the machine, has left. The caller has the
 * repository for itself: these belong to no user.
 */
static void remove_stale_locks(const char *dir)
{
	static const char *const files[] = {"config.lock", "shallow.lock", "HEAD.lock",
					    "packed-refs.lock"};
	_close_ int fd = open(dir, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	for (size_t i = 0; fd >= 0 && i < sizeof(files) / sizeof(files[0]); i++)
		(void)unlinkat(fd, files[i], 0);
}

static int fill(const char *dir, const struct clone_url *url, const char *commit, struct err *e)
{
	const char *const init[] = {"init", "--quiet", "--bare", "--template=", "--", dir, NULL};
	int r;

	remove_stale_locks(dir);
	r = git_run(NULL, init, NULL, e);
	return r < 0 ? r : fetch(dir, url, commit, e);
}

/*
 * The repository in the cache may be damaged, and git's words for that do not help a user: csbx
 * fetches into an empty place, and puts the result in place of the old one. When that fails too it
 * was not the cache, and that stays.
 */
static int fill_anew(int repos, const char *dir, const struct clone_url *url, const char *commit,
		     struct err *e)
{
	_free_ char *fresh = str_printf("%s.new", dir);
	const char *name = fresh ? strrchr(fresh, '/') + 1 : NULL, *old = strrchr(dir, '/') + 1;
	int r = fresh ? tree_remove(repos, name, e) : err_oom(e);

	if (r >= 0)
		r = fill(fresh, url, commit, e);
	if (r >= 0 && renameat2(repos, name, repos, old, RENAME_EXCHANGE) < 0)
		r = err_sys(e, "replace %s", dir);
	if (fresh)
		(void)tree_remove(repos, name, NULL);
	return r;
}

int clone_fetch(const struct paths *paths, const char *url, const char *commit, struct clone *ret,
		struct err *e)
{
	_strbuf_ struct strbuf name = STRBUF_INIT;
	_clone_url_ struct clone_url from = {0};
	_close_ int repos = -1, locked = -1, use = -1;
	_free_ char *dir = NULL;
	int r = clone_check(url, commit, e);

	if (r >= 0)
		r = clone_url_split(url, &from, e);
	if (r >= 0)
		r = cache_name(from.url, &name, e);
	if (r < 0)
		return r;
	repos = paths_open(paths->cache, "repos", e);
	if (repos < 0)
		return repos;
	dir = str_printf("%s/repos/%s.git", paths->cache, strbuf_str(&name));
	if (!dir)
		return err_oom(e);
	use = lock(repos, strbuf_str(&name), ".use", false, e);
	if (use < 0)
		return use;
	locked = lock(repos, strbuf_str(&name), ".lock", true, e);
	if (locked < 0)
		return locked;
	if (!has_commit(dir, commit)) {
		bool is_new = access(dir, F_OK) < 0;

		r = fill(dir, &from, commit, e);
		/* Not under the eyes of others who use what is good of it. */
		if (r < 0 && !is_new && file_lock_try(use, true) >= 0) {
			r = fill_anew(repos, dir, &from, commit, e);
			(void)file_lock_try(use, false);
		}
	}
	if (r < 0)
		return r;
	(void)utimensat(AT_FDCWD, dir, NULL, 0); /* when it was last used */
	ret->dir = take_ptr(dir);
	ret->url = take_ptr(from.url);
	ret->use_fd = take_fd(&use);
	return 0;
}

void clone_close(struct clone *c)
{
	free(c->dir);
	free(c->url);
	fd_close(&c->use_fd);
	*c = (struct clone)CLONE_INIT;
}
