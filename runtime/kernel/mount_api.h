/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_MOUNT_API_H
#define CSBX_RUNTIME_MOUNT_API_H

/*
 * The room runtime/kernel. The kernel's interfaces with errors as values: one file for each, none
 * knows another but by name.
 *
 * In: descriptors and numbers. Out: descriptors, facts that were read, or the kernel's error.
 *
 *	mount_abi.h, mount_api.h, mount_table.h: mounts: made, moved, listed
 *	cap.h, cap_exec.h, seccomp.h, effective.h: privileges: named, kept, filtered, as they are
 *	process_id.h, process_ns.h, main_pid.h, peer.h, job_control.h: processes: who is meant,
 *		where they are, who asks, who stops
 *	file_lock.h, local_socket.h, temp_dir.h, tree_size.h, inotify.h: files: locks, addresses,
 *		temporary names, changes
 *	affinity.h, boot_id.h: CPUs, boots
 *	net_tried.h, net_traces.h: whether a program looked for a network, or used its own
 *
 * Must: name the manual page of what is called.
 * Mustn't: know what a container is.
 */

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

/*
 * The same by name: the last part of it may be a link, and is not followed (EINVAL). One system call
 * and not three, for names that no other process can change meanwhile.
 */
int mount_attach_at(int fd, int dirfd, const char *name, struct err *e);

#endif
