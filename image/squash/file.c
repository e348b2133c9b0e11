/* SPDX-License-Identifier: Apache-2.0 */
#include "image/squash/file.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <sqfs/error.h>
#include <sqfs/io.h>

#include "runtime/base/io.h"

struct squash_file {
	sqfs_file_t base; /* first: the library knows this alone */
	int fd, saved_errno;
	uint64_t size;
};

static int file_read_at(sqfs_file_t *f, sqfs_u64 offset, void *buf, size_t len)
{
	struct squash_file *file = (struct squash_file *)f;
	int r = io_pread_exact(file->fd, buf, len, offset, NULL);

	if (r < 0)
		file->saved_errno = -r;
	return r < 0 ? SQFS_ERROR_IO : 0;
}

static int file_write_at(sqfs_file_t *f, sqfs_u64 offset, const void *buf, size_t len)
{
	struct squash_file *file = (struct squash_file *)f;
	int r = io_pwrite_all(file->fd, buf, len, offset, NULL);

	if (r < 0) {
		file->saved_errno = -r;
		return SQFS_ERROR_IO;
	}
	if (offset + len > file->size)
		file->size = offset + len;
	return 0;
}

static sqfs_u64 file_get_size(const sqfs_file_t *f)
{
	return ((const struct squash_file *)f)->size;
}

static int file_truncate(sqfs_file_t *f, sqfs_u64 size)
{
	struct squash_file *file = (struct squash_file *)f;

	if (ftruncate(file->fd, (off_t)size) < 0) {
		file->saved_errno = errno;
		return SQFS_ERROR_IO;
	}
	file->size = size;
	return 0;
}

static void file_destroy(sqfs_object_t *o)
{
	free(o);
}

struct sqfs_file_t *squash_file_new(int fd)
{
	struct squash_file *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	*f = (struct squash_file){
		.base = {.base = {.destroy = file_destroy},
			 .read_at = file_read_at,
			 .write_at = file_write_at,
			 .get_size = file_get_size,
			 .truncate = file_truncate},
		.fd = fd,
	};
	return &f->base;
}

int squash_file_errno(const struct sqfs_file_t *f)
{
	return ((const struct squash_file *)f)->saved_errno;
}
