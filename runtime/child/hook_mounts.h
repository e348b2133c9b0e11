/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_HOOK_MOUNTS_H
#define CSBX_RUNTIME_HOOK_MOUNTS_H

#include <stddef.h>

struct child;
struct err;

/*
 * Makes the mounts of fstab lines that hooks left (runtime/spec/fstab.h), in order, while the plan
 * runs. Sources are of the host, opened here as the user; a source below root (the host path where
 * hooks saw it) is a part of the container's root. Errors name the line.
 */
int hook_mounts_make(struct child *c, const char *text, size_t len, const char *root,
		     struct err *e);

#endif
