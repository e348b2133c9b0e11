/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/start/spare_place.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/settings/paths.h"

#define LOCK_SUFFIX ".lock"
#define SPARES_MAX 4u /* more take memory and processes that the user may want */
#define HASH_BYTES 16 /* what both names begin with */

int spare_place_open(const struct paths *paths, struct err *e)
{
	return paths_open(paths->runtime, "spares", e);
}

static int lock(int dirfd, const char *name, int flags)
{
	const struct flock whole = {.l_type = F_WRLCK};
	_close_ int fd = openat(dirfd, name, flags | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0600);
	struct stat st;

	if (fd < 0 || fcntl(fd, F_OFD_SETLK, &whole) < 0 || fstat(fd, &st) < 0)
		return -errno;
	/* One that was taken away between the two locks nothing. */
	return st.st_nlink ? take_fd(&fd) : -EAGAIN;
}

int spare_place_take(int dirfd, const char *name, struct err *e)
{
	_free_ char *file = str_printf("%.*s" LOCK_SUFFIX, HASH_BYTES, name);
	int fd = file ? lock(dirfd, file, O_CREAT) : -ENOMEM;

	if (fd < 0)
		return err_code(e, -fd, "spare: %s", name);
	if (spare_place_sweep(dirfd) <= SPARES_MAX) /* ours is one of them */
		return fd;
	spare_place_leave(dirfd, name);
	close(fd);
	return err_set(e, EMFILE, "spare: there are %u of others", SPARES_MAX);
}

static void remove_pair(int dirfd, const char *name)
{
	char sock[HASH_BYTES + sizeof(".sock")], file[HASH_BYTES + sizeof(LOCK_SUFFIX)];

	snprintf(sock, sizeof(sock), "%.*s.sock", HASH_BYTES, name);
	snprintf(file, sizeof(file), "%.*s" LOCK_SUFFIX, HASH_BYTES, name);
	(void)unlinkat(dirfd, sock, 0);
	(void)unlinkat(dirfd, file, 0);
}

void spare_place_leave(int dirfd, const char *name)
{
	remove_pair(dirfd, name);
}

unsigned spare_place_sweep(int dirfd)
{
	int copy = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);
	const struct dirent *d;
	unsigned n = 0;

	if (!dir) {
		fd_close(&copy);
		return 0;
	}
	while ((d = readdir(dir))) {
		_close_ int fd = -1;

		if (strlen(d->d_name) != HASH_BYTES + sizeof(LOCK_SUFFIX) - 1 ||
		    !str_has_suffix(d->d_name, LOCK_SUFFIX))
			continue;
		fd = lock(dirfd, d->d_name, 0);
		if (fd >= 0)
			remove_pair(dirfd, d->d_name);
		n += fd == -EAGAIN || fd == -EACCES;
	}
	closedir(dir);
	return n;
}
