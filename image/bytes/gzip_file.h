/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_GZIP_FILE_H
#define CSBX_IMAGE_GZIP_FILE_H

/* A file compressed as gzip (RFC 1952), without name and time: equal bytes give equal bytes. It is
 * in decoder_gzip.c, the one file that knows zlib. */

#include <stdint.h>

#include "image/model/digest.h"

struct err;

struct gzip_file {
	int fd; /* without a name; the caller's */
	struct digest digest;
	uint64_t bytes;
};

/* in_fd is read from its beginning. */
int gzip_file_make(int in_fd, int tmp_dirfd, struct gzip_file *ret, struct err *e);

#endif
