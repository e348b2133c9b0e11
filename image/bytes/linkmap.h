/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_LINKMAP_H
#define CSBX_IMAGE_LINKMAP_H

/*
 * (device, inode number) -> the first path it was seen under: finds hard links. In one overlay the
 * files of its several layers may have several device numbers.
 */

#include <stddef.h>
#include <stdint.h>

struct err;

struct linkmap_slot {
	uint64_t dev, ino;
	char *path; /* NULL: free */
};

struct linkmap {
	struct linkmap_slot *slots;
	size_t n, cap;
};

/* 0 and remembered when the file is new; 1 and the earlier path when it is not; -ENOMEM. */
int linkmap_add(struct linkmap *m, uint64_t dev, uint64_t ino, const char *path,
		const char **ret_first, struct err *e);
void linkmap_free(struct linkmap *m);

#endif
