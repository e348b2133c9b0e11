/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/kernel/mount_api.h"

#include <fcntl.h>
#include <stdio.h>

#include "runtime/kernel/mount_abi.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"

/* 16 MiB of memory. */
#define TMPFS_INODES_MIN 16384u

/* A file system context tells the reason of a refusal in its message queue, fsopen(2). */
static int context_error(int ctx, const char *fstype, struct err *e)
{
	int code = errno;
	char log[256];
	ssize_t n = read(ctx, log, sizeof(log) - 1);

	if (n > 2) {
		log[n] = 0;
		if (log[n - 1] == '\n')
			log[n - 1] = 0;
		return err_code(e, code, "mount %s: %s", fstype, log + 2);
	}
	return err_code(e, code, "mount %s", fstype);
}

int mount_new(const char *fstype, const struct mount_param *params, unsigned n_params,
	      unsigned attrs, struct err *e)
{
	_close_ int ctx = fsopen(fstype, FSOPEN_CLOEXEC);
	int fd;

	if (ctx < 0)
		return err_sys(e, "mount %s", fstype);
	for (unsigned i = 0; i < n_params; i++) {
		enum fsconfig_command cmd =
			params[i].value ? FSCONFIG_SET_STRING : FSCONFIG_SET_FLAG;

		if (fsconfig(ctx, cmd, params[i].key, params[i].value, 0) < 0)
			return context_error(ctx, fstype, e);
	}
	if (fsconfig(ctx, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
		return context_error(ctx, fstype, e);
	fd = fsmount(ctx, FSMOUNT_CLOEXEC, attrs);
	return fd < 0 ? context_error(ctx, fstype, e) : fd;
}

/*
 * As many files as pages, the kernel's own rule for a tmpfs of half the memory; small ones get
 * more.
 */
static uint64_t inodes_for(uint64_t bytes)
{
	uint64_t n = bytes / 4096;

	return n > TMPFS_INODES_MIN ? n : TMPFS_INODES_MIN;
}

int mount_new_tmpfs(uint64_t bytes, unsigned mode, unsigned attrs, struct err *e)
{
	char size[32], inodes[32], octal[16];
	struct mount_param params[] = {{"mode", octal}, {"size", size}, {"nr_inodes", inodes}};

	snprintf(size, sizeof(size), "%llu", (unsigned long long)bytes);
	snprintf(inodes, sizeof(inodes), "%llu", (unsigned long long)inodes_for(bytes));
	snprintf(octal, sizeof(octal), "%o", mode);
	return mount_new("tmpfs", params, bytes ? 3 : 1, attrs, e);
}

int mount_clone(int dirfd, const char *path, bool recursive, struct err *e)
{
	int fd = open_tree(dirfd, path,
			   OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | (*path ? 0 : AT_EMPTY_PATH) |
				   (recursive ? AT_RECURSIVE : 0));

	return fd < 0 ? err_sys(e, "clone mount %s", path) : fd;
}

int mount_restrict(int fd, unsigned attrs, bool recursive, struct err *e)
{
	struct mount_attr attr = {.attr_set = attrs, .propagation = MS_PRIVATE};

	if (mount_setattr(fd, "", AT_EMPTY_PATH | (recursive ? AT_RECURSIVE : 0), &attr,
			  sizeof(attr)) < 0)
		return err_sys(e, "set mount attributes");
	return 0;
}

int mount_attach(int fd, int target_fd, struct err *e)
{
	if (move_mount(fd, "", target_fd, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) <
	    0)
		return err_sys(e, "attach mount");
	return 0;
}

int mount_attach_at(int fd, int dirfd, const char *name, struct err *e)
{
	if (move_mount(fd, "", dirfd, name, MOVE_MOUNT_F_EMPTY_PATH) < 0)
		return err_sys(e, "attach mount at %s", name);
	return 0;
}
