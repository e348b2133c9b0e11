/* SPDX-License-Identifier: Apache-2.0 */
#include "image/bytes/spool.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/random.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"

#define COPY_CHUNK (256u << 10)

static int open_unnamed(int dirfd, struct err *e)
{
	char name[40];
	uint64_t random;
	int fd = openat(dirfd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT))
		return fd < 0 ? err_sys(e, "temporary file") : fd;
	/* A file system without O_TMPFILE: the name lives for one call. */
	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		return err_sys(e, "random name");
	snprintf(name, sizeof(name), ".csbx-spool-%016llx", (unsigned long long)random);
	fd = openat(dirfd, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_sys(e, "temporary file");
	unlinkat(dirfd, name, 0);
	return fd;
}

int spool_open(struct spool *s, int tmp_dirfd, struct err *e)
{
	s->bytes = 0;
	s->fd = open_unnamed(tmp_dirfd, e);
	return s->fd < 0 ? s->fd : 0;
}

int spool_write(struct spool *s, const void *data, size_t len, struct err *e)
{
	int r;

	s->bytes += len;
	if (s->bytes > SPOOL_MAX_BYTES)
		return err_set(e, EFBIG, "larger than %llu GiB",
			       (unsigned long long)(SPOOL_MAX_BYTES >> 30));
	r = io_write_all(s->fd, data, len, e);
	if (r >= 0 && s->watch.written)
		s->watch.written(s->watch.arg, s->bytes);
	return r < 0 ? err_wrap(e, "temporary file") : 0;
}

void spool_close(struct spool *s)
{
	fd_close(&s->fd);
}

int spool_copy(int fd, int tmp_dirfd, struct err *e)
{
	return spool_copy_watched(fd, tmp_dirfd, &(struct spool_watch){NULL, NULL}, e);
}

int spool_copy_watched(int fd, int tmp_dirfd, const struct spool_watch *w, struct err *e)
{
	_spool_ struct spool out = {.fd = -1, .watch = *w};
	_free_ char *buf = malloc(COPY_CHUNK);
	int r = buf ? spool_open(&out, tmp_dirfd, e) : err_oom(e);

	while (r >= 0) {
		ssize_t n = io_read_given(fd, buf, COPY_CHUNK);

		if (n < 0)
			return err_sys(e, "read");
		if (!n)
			return take_fd(&out.fd);
		r = spool_write(&out, buf, (size_t)n, e);
	}
	return r;
}
