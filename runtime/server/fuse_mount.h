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

/*
 * A socket that holds fuse_fd in its queue. A process that is killed closes its files in an order
 * that is the kernel's. What lies in a queue is let go behind all of them: so a client's connection
 * ends before the files of the image do, and a program that failed for want of them is told apart
 * from one that failed by itself. -1 where the kernel has no room for it: the order is then open.
 */
int fuse_held_last(int fuse_fd);

#endif
