/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_APART_H
#define CSBX_RUNTIME_APART_H

#include <stdbool.h>

struct err;

/*
 * A mount namespace of A with nothing in it but /proc of the host and a /sys of its own, without
 * which the kernel makes no new ones (mount_namespaces(7), user_namespaces(7)). Where nothing of
 * the host is mounted, but for layers on disk, which are cloned before (launch.h), pid 1 is made in
 * a copy of it and not in one of the caller's namespace: the kernel copies these and what is
 * mounted on them, not all of the host's, and none has to be taken down again before the program
 * runs, for which it would wait until every CPU has passed a quiescent state (RCU).
 *
 * That /sys is the containers': one file system for all that are made here, read-only, with its
 * masks (plan_sys_masks) on it. Each moves its copy to its root. A file system of its own would
 * cost a container its making, its masks and its end, and the kernel looks at every other /sys of
 * the machine to make one. It belongs to a network namespace in which no process runs and lo is
 * up, as it is in a container's own, so what it shows below /sys/class/net is the same but for lo's
 * counters, which stay 0.
 *
 * The image server keeps one for each of up to eight mount namespaces that its callers are in
 * (server/proto.h); a start that finds none makes it.
 */

/*
 * Makes it, from the calling process's mount namespace, which that process leaves for it, as it
 * does its network namespace. Returns its descriptor or -1; *ret_net_fd is the network namespace of
 * /sys, which has to be kept along. The caller has all capabilities over A. Allocates nothing.
 */
int apart_make(int *ret_net_fd);

/* In a copy of it: its /sys with the masks, to be moved to the root. */
int apart_open_sys(struct err *e);

/*
 * In a copy of it: mounts what is attached as root_fd over / and makes it the root. What lies below
 * is reached by no path any more: not by "..", for / is the end of the way up, nor by umount(2) in
 * B, whose copy of the mount is locked. The kernel itself looks there, when a program with
 * capabilities mounts a new /proc or /sys: a whole one among the mounts of its namespace would
 * allow it. So /sys is covered if it is still there (has_sys), and the clean /proc of the
 * container, which lies at clean_proc; the base covers the host's /proc (rootfs.c).
 */
int apart_enter_root(int root_fd, const char *clean_proc, bool has_sys, struct err *e);

#endif
