/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_ENROOT_MOUNT_LIST_H
#define CSBX_ENROOT_MOUNT_LIST_H

/*
 * Lines of mount files, applied to the mounts of a specification in order: a later mount of one
 * target takes the place of an earlier one, remount changes it, x-detach takes it away.
 */

#include <stdbool.h>
#include <stddef.h>

struct container_spec;
struct err;
struct fstab_entry;

struct mount_list {
	struct container_spec *spec;
	size_t *before;  /* how many of the mounts come before the hooks; kept right */
	const char *cwd; /* for relative sources, NULL: refused */
};

enum mount_result {
	MOUNT_ADDED,
	MOUNT_MISSING, /* nofail: it cannot be had, e says why; nothing was added */
	MOUNT_IS_OURS, /* a part of /proc, /sys or /dev that a container has anyhow */
};

/*
 * Takes x's strings. `asked`: the words for messages, copied. An enum mount_result, or -errno:
 * -EINVAL for what cannot be, and, where the line does not say nofail, the reason why its source
 * cannot be opened.
 */
int mount_list_apply(struct mount_list *l, struct fstab_entry *x, const char *asked, struct err *e);

/* True when a path is, or is below, one of /proc, /sys and /dev, which a container has anyhow. */
bool mount_list_is_kernels(const char *path);

/* Takes away what is mounted at target; false: nothing is. */
bool mount_list_remove(struct mount_list *l, const char *target);

#endif
