/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_FUSE_MOUNT_H
#define CSBX_RUNTIME_FUSE_MOUNT_H

/* The FUSE mount of one file of an image, as the image server makes it, and a process that adds a
 * file to the server. */

struct err;
struct squashd_key;

/*
 * A detached mount, read-only, nosuid, nodev, that the reader of fuse_fd serves. The kernel takes a
 * /dev/fuse only in the user namespace that opened it, which must be A and own the mount namespace
 * too.
 */
int fuse_mount_new(const struct squashd_key *key, int fuse_fd, struct err *e);

#endif
