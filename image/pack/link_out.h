/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_LINK_OUT_H
#define CSBX_IMAGE_LINK_OUT_H

/* Where a symbolic link that is made in a directory of the host leads to. */

#include <stdbool.h>

/*
 * True where a link of that target, in the directory dir, leads out of it to a directory that is
 * there, or that is once the names exist that the target passes by and takes back ("x/../..").
 */
bool link_leads_out(int dir, const char *target);

#endif
