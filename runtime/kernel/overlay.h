/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_KERNEL_OVERLAY_H
#define CSBX_RUNTIME_KERNEL_OVERLAY_H

/*
 * An overlay, with the options that every one of csbx's has (Documentation/filesystems/overlayfs of
 * the kernel). userxattr: a mounter without privileges may write no other attributes. xino=off:
 * numbers of files are those of their layers.
 */

#include <stdbool.h>

struct err;

#define OVERLAY_OPTIONS "userxattr,xino=off" /* as mount(2) takes them */

struct overlay_dirs {
	const char *lower;        /* one or more, the topmost first, with ':' between them */
	const char *upper, *work; /* NULL: nothing is written */
	bool is_volatile;         /* written data need not be on disk at the end */
};

/* A descriptor of the mount, which is attached nowhere yet; attrs: MOUNT_ATTR_*. */
int overlay_new(const struct overlay_dirs *d, unsigned attrs, struct err *e);

#endif
