/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_START_FILES_H
#define CSBX_IMAGE_START_FILES_H

/*
 * The files of an image that every start reads: they lie in it uncompressed (squash.h), so that the
 * first start of a program waits for the disk at most.
 */

#include <stdbool.h>

struct err;
struct tree;

/* An element for each inode of the tree, which the caller frees; true for such a file. */
int start_files_find(const struct tree *t, bool **ret, struct err *e);

/* By the last component of a path, len bytes long. */
bool start_files_has(const char *name, unsigned len);

#endif
