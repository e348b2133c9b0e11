/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of a container that may be there after its end: mounts that go later, its network. */
#include <linux/capability.h>
#include <sys/stat.h>

#include "runtime/kernel/cap.h"
#include "runtime/start/container.h"
#include "runtime/start/container_setup.h"

/*
 * Taking mounts down takes the kernel longer than the rest of a container's end. The caller need
 * not wait for it if it holds back nothing that the caller may want for itself again; a layer that
 * is deleted with the container is no such thing.
 */
bool container_mounts_are_private(const struct container *c)
{
	bool layer_goes = !c->has_layer || (c->hooks && c->hooks->removed_after);
	bool is_private = layer_goes && c->spec->rootfs.kind == ROOTFS_SQUASHFS;

	for (size_t i = 0; i < c->spec->n_mounts && is_private; i++)
		is_private = c->spec->mounts[i].kind == MOUNT_TMPFS;
	return is_private;
}

/* A stream of the caller's through which descriptors could leave the container. */
static bool has_socket(const struct streams *streams)
{
	struct stat st;

	for (int i = 0; i < 3; i++) {
		if (streams->child[i] < 0 && (fstat(i, &st) < 0 || S_ISSOCK(st.st_mode)))
			return true;
	}
	return false;
}

/*
 * A network namespace goes to the next container only where no process of this one had a capability
 * that counts in it, a call or family that the filter refuses, or a way to hand a descriptor of it
 * out (of /proc/net, through a socket of the host's). And where no process could be the kernel's
 * own root, which its files in /proc are of (launch.c).
 */
bool container_net_may_return(const struct container *c)
{
	const struct container_spec *s = c->spec;
	const uint64_t caps =
		CAP_TO_MASK(CAP_NET_ADMIN) | CAP_TO_MASK(CAP_NET_RAW) | CAP_TO_MASK(CAP_SYS_ADMIN);

	return !c->is_lane && s->ns.net == NET_NONE && !(s->sec.caps & caps) &&
	       !s->sec.seccomp_off && !s->proc.n_keep_fds && spec_shows_nothing_of_host(s) &&
	       !id_extents_lead_to(c->map.uid, c->map.n_uid, 0) &&
	       container_mounts_are_private(c) && !has_socket(&c->streams);
}
