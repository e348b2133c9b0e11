/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/base/io.h"

#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/linux_calls.h"
#include "runtime/base/str.h"

#define PATH_SHOWN 300

/* The directory of an open file, cut off where it is long; false: it has none. */
static bool directory_of(int fd, char path[PATH_SHOWN])
{
	char self[32], *slash;
	ssize_t n;

	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	n = readlink(self, path, PATH_SHOWN - 1);
	if (n <= 0 || path[0] != '/')
		return false;
	path[n] = 0;
	slash = strrchr(path, '/');
	slash[slash == path] = 0;
	return true;
}

int io_write_failed(int fd, const char *what, struct err *e)
{
	char path[PATH_SHOWN];
	int code = errno;

	if ((code == ENOSPC || code == EDQUOT) && directory_of(fd, path))
		return err_code(e, code, "%s in %s", what, path);
	return err_code(e, code, "%s", what);
}

/*
 * After a failed read or write: whether to try again. Another program may have made a descriptor
 * that we are given, a terminal above all, non-blocking: then we wait. Other reads do not wait: of
 * what is read without waiting, some was chosen by the container.
 */
static bool wait_for(int fd, short events)
{
	struct pollfd p = {.fd = fd, .events = events};
	int flags;

	if (errno != EAGAIN)
		return errno == EINTR;
	flags = fcntl(fd, F_GETFL);
	if (flags < 0 || !(flags & O_NONBLOCK)) {
		errno = EAGAIN;
		return false;
	}
	return poll(&p, 1, -1) >= 0 || errno == EINTR;
}

int io_write_all(int fd, const void *buf, size_t len, struct err *e)
{
	const char *p = buf;

	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && wait_for(fd, POLLOUT))
			continue;
		if (n < 0)
			return io_write_failed(fd, "write", e);
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

int io_pwrite_all(int fd, const void *buf, size_t len, uint64_t offset, struct err *e)
{
	const char *p = buf;

	while (len) {
		ssize_t n = pwrite(fd, p, len, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return io_write_failed(fd, "write", e);
		p += n;
		len -= (size_t)n;
		offset += (uint64_t)n;
	}
	return 0;
}

int io_read_exact(int fd, void *buf, size_t len, struct err *e)
{
	char *p = buf;

	while (len) {
		ssize_t n = read(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(e, "read");
		if (!n)
			return err_set(e, EBADMSG, "read: unexpected end of file");
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

int io_pread_exact(int fd, void *buf, size_t len, uint64_t offset, struct err *e)
{
	char *p = buf;

	while (len) {
		ssize_t n = pread(fd, p, len, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(e, "read");
		if (!n)
			return err_set(e, EBADMSG, "read: unexpected end of file");
		p += n;
		len -= (size_t)n;
		offset += (uint64_t)n;
	}
	return 0;
}

ssize_t io_read_given(int fd, void *buf, size_t len)
{
	ssize_t n;

	do
		n = read(fd, buf, len);
	while (n < 0 && wait_for(fd, POLLIN));
	return n;
}

static int read_all(int fd, size_t max, bool is_given, struct strbuf *out, struct err *e)
{
	char chunk[16384];
	size_t total = 0;

	for (;;) {
		ssize_t n = is_given ? io_read_given(fd, chunk, sizeof(chunk))
				     : read(fd, chunk, sizeof(chunk));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(e, "read");
		if (!n)
			return strbuf_check(out, e);
		total += (size_t)n;
		if (total > max)
			return err_set(e, EFBIG, "larger than %zu bytes", max);
		strbuf_add(out, chunk, (size_t)n);
	}
}

int io_read_all(int fd, size_t max, struct strbuf *out, struct err *e)
{
	return read_all(fd, max, false, out, e);
}

int io_read_all_given(int fd, size_t max, struct strbuf *out, struct err *e)
{
	return read_all(fd, max, true, out, e);
}

int io_read_regular(int fd, const char *path, size_t max, struct strbuf *out, struct err *e)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_sys(e, "stat %s", path);
	if (!S_ISREG(st.st_mode))
		return err_set(e, EINVAL, "%s: not a regular file", path);
	return io_read_all(fd, max, out, e) < 0 ? err_wrap(e, "%s", path) : 0;
}

static int read_file(int dirfd, const char *path, int flags, size_t max, struct strbuf *out,
		     struct err *e)
{
	_close_ int fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags);

	return fd < 0 ? err_sys(e, "open %s", path) : io_read_regular(fd, path, max, out, e);
}

int io_read_file_at(int dirfd, const char *path, size_t max, struct strbuf *out, struct err *e)
{
	return read_file(dirfd, path, O_NOFOLLOW, max, out, e);
}

int io_read_path(const char *path, size_t max, struct strbuf *out, struct err *e)
{
	return read_file(AT_FDCWD, path, 0, max, out, e);
}

int io_write_file_at(const struct io_replace *where, const void *buf, size_t len, struct err *e)
{
	char tmp[32];
	uint64_t random;
	_close_ int fd = -1;
	int r;

	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		return err_sys(e, "random name");
	snprintf(tmp, sizeof(tmp), ".tmp-%016llx", (unsigned long long)random);
	fd = openat(where->dirfd, tmp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
		    where->mode);
	if (fd < 0)
		return err_sys(e, "create %s", where->name);
	r = io_write_all(fd, buf, len, e);
	if (r >= 0 && where->sync && fsync(fd) < 0)
		r = err_sys(e, "sync");
	if (r >= 0 && renameat2(where->dirfd, tmp, where->dirfd, where->name,
				where->replace ? 0 : RENAME_NOREPLACE) < 0)
		r = err_sys(e, "rename");
	if (r < 0) {
		unlinkat(where->dirfd, tmp, 0);
		return err_wrap(e, "write %s", where->name);
	}
	if (where->sync && fsync(where->dirfd) < 0)
		return err_sys(e, "sync directory of %s", where->name);
	return 0;
}
