/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_TAR_OUT_H
#define CSBX_IMAGE_TAR_OUT_H

/*
 * Writes a tar to a descriptor: ustar headers (POSIX.1-1988), with a PAX extended header
 * (POSIX.1-2001) before a member whose name, link, size, owner or time does not fit, or that has
 * extended attributes (SCHILY.xattr.NAME, as GNU tar writes them). csbx uses no other part of PAX,
 * so that every tar since then reads it.
 */

#include <stddef.h>
#include <stdint.h>

#include "image/layer/tar.h"
#include "runtime/base/str.h"

struct err;

struct tar_out {
	int fd; /* the caller's */
	struct strbuf buf;
	struct strbuf xattrs; /* records of the next member */
	uint64_t pos;         /* bytes of the archive */
	uint64_t left;        /* data that the current member still needs */
};

void tar_out_init(struct tar_out *t, int fd);
void tar_out_free(struct tar_out *t);

/* An extended attribute of the next member. */
void tar_out_xattr(struct tar_out *t, const char *name, const void *value, size_t len);
/* The next member; a regular file's size_bytes of data must follow. */
int tar_out_member(struct tar_out *t, const struct tar_header *h, struct err *e);
int tar_out_data(struct tar_out *t, const void *data, size_t len, struct err *e);
int tar_out_zeros(struct tar_out *t, uint64_t len, struct err *e);
/* The two empty blocks that end an archive; writes what is held back. */
int tar_out_end(struct tar_out *t, struct err *e);

#endif
