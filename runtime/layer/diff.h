/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_LAYER_DIFF_H
#define CSBX_RUNTIME_LAYER_DIFF_H

/*
 * The changes of a container to the files of its image, read off the upper directory of its
 * overlay: added, changed, deleted. In the container's outer user namespace, in which both sides
 * show the same owners and every file can be looked at.
 */

#include <stddef.h>

struct err;

struct layer_change {
	char kind;  /* 'A', 'C', 'D' */
	char *path; /* absolute, as the container sees it */
};

struct layer_changes {
	struct layer_change *items; /* by path */
	size_t n, cap;
};

/*
 * upper, lower: directories. Both may be written to meanwhile: a file that goes before it was
 * looked at is passed over. A directory in which something changed has changed, as docker diff has
 * it.
 */
int layer_diff(int upper, int lower, struct layer_changes *ret, struct err *e);
void layer_changes_free(struct layer_changes *c);

#endif
