/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_OWN_DIRS_VIEW_H
#define CSBX_RUNTIME_OWN_DIRS_VIEW_H

/*
 * csbx's own directories beneath the mounts of a container that does not run, as a start hides them
 * (own_dirs.h): the container has left links in its files, and a copy that follows one shall end
 * there no more than the container's program did.
 */

#include <stddef.h>

struct err;
struct mount_spec;
struct own_view;
struct paths;

/*
 * Before the process is in another mount namespace. -EPERM: one of the mounts lies in such a
 * directory by now.
 */
int own_view_open(const struct paths *p, const struct mount_spec *mounts, size_t n,
		  struct own_view **ret, struct err *e);
void own_view_close(struct own_view **v);

/* Beneath what is mounted below root, an open directory, by now. view: struct own_view. */
int own_view_hide(void *view, int root, struct err *e);

#endif
