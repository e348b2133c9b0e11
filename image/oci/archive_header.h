/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_ARCHIVE_HEADER_H
#define CSBX_IMAGE_ARCHIVE_HEADER_H

/* One 512-byte block of a tar as a struct; part of image/oci/archive_index.h. Pure. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "image/oci/archive_index.h"

enum header_kind { HEADER_MEMBER, HEADER_PAX, HEADER_GLOBAL, HEADER_LONG_NAME, HEADER_LONG_LINK };

struct archive_header {
	enum header_kind kind;
	enum member_type type; /* of a HEADER_MEMBER */
	char name[257], link[101];
	uint64_t size_bytes;
	bool sparse_continues; /* a GNU sparse map goes on in the next block */
};

/* 1, 0 for the block of zeros that ends an archive, -EBADMSG for what is no header. */
int archive_header_parse(const unsigned char *block, struct archive_header *ret);

/* Digits only, at least one, no overflow; 0 or -EBADMSG. */
int archive_header_decimal(const char *p, size_t len, uint64_t *ret);

#endif
