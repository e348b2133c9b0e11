/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The order matters (docs/architecture.md 5):
 *
 *  1. A is entered: the process has every capability over it, mapped or not. Maps of ranges are
 *     being written, which takes longer than all the rest; so what needs none of them comes first.
 *  2. /dev/fuse is opened: the kernel takes a FUSE descriptor only in the user namespace that
 *     opened it, and it can be found by path only as long as the host's tree is there. Likewise
 *     the nodes of /dev.
 *  3. An empty tmpfs is made the root.
 *  4. The host's tree goes. umount2(2) detaches it at once and then waits for an RCU grace period,
 *     0.1 ms on an idle machine and several on a busy one, so another process calls it and the
 *     server looks whether it has happened.
 *  5. With the maps, files can be made: the /dev template and the FUSE mount come into the root.
 *
 * /dev belongs to 0:0 where 0 exists in A, else to the main user.
 */
#include "runtime/helpers/squashd/world.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/kernel/mount_api.h"
#include "runtime/server/fuse_mount.h"
#include "runtime/helpers/squashd/devtree.h"
#include "runtime/userns/maker.h"

#define TMPFS_BYTES 65536u

/* With one id we make A ourselves; with ranges it was begun before we were. */
static int enter_userns(const struct id_map *map, struct world *w, struct err *e)
{
	int r;

	if (!id_map_is_one(map)) {
		r = userns_maker_take(SQUASHD_FD_AT_START_MAKER, &w->userns_fd, e);
		if (r >= 0 && setns(w->userns_fd, CLONE_NEWUSER) < 0)
			r = err_sys(e, "enter user namespace");
		return r;
	}
	if (unshare(CLONE_NEWUSER) < 0)
		return err_sys(e, "make user namespace");
	r = userns_write_own(map, e);
	if (r < 0)
		return r;
	w->userns_fd = open("/proc/self/ns/user", O_RDONLY | O_CLOEXEC);
	return w->userns_fd < 0 ? err_sys(e, "open user namespace") : 0;
}

static int make_namespaces(const struct id_map *map, struct world *w, struct err *e)
{
	int r = enter_userns(map, w, e);

	if (r < 0)
		return r;
	if (unshare(CLONE_NEWNS) < 0)
		return err_sys(e, "make mount namespace");
	w->mntns_fd = open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);
	if (w->mntns_fd < 0)
		return err_sys(e, "open mount namespace");
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return err_sys(e, "make mounts private");
	return 0;
}

/* Makes the directory in the new root and attaches the detached mount there. */
static int attach(int root, const char *name, int mount_fd, struct err *e)
{
	_close_ int dir = -1;

	if (mkdirat(root, name, 0755) < 0)
		return err_sys(e, "make /%s", name);
	dir = openat(root, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return dir < 0 ? err_sys(e, "open /%s", name) : mount_attach(mount_fd, dir, e);
}

/*
 * pivot_root(".", ".") has stacked the old root onto the new one, which the parent of / leads to.
 */
static bool host_is_gone(int root)
{
	struct stat below, top;

	return fstat(root, &below) == 0 && stat("/..", &top) == 0 && below.st_dev == top.st_dev &&
	       below.st_ino == top.st_ino;
}

void world_drop_host(void)
{
	(void)umount2(".", MNT_DETACH);
}

static int leave_host(struct world *w, struct err *e)
{
	char c;

	fd_close(&w->gone_wr);
	if (!host_is_gone(w->root_fd)) {
		while (read(w->gone_rd, &c, 1) < 0 && errno == EINTR)
			;
		if (!host_is_gone(w->root_fd))
			return err_set(e, EBUSY, "the old root could not be left");
	}
	fd_close(&w->gone_rd);
	return chdir("/") < 0 ? err_sys(e, "chdir") : 0;
}

/*
 * One code for all the ways not to have FUSE (no node, no right, no module): clients unpack then.
 */
static int no_fuse(struct err *e)
{
	e->code = SQUASHD_NO_FUSE;
	return -SQUASHD_NO_FUSE;
}

/* CONFIG_TMPFS_XATTR, Linux 6.6: without them no overlay can have its upper layer on a tmpfs. */
static bool tmpfs_lacks_xattrs(int tree)
{
	_close_ int fd = openat(tree, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fsetxattr(fd, "user.overlay.probe", "y", 1, 0) < 0)
		return errno == EOPNOTSUPP;
	(void)fremovexattr(fd, "user.overlay.probe");
	return false;
}

static int build_root(struct world *w, struct err *e)
{
	int gone[2];

	if (pipe2(gone, O_CLOEXEC) < 0)
		return err_sys(e, "pipe");
	w->gone_rd = gone[0];
	w->gone_wr = gone[1];
	w->root_fd = mount_new_tmpfs(TMPFS_BYTES, 0755, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, e);
	if (w->root_fd < 0)
		return w->root_fd;
	if (move_mount(w->root_fd, "", AT_FDCWD, "/", MOVE_MOUNT_F_EMPTY_PATH) < 0)
		return err_sys(e, "attach root");
	if (fchdir(w->root_fd) < 0 || syscall(SYS_pivot_root, ".", ".") < 0)
		return err_sys(e, "pivot root");
	return 0;
}

static int fill_root(const struct squashd_key *key, struct world *w, struct err *e)
{
	int r;

	w->dev_fd = mount_new_tmpfs(TMPFS_BYTES, 0755, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, e);
	if (w->dev_fd < 0)
		return w->dev_fd;
	w->lacks_xattrs = tmpfs_lacks_xattrs(w->dev_fd);
	r = attach(w->root_fd, "dev", w->dev_fd, e);
	if (r >= 0)
		r = devtree_fill(w->dev_fd, &w->dev, e);
	if (r < 0)
		return r;
	if (w->fuse_fd >= 0) {
		w->image_fd = fuse_mount_new(key, w->fuse_fd, e);
		if (w->image_fd < 0)
			return no_fuse(e);
		w->fuse_last_fd = fuse_held_last(w->fuse_fd);
		r = attach(w->root_fd, "image", w->image_fd, e);
		if (r < 0)
			return r;
	}
	return mount_restrict(w->root_fd, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOEXEC, false, e);
}

int world_begin(const struct squashd_key *key, struct world *w, struct err *e)
{
	int r = make_namespaces(&key->map, w, e);

	if (r < 0)
		return r;
	if (key->kind == ROOTFS_SQUASHFS) {
		w->fuse_fd = open("/dev/fuse", O_RDWR | O_CLOEXEC | O_NONBLOCK);
		if (w->fuse_fd < 0) {
			(void)err_sys(e, "open /dev/fuse");
			return no_fuse(e);
		}
	}
	w->uid_map_fd = open("/proc/self/uid_map", O_RDONLY | O_CLOEXEC);
	if (w->uid_map_fd < 0)
		return err_sys(e, "open uid_map");
	umask(0);
	r = devtree_open(&w->dev, e);
	return r < 0 ? r : build_root(w, e);
}

int world_settle(const struct squashd_key *key, struct world *w, struct err *e)
{
	int r = 0;

	if (!id_map_is_one(&key->map)) {
		r = userns_maker_finish(SQUASHD_FD_AT_START_MAKER, e);
		close(SQUASHD_FD_AT_START_MAKER);
	}
	return r < 0 ? r : leave_host(w, e);
}

int world_fill(const struct squashd_key *key, struct world *w, struct err *e)
{
	bool root_is_mapped = id_extents_have(key->map.uid, key->map.n_uid, 0) &&
			      id_extents_have(key->map.gid, key->map.n_gid, 0);
	int r;

	if (root_is_mapped) {
		setfsgid(0);
		setfsuid(0);
	}
	r = fill_root(key, w, e);
	setfsuid(key->uid);
	setfsgid(key->gid);
	fd_close(&w->root_fd);
	devtree_close(&w->dev);
	return r;
}
