/* SPDX-License-Identifier: Apache-2.0 */
#include "image/oci/fileset.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "image/layer/layer.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/str.h"

/*
 * The input of archive_index_scan(). The size was taken once: a file that grows does not concern
 * it.
 */
struct archive_file {
	int fd;
	uint64_t size_bytes;
};

static ssize_t read_archive(void *arg, void *buf, size_t len, uint64_t offset, struct err *e)
{
	const struct archive_file *file = arg;
	size_t done = 0;

	if (offset >= file->size_bytes)
		return 0;
	if (len > file->size_bytes - offset)
		len = (size_t)(file->size_bytes - offset);
	while (done < len) {
		ssize_t n = pread(file->fd, (char *)buf + done, len - done, (off_t)(offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(e, "read");
		if (!n)
			break;
		done += (size_t)n;
	}
	return (ssize_t)done;
}

void fileset_open_directory(struct fileset *f, int fd)
{
	*f = (struct fileset){.fd = fd};
}

int fileset_open_archive(struct fileset *f, int fd, struct err *e)
{
	struct archive_file file = {.fd = fd};
	struct archive_input in = {.read = read_archive, .arg = &file};
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_sys(e, "stat");
	in.size_bytes = file.size_bytes = (uint64_t)st.st_size;
	*f = (struct fileset){.fd = fd, .is_archive = true};
	return archive_index_scan(&in, &f->index, e);
}

void fileset_close(struct fileset *f)
{
	archive_index_free(&f->index);
	*f = (struct fileset){.fd = -1};
}

/* Opens name below dirfd one component at a time, so that no link is followed on the way. */
static int open_below(int dirfd, const char *name, int flags)
{
	_close_ int parent = -1;
	int at = dirfd;

	for (;;) {
		size_t n = strcspn(name, "/");
		char component[LAYER_NAME_MAX + 1];
		int fd;

		memcpy(component, name, n);
		component[n] = 0;
		fd = openat(at, component,
			    O_CLOEXEC | O_NOFOLLOW | (name[n] ? O_PATH | O_DIRECTORY : flags));
		if (fd < 0 || !name[n])
			return fd;
		fd_close(&parent);
		at = parent = fd;
		name += n + 1;
	}
}

bool fileset_has(const struct fileset *f, const char *name)
{
	_strbuf_ struct strbuf clean = STRBUF_INIT;
	_close_ int fd = -1;

	if (layer_clean_path(name, &clean, NULL) < 0 || !clean.len)
		return false;
	if (f->is_archive)
		return archive_index_get(&f->index, clean.data);
	fd = open_below(f->fd, clean.data, O_PATH);
	return fd >= 0;
}

static int open_in_directory(int dirfd, const char *name, struct file_range *ret, struct err *e)
{
	_strbuf_ struct strbuf clean = STRBUF_INIT;
	_close_ int fd = -1;
	struct stat st;
	int r = layer_clean_path(name, &clean, e);

	if (r < 0)
		return r;
	if (!clean.len)
		return err_set(e, EBADMSG, "empty name");
	fd = open_below(dirfd, clean.data, O_RDONLY | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 && errno == ELOOP)
		return err_set(e, EBADMSG, "%.200s: a symbolic link", clean.data);
	if (fd < 0)
		return err_sys(e, "%.200s", clean.data);
	if (fstat(fd, &st) < 0)
		return err_sys(e, "%.200s", clean.data);
	if (!S_ISREG(st.st_mode))
		return err_set(e, EBADMSG, "%.200s: not a regular file", clean.data);
	*ret = (struct file_range){.length = (uint64_t)st.st_size, .owns_fd = true};
	ret->fd = take_fd(&fd);
	return 0;
}

int fileset_open(const struct fileset *f, const char *name, struct file_range *ret, struct err *e)
{
	const struct archive_member *m;
	int r;

	if (!f->is_archive)
		return open_in_directory(f->fd, name, ret, e);
	r = archive_index_find(&f->index, name, &m, e);
	if (r < 0)
		return r;
	*ret = (struct file_range){.fd = f->fd, .offset = m->offset, .length = m->size_bytes};
	return 0;
}

int fileset_read(const struct fileset *f, const char *name, size_t max, struct strbuf *out,
		 struct err *e)
{
	struct file_range range;
	_close_ int owned = -1;
	_free_ char *buf = NULL;
	int r = fileset_open(f, name, &range, e);

	if (r < 0)
		return r;
	owned = range.owns_fd ? range.fd : -1;
	if (range.length > max)
		return err_set(e, EFBIG, "%.200s: larger than %zu bytes", name, max);
	buf = malloc(range.length + 1);
	if (!buf)
		return err_oom(e);
	r = io_pread_exact(range.fd, buf, range.length, range.offset, e);
	if (r < 0)
		return err_wrap(e, "%.200s", name);
	strbuf_add(out, buf, range.length);
	return strbuf_check(out, e);
}
