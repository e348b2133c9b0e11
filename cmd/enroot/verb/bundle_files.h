/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_ENROOT_BUNDLE_FILES_H
#define CSBX_CMD_ENROOT_BUNDLE_FILES_H

/*
 * The drop-in files that bundle --all carries: "system/environ.d/NAME.env", a newline, the content,
 * and likewise for the user's, mounts.d and hooks.d.
 */

struct enroot;
struct err;
struct strv;

/* Adds those of this machine and user. */
int enroot_bundle_collect(struct enroot *x, struct strv *ret, struct err *e);

/*
 * Writes them beneath CACHE/bundles/ID, unless a run of this bundle has done so before, and has
 * x->conf point to them; without files there are no such directories at all, the host's neither.
 */
int enroot_bundle_unpack(struct enroot *x, const char *id, const struct strv *files, struct err *e);

#endif
