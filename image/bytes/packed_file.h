/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_PACKED_FILE_H
#define CSBX_IMAGE_PACKED_FILE_H

/*
 * A file compressed as one, by gzip (RFC 1952) without name and time, or by zstd (RFC 8878): equal
 * bytes give equal bytes. Each is beside its decoder, in the one file that knows the library.
 */

#include <stdint.h>

#include "image/model/digest.h"

struct err;

struct packed_file {
	int fd; /* without a name; the caller's */
	struct digest digest;
	uint64_t bytes;
};

/* in_fd is read from its beginning. */
int packed_file_gzip(int in_fd, int tmp_dirfd, struct packed_file *ret, struct err *e);
int packed_file_zstd(int in_fd, int tmp_dirfd, struct packed_file *ret, struct err *e);

#endif
