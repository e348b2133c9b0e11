/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/record/container_again.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/record/container_index.h"
#include "runtime/spec/name.h"

#define AGAIN ".ids/again"
#define PATH_BYTES (sizeof(AGAIN "/") + NAME_ID_DIGITS)

static void entry_path(const char *id, char ret[PATH_BYTES])
{
	snprintf(ret, PATH_BYTES, AGAIN "/%.*s", (int)NAME_ID_DIGITS, id);
}

/* The index leads from the id to the name, which may change while the supervisor waits. */
int container_again_put(int dirfd, const char *id, const char *name, struct err *e)
{
	char path[PATH_BYTES];
	_close_ int fd = -1;
	int r = container_index_put(dirfd, id, name, e);

	if (r < 0)
		return r;
	if (mkdirat(dirfd, AGAIN, 0700) < 0 && errno != EEXIST)
		return err_sys(e, "make %s", AGAIN);
	entry_path(id, path);
	fd = openat(dirfd, path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	return fd < 0 ? err_sys(e, "make %s", path) : 0;
}

void container_again_remove(int dirfd, const char *id)
{
	char path[PATH_BYTES];

	entry_path(id, path);
	(void)unlinkat(dirfd, path, 0);
}

static DIR *open_entries(int dirfd)
{
	int fd = openat(dirfd, AGAIN, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);

	if (!d)
		fd_close(&fd);
	return d;
}

int container_again_list(int dirfd, struct strv *ret, struct err *e)
{
	DIR *d = open_entries(dirfd);
	const struct dirent *ent;
	int r = 0;

	while (d && r != -ENOMEM && (ent = readdir(d))) {
		if (name_is_id(ent->d_name))
			r = container_index_find(dirfd, ent->d_name, ret, e);
	}
	if (d)
		closedir(d);
	return r == -ENOMEM ? r : 0;
}

void container_again_sweep(int dirfd)
{
	DIR *d = open_entries(dirfd);
	const struct dirent *ent;
	char path[PATH_BYTES];

	while (d && (ent = readdir(d))) {
		_strv_ struct strv names = STRV_INIT;

		/* It had its entry in the index first. */
		if (!name_is_id(ent->d_name) ||
		    container_index_find(dirfd, ent->d_name, &names, NULL) == -ENOMEM || names.n)
			continue;
		entry_path(ent->d_name, path);
		(void)unlinkat(dirfd, path, 0);
	}
	if (d)
		closedir(d);
}
