/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_LINK_OUT_H
#define CSBX_IMAGE_LINK_OUT_H

/* A symbolic link that comes out of a container: where it leads to, and how it is made. */

#include <stdbool.h>
#include <stdint.h>

struct err;

/*
 * False where a link of that target, in the directory dir, leads to a file, or to what is beside it
 * in dir; true where it leads out of dir, or goes by another directory, whatever is there now.
 */
bool link_may_lead_out(int dir, const char *target);

/*
 * Makes the link with the mark of PATH_COPIED_LINK_NS; returns its descriptor (O_PATH). The name is
 * free, and there is no moment at which it stands for a link without the mark: -EEXIST where a file
 * came meanwhile. A process that is killed here may leave a link of PATH_NEW_LINK_PREFIX.
 */
int link_out_make(int dir, const char *name, const char *target, int64_t mtime_s, struct err *e);

#endif
