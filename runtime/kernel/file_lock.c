/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/kernel/file_lock.h"

#include <errno.h>
#include <fcntl.h>

#include "runtime/base/fd.h"

static int lock(int fd, bool exclusive, off_t from, int command)
{
	struct flock l = {
		.l_type = exclusive ? F_WRLCK : F_RDLCK, .l_whence = SEEK_SET, .l_start = from};
	int r;

	do {
		r = fcntl(fd, command, &l);
	} while (r < 0 && errno == EINTR);
	if (r < 0)
		return errno == EACCES ? -EAGAIN : -errno;
	return 0;
}

int file_lock_try(int fd, bool exclusive)
{
	return lock(fd, exclusive, 0, F_OFD_SETLK);
}

int file_lock_wait(int fd, bool exclusive)
{
	return lock(fd, exclusive, 0, F_OFD_SETLKW);
}

int file_lock_open(int dirfd, const char *name, bool exclusive)
{
	_close_ int fd = openat(dirfd, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	int r = fd < 0 ? -errno : file_lock_wait(fd, exclusive);

	return r < 0 ? r : take_fd(&fd);
}

int file_lock_claim(int fd)
{
	return lock(fd, true, 1, F_OFD_SETLK);
}

bool file_lock_is_held(int fd)
{
	/* A read lock conflicts with write locks only; a claim leaves the first byte out. */
	struct flock l = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_len = 1};

	return !fcntl(fd, F_OFD_GETLK, &l) && l.l_type != F_UNLCK;
}
