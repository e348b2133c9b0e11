/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_MOUNT_API_H
#define CSBX_RUNTIME_MOUNT_API_H

/*
 * The new mount API (fsopen(2), fsmount(2), open_tree(2), move_mount(2), mount_setattr(2)) with
 * errors as values. Everything is by descriptor: a mount is made detached, given its attributes
 * and only then attached. There is no fallback to mount(2), which takes paths.
 */

#include <stdbool.h>
#include <stdint.h>

struct err;

struct mount_param {
	const char *key;
	const char *value; /* NULL: a flag */
};

/* A new detached mount; attrs are MOUNT_ATTR_*. Returns an O_PATH descriptor. */
int mount_new(const char *fstype, const struct mount_param *params, unsigned n_params,
	      unsigned attrs, struct err *e);

/* tmpfs of `bytes` (0: the kernel's default) and `mode`. */
int mount_new_tmpfs(uint64_t bytes, unsigned mode, unsigned attrs, struct err *e);

/* A detached copy of what lies at dirfd/path; path "" is dirfd itself. */
int mount_clone(int dirfd, const char *path, bool recursive, struct err *e);

/* Adds attributes to a detached mount and makes it private. */
int mount_restrict(int fd, unsigned attrs, bool recursive, struct err *e);

/* Attaches a detached mount on the file or directory that target_fd (O_PATH) refers to. */
int mount_attach(int fd, int target_fd, struct err *e);

#endif
