/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_HOST_TRY_H
#define CSBX_RUNTIME_HOST_TRY_H

/*
 * Trying namespaces, mounts and FUSE in a forked child, which tells how far it came. Part of
 * host.c's probes.
 */

enum try_stage {
	TRY_OK,
	TRY_FORK,
	TRY_USERNS,     /* unshare(CLONE_NEWUSER) */
	TRY_MAPS,       /* uid_map, gid_map */
	TRY_NAMESPACES, /* mnt pid ipc uts net cgroup */
	TRY_MOUNT,      /* a tmpfs */
	TRY_PROC,       /* a fresh procfs */
	TRY_INNER,      /* a second user namespace below the first */
	TRY_XATTR,      /* user.* on that tmpfs */
	TRY_OVERLAY,
	TRY_RMDIR, /* removing a directory of the lower layer */
	TRY_FUSE_OPEN,
	TRY_FUSE_MOUNT,
	TRY_SILENT, /* the child gave no answer in time */
};

struct try_result {
	enum try_stage stage; /* TRY_OK, or what failed */
	int code;             /* errno of it */
	int kind;             /* TRY_NAMESPACES: the CLONE_NEW* that failed */
};

struct try_result try_namespaces(void);
struct try_result try_proc(void);
struct try_result try_tmpfs_xattr(void);
/* upper: absolute path of an empty directory on the file system to try; NULL = tmpfs. */
struct try_result try_overlay(const char *upper);
struct try_result try_fuse(void);

#endif
