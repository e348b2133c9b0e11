/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_SPANK_MOUNTS_H
#define CSBX_SPANK_MOUNTS_H

/* --container-mounts, one entry: SRC[:DST[:FLAGS]], FLAGS joined by "+". Pure. */

#include <stddef.h>

struct err;
struct strv;

/*
 * Adds the entry as a line of fstab, "SRC DST OPTIONS" with fstab(5)'s escapes, to mounts, unless
 * it is there already, and a source that is a path of the host to sources. tmpfs:DST is a tmpfs,
 * umount:DST takes away what the site mounts there.
 */
int spank_mount_add(struct strv *mounts, struct strv *sources, const char *entry, size_t len,
		    struct err *e);

#endif
