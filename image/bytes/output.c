/* SPDX-License-Identifier: Apache-2.0 */
#include "image/bytes/output.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/linux_calls.h"
#include "runtime/base/str.h"

#define SUFFIX_LEN 6
#define ATTEMPTS 100

/* Held by a living writer; released by its death. OFD locks work on network file systems too. */
static int lock(int fd)
{
	struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	return fcntl(fd, F_OFD_SETLK, &l);
}

static int temporary_name(const struct output *o, char **ret, struct err *e)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
	unsigned char random[SUFFIX_LEN];
	char suffix[SUFFIX_LEN + 1] = {0};

	if (getrandom(random, sizeof(random), 0) != (ssize_t)sizeof(random))
		return err_sys(e, "random name");
	for (size_t i = 0; i < SUFFIX_LEN; i++)
		suffix[i] = letters[random[i] % (sizeof(letters) - 1)];
	free(*ret);
	*ret = str_printf(".%s.%s", o->name, suffix);
	return *ret ? 0 : err_oom(e);
}

static bool is_temporary_of(const struct output *o, const char *name)
{
	size_t len = strlen(o->name);

	return name[0] == '.' && !strncmp(name + 1, o->name, len) && name[1 + len] == '.' &&
	       strlen(name + 2 + len) == SUFFIX_LEN &&
	       strspn(name + 2 + len, "abcdefghijklmnopqrstuvwxyz0123456789") == SUFFIX_LEN;
}

static void remove_if_stale(const struct output *o, const char *name)
{
	_close_ int fd = openat(o->dirfd, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
	    !lock(fd))
		unlinkat(o->dirfd, name, 0);
}

/* Failing to look is no reason not to write. */
static void remove_stale(const struct output *o)
{
	int fd = openat(o->dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!dir) {
		fd_close(&fd);
		return;
	}
	while ((entry = readdir(dir))) {
		if (is_temporary_of(o, entry->d_name))
			remove_if_stale(o, entry->d_name);
	}
	closedir(dir);
}

static int open_named(struct output *o, struct err *e)
{
	int r;

	remove_stale(o);
	for (int i = 0; i < ATTEMPTS; i++) {
		r = temporary_name(o, &o->temporary, e);
		if (r < 0)
			return r;
		o->fd = openat(o->dirfd, o->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
		if (o->fd >= 0) {
			(void)lock(o->fd);
			return 0;
		}
		if (errno != EEXIST)
			break;
	}
	r = err_sys(e, "create %s", o->name);
	free(o->temporary);
	o->temporary = NULL;
	return r;
}

int output_open(struct output *o, int dirfd, const char *name, bool force, struct err *e)
{
	struct stat st;
	bool is_there;

	*o = (struct output){.dirfd = dirfd, .fd = -1, .force = force, .name = strdup(name)};
	if (!o->name)
		return err_oom(e);
	is_there = !fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW);
	if (is_there && (!force || S_ISDIR(st.st_mode)))
		return err_code(e, S_ISDIR(st.st_mode) ? EISDIR : EEXIST, "%s", name);
	if (is_there && !S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode))
		return err_set(e, EINVAL, "%s: not a regular file", name);
	o->fd = openat(dirfd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0644);
	if (o->fd >= 0)
		return 0;
	if (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)
		return open_named(o, e);
	return err_sys(e, "create %s", name);
}

static int link_to(const struct output *o, const char *name)
{
	char proc[32];

	snprintf(proc, sizeof(proc), "/proc/self/fd/%d", o->fd);
	return linkat(AT_FDCWD, proc, o->dirfd, name, AT_SYMLINK_FOLLOW);
}

/* Gives an unnamed file a temporary name, for the one case where it has to replace another. */
static int name_temporarily(struct output *o, struct err *e)
{
	int r;

	remove_stale(o);
	(void)lock(o->fd);
	for (int i = 0; i < ATTEMPTS; i++) {
		r = temporary_name(o, &o->temporary, e);
		if (r < 0)
			return r;
		if (!link_to(o, o->temporary))
			return 0;
		if (errno != EEXIST)
			break;
	}
	r = err_sys(e, "name %s", o->name);
	free(o->temporary);
	o->temporary = NULL;
	return r;
}

static int rename_no_replace(struct output *o)
{
	if (!renameat2(o->dirfd, o->temporary, o->dirfd, o->name, RENAME_NOREPLACE))
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -1;
	/* NFS: link(2) is the call that does not replace */
	if (linkat(o->dirfd, o->temporary, o->dirfd, o->name, 0) < 0)
		return -1;
	return unlinkat(o->dirfd, o->temporary, 0);
}

static int give_name(struct output *o, struct err *e)
{
	int r;

	if (!o->temporary) {
		if (!link_to(o, o->name))
			return 0;
		if (errno != EEXIST || !o->force)
			return err_sys(e, "%s", o->name);
		r = name_temporarily(o, e);
		if (r < 0)
			return r;
	}
	r = o->force ? renameat(o->dirfd, o->temporary, o->dirfd, o->name) : rename_no_replace(o);
	if (r < 0)
		return err_sys(e, "%s", o->name);
	free(o->temporary);
	o->temporary = NULL;
	return 0;
}

int output_commit(struct output *o, struct err *e)
{
	_close_ int dir = -1;
	int r;

	if (fsync(o->fd) < 0)
		return err_sys(e, "write %s", o->name);
	r = give_name(o, e);
	if (r < 0)
		return r;
	fd_close(&o->fd);
	dir = openat(o->dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir >= 0 && fsync(dir) < 0 && errno != EINVAL)
		return err_sys(e, "write the directory of %s", o->name);
	return 0;
}

void output_close(struct output *o)
{
	if (o->temporary)
		unlinkat(o->dirfd, o->temporary, 0);
	fd_close(&o->fd);
	free(o->temporary);
	free(o->name);
	*o = (struct output)OUTPUT_INIT;
}
