/* SPDX-License-Identifier: Apache-2.0 */
#include "image/credentials/credentials.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/path.h"

#define LOCK_WAIT_MS 5000
#define LOCK_LOOK_MS 50

char *credentials_login_path(const char *authfile)
{
	const char *named = authfile ? authfile : secure_getenv("REGISTRY_AUTH_FILE");
	const char *config = secure_getenv("XDG_CONFIG_HOME"), *home = secure_getenv("HOME");

	if (named && *named)
		return strdup(named);
	if (config && *config)
		return str_printf("%s/containers/auth.json", config);
	return home && *home ? str_printf("%s/.config/containers/auth.json", home) : NULL;
}

/* The directory a file is in, made with its parents when it is missing: 0700. */
static int open_parent(const char *path, const char **ret_name, struct err *e)
{
	_free_ char *dir = strdup(path);
	char *slash = dir ? strrchr(dir, '/') : NULL, rest[PATH_MAX] = "", *save = NULL;
	_close_ int at = -1;
	int fd;

	if (!dir)
		return err_oom(e);
	*ret_name = path + (slash ? slash + 1 - dir : 0);
	if (slash)
		*slash = 0;
	at = path_open_nearest(!slash ? "." : *dir ? dir : "/", rest, e);
	for (char *p = strtok_r(rest, "/", &save); at >= 0 && p; p = strtok_r(NULL, "/", &save)) {
		if (mkdirat(at, p, 0700) < 0 && errno != EEXIST)
			return err_sys(e, "%s", dir);
		fd = openat(at, p, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0)
			return err_sys(e, "%s", dir);
		fd_close(&at);
		at = fd;
	}
	if (at < 0)
		return at;
	fd = openat(at, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? err_sys(e, "%s", slash ? dir : ".") : fd;
}

/* A link, as people have them to their dotfiles, stays one; of another user it is not followed. */
static int find_file(const char *path, char **ret, struct err *e)
{
	struct err why = ERR_INIT;
	_close_ int fd = path_open_source(path, 0, &why);
	char link[40];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	if (fd == -ELOOP)
		return err_set(e, ELOOP, "%s", why.msg);
	*ret = fd < 0 ? NULL : realpath(link, NULL);
	return 0;
}

/*
 * Two logins at once must not lose one of them: the directory is locked from reading to writing
 * (other tools do not lock; they replace the file by rename, as is done here). A program in a
 * container that is shown the directory, read-only even, may hold the lock for as long as it likes.
 */
static int lock(int dirfd, struct err *e)
{
	int left = LOCK_WAIT_MS / LOCK_LOOK_MS;

	while (flock(dirfd, LOCK_EX | LOCK_NB) < 0) {
		if (errno == EINTR)
			continue;
		if (errno != EWOULDBLOCK)
			return err_sys(e, "lock");
		if (!left--)
			return err_set(e, EBUSY,
				       "another process holds the lock of its directory: another "
				       "login, or a program in a container that a mount shows it "
				       "to; end that one");
		(void)poll(NULL, 0, LOCK_LOOK_MS);
	}
	return 0;
}

int credentials_store(const char *authfile, const char *registry, const struct credentials *c,
		      struct err *e)
{
	_strbuf_ struct strbuf text = STRBUF_INIT, edited = STRBUF_INIT;
	_free_ char *named = credentials_login_path(authfile), *real = NULL;
	const char *path = named;
	_close_ int dirfd = -1;
	const char *name = NULL;
	int r, found;

	if (!path)
		return err_set(e, ENOENT, "no home directory to keep credentials in");
	r = find_file(path, &real, e);
	if (r < 0)
		return r;
	path = real ? real : path;
	dirfd = open_parent(path, &name, e);
	if (dirfd < 0)
		return dirfd;
	r = lock(dirfd, e);
	if (r < 0)
		return err_wrap(e, "%s", path);
	r = io_read_file_at(dirfd, name, CREDENTIALS_FILE_MAX, &text, e);
	if (r == -ENOENT)
		r = 0;
	if (r >= 0)
		r = credentials_edit_json(strbuf_str(&text), text.len,
					  credentials_canonical(registry), c, &edited, e);
	found = r;
	if (r >= 0 && (c || found)) {
		struct io_replace where = {dirfd, name, 0600, .replace = 1, .sync = 1};

		r = io_write_file_at(&where, edited.data, edited.len, e);
	}
	if (text.data)
		explicit_bzero(text.data, text.len);
	if (edited.data)
		explicit_bzero(edited.data, edited.len);
	return r < 0 ? err_wrap(e, "%s", path) : found;
}
