/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_TAR_H
#define CSBX_IMAGE_TAR_H

/*
 * Members of a tar stream: ustar, GNU (long names, base-256 numbers, sparse files) and PAX
 * (paths, sizes, times, SCHILY.xattr and LIBARCHIVE.xattr, sparse 0.0 to 1.0), read by libarchive
 * from a struct stream, with none of its own decompressors. Values come as they are in the
 * archive; image/layer/layer.h is the place where they are made safe.
 */

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct err;
struct stream;

struct tar_header {
	const char *path;     /* raw bytes, valid until the next call */
	const char *hardlink; /* NULL: not a hard link */
	const char *symlink;  /* NULL: not a symbolic link */
	mode_t mode;          /* type and permission bits; no type for a hard link */
	int64_t uid, gid, mtime_s;
	int64_t size_bytes; /* apparent size; 0 where the archive gives none */
};

struct tar;

/* The stream stays the caller's and must outlive the reader. */
int tar_open(struct tar **ret, struct stream *s, struct err *e);

/*
 * From a descriptor that may be a pipe; it stays the caller's. gzip, bzip2, xz and zstd are
 * recognised and decompressed by libarchive, in this process.
 */
int tar_open_fd(struct tar **ret, int fd, struct err *e);

/* 1 and the next member, 0 at the end of the archive, -errno. Unread data is passed over. */
int tar_next(struct tar *t, struct tar_header *ret, struct err *e);

/* Extended attributes of the current member, in archive order: 1, or 0 when there are no more. */
int tar_next_xattr(struct tar *t, const char **ret_name, const void **ret_value, size_t *ret_len);

/*
 * The next piece of the member's data and its offset in the file; the space between pieces is a
 * hole. 1, 0 at the end, -errno.
 */
int tar_read(struct tar *t, const void **ret_data, size_t *ret_len, uint64_t *ret_offset,
	     struct err *e);

void tar_close(struct tar **t);
#define _tar_ __attribute__((cleanup(tar_close)))

#endif
