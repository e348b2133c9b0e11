/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_TAR_SOURCE_H
#define CSBX_IMAGE_TAR_SOURCE_H

/* A root file system's tar, compressed or not, from a file or a pipe, as an image of one layer. */

#include <stdint.h>

struct digest;
struct err;
struct image_source;

/*
 * A descriptor of a regular file that holds a plain tar from its beginning. Input that cannot be
 * read twice, or is compressed, is copied beneath tmp_dirfd. fd stays the caller's.
 */
int tar_plain_file(int fd, int tmp_dirfd, struct err *e);

/* sha256 of a regular file's first bytes. */
int tar_hash(int fd, uint64_t bytes, struct digest *ret, struct err *e);

/* Fills s but for its config, which the caller makes: layers[0].diff_id is what it needs. */
int tar_source_open(struct image_source *s, int fd, int tmp_dirfd, struct err *e);

#endif
