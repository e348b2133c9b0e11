/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_FILESET_H
#define CSBX_IMAGE_FILESET_H

/*
 * Named files, in a directory or in a tar: a layout, a docker-archive and their tarred forms all
 * have such. Names are relative and cleaned by layer_clean_path(). In a directory no symbolic link
 * is followed at any step, and only regular files are opened, without blocking on a FIFO; in an
 * archive links are followed inside it (archive_index_find()).
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/oci/archive_index.h"

struct err;
struct strbuf;

struct fileset {
	int fd; /* the directory or the archive; the caller's */
	bool is_archive;
	struct archive_index index;
};

/* A stretch of a file to pread. */
struct file_range {
	int fd;
	uint64_t offset, length;
	bool owns_fd; /* close fd when done */
};

/* Any directory fd. */
void fileset_open_directory(struct fileset *f, int fd);
/* A regular file that holds a plain tar; reads all its headers. */
int fileset_open_archive(struct fileset *f, int fd, struct err *e);
void fileset_close(struct fileset *f);
#define _fileset_ __attribute__((cleanup(fileset_close)))

/* True when name is there, as a file of any kind. */
bool fileset_has(const struct fileset *f, const char *name);

/* -ENOENT when it is not there. */
int fileset_open(const struct fileset *f, const char *name, struct file_range *ret, struct err *e);

/* Appends a whole file; more than max bytes is -EFBIG. */
int fileset_read(const struct fileset *f, const char *name, size_t max, struct strbuf *out,
		 struct err *e);

#endif
