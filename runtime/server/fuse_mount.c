/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/server/fuse_mount.h"

#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/base/fd.h"
#include "runtime/kernel/mount_abi.h"
#include "runtime/kernel/mount_api.h"
#include "runtime/server/proto.h"

int fuse_mount_new(const struct squashd_key *key, int fuse_fd, struct err *e)
{
	char fd[12], uid[12], gid[12];
	/* One id: everybody in a container is the mounter. Ranges: the others must get in too. */
	unsigned n_params = id_map_is_one(&key->map) ? 7 : 8;
	struct mount_param params[] = {
		{"source", "csbx"},
		{"fd", fd},
		{"rootmode", "40000"},
		{"user_id", uid},
		{"group_id", gid},
		{"ro", NULL},
		{"default_permissions", NULL},
		{"allow_other", NULL},
	};

	snprintf(fd, sizeof(fd), "%d", fuse_fd);
	snprintf(uid, sizeof(uid), "%u", key->uid);
	snprintf(gid, sizeof(gid), "%u", key->gid);
	return mount_new("fuse", params, n_params,
			 MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, e);
}

int fuse_held_last(int fuse_fd)
{
	_close_ int holder = -1, sender = -1;
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -1;
	holder = pair[0];
	sender = pair[1];
	return fd_send(sender, "", 1, &fuse_fd, 1, NULL) < 0 ? -1 : take_fd(&holder);
}
