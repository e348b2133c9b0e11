/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_STACK_ADD_H
#define CSBX_RUNTIME_STACK_ADD_H

/*
 * Has an image server serve one more file of a stack. The server itself can mount nothing: it gave
 * that up before it read its image. So a process of the caller's enters the server's user and
 * mount namespace, mounts the file there and leaves the FUSE descriptor, the mount and the file to
 * the server, which opens the file as confined as it is.
 *
 * In: the server's connection and namespaces (an answer to SQUASHD_ATTACH with `lacks`), the file.
 * Out: nothing but what the server has now. Two who add the same file at once both succeed.
 */

struct err;
struct rootfs_part;
struct squashd_key;

struct stack_add {
	int sock, userns_fd, mntns_fd;
	const struct squashd_key *key;
};

int stack_add(const struct stack_add *where, const struct rootfs_part *file, struct err *e);

#endif
