/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_LINK_OUT_H
#define CSBX_IMAGE_LINK_OUT_H

/* Where a symbolic link that is made in a directory of the host leads to. */

#include <stdbool.h>

/*
 * False where a link of that target, in the directory dir, leads to a file, or to what is beside it
 * in dir; true where it leads out of dir, or goes by another directory, whatever is there now.
 */
bool link_may_lead_out(int dir, const char *target);

#endif
