/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_BASE_IO_H
#define CSBX_BASE_IO_H

/* Whole reads and writes, always bounded; EINTR is retried, short counts are continued. */

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct err;
struct strbuf;

/* Waits for room even where fd does not (O_NONBLOCK). */
int io_write_all(int fd, const void *buf, size_t len, struct err *e);
int io_pwrite_all(int fd, const void *buf, size_t len, uint64_t offset, struct err *e);

/*
 * The error of a write to fd, from errno: "what: cause". When the file system is full, the message
 * names the directory, because the user asks next which file system it is.
 */
int io_write_failed(int fd, const char *what, struct err *e);

/* Reads exactly len bytes; end of file before that is -EBADMSG. */
int io_read_exact(int fd, void *buf, size_t len, struct err *e);
int io_pread_exact(int fd, void *buf, size_t len, uint64_t offset, struct err *e);

/*
 * read(2) of what csbx was given to read, its standard input above all, which another program may
 * have told not to wait: then we wait, for as long as it takes. Not for what a container chose.
 */
ssize_t io_read_given(int fd, void *buf, size_t len);

/* io_read_all() by it. */
int io_read_all_given(int fd, size_t max, struct strbuf *out, struct err *e);

/* Appends all that fd gives; more than max bytes is -EFBIG. */
int io_read_all(int fd, size_t max, struct strbuf *out, struct err *e);

/* The same of a regular file alone, which is open; path: its name in messages. */
int io_read_regular(int fd, const char *path, size_t max, struct strbuf *out, struct err *e);

/* Opens path beneath dirfd (O_NOFOLLOW|O_NONBLOCK, regular files only) and reads it whole. */
int io_read_file_at(int dirfd, const char *path, size_t max, struct strbuf *out, struct err *e);

/* The same for a file of the user's own, which may be a symbolic link. */
int io_read_path(const char *path, size_t max, struct strbuf *out, struct err *e);

/*
 * Writes a file so that it is either the old or the new one at any time: temporary name in the
 * same directory, fsync where `sync`, rename. An existing file stays unless `replace`: -EEXIST.
 */
struct io_replace {
	int dirfd;
	const char *name;
	mode_t mode;
	unsigned replace : 1, sync : 1;
};
int io_write_file_at(const struct io_replace *where, const void *buf, size_t len, struct err *e);

#endif
