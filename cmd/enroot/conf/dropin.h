/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_ENROOT_DROPIN_H
#define CSBX_ENROOT_DROPIN_H

/*
 * Directories of drop-in files: all of one suffix, in the order of their names' bytes, hidden ones
 * left out. A directory that is not there has no files.
 */

struct err;
struct strv;

/* Adds the full path of each regular file (links are followed) of dir/sub; dir NULL: none. */
int dropin_list(const char *dir, const char *sub, const char *suffix, struct strv *out,
		struct err *e);

/* The last part of a path. */
const char *dropin_name(const char *path);

#endif
