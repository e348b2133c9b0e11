/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_PACK_WHITEOUT_H
#define CSBX_IMAGE_PACK_WHITEOUT_H

/* A layer's members that stand for what it hides (image-spec layer.md, "whiteouts"). */

struct err;

/*
 * A member of that name in the directory dirfd. 1: it is a whiteout, and what it hides is removed;
 * 0: it is a file. An opaque mark hides all that the directory holds now: it comes before what its
 * own layer puts there.
 */
int whiteout_apply(int dirfd, const char *name, struct err *e);

#endif
