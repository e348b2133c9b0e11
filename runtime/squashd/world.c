/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The order matters (docs/architecture.md 5):
 *
 *  1. A helper is forked that stays outside, for newuidmap must run in the parent namespace.
 *  2. unshare(user, mount); the maps are written; the process has every capability over A.
 *  3. /dev/fuse is opened: the kernel takes a FUSE descriptor only in the user namespace that
 *     opened it, and it can be found by path only as long as the host's tree is there.
 *  4. A tmpfs with the /dev template and the FUSE mount is made the root, the host's tree goes.
 *
 * The root and /dev belong to 0:0 where 0 exists in A, else to the main user.
 */
#include "runtime/squashd/world.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/mount_api.h"
#include "runtime/squashd/devtree.h"

#define TMPFS_BYTES 65536u

/* The forked helper: waits for the word that the namespace is there, maps it, says how it went. */
static void map_helper(pid_t server, int go_fd, int said_fd, const struct id_map *map)
{
	struct err e = ERR_INIT;
	char c;

	if (read(go_fd, &c, 1) != 1)
		_exit(1);
	(void)userns_write_ranges(server, map, &e);
	(void)io_write_all(said_fd, &e, sizeof(e), NULL);
	_exit(0);
}

struct helper {
	pid_t pid;
	int go_fd, said_fd;
};

static int helper_start(const struct id_map *map, struct helper *ret, struct err *e)
{
	_close_ int go_rd = -1, go_wr = -1, said_rd = -1, said_wr = -1;
	pid_t server = getpid();
	int go[2], said[2];

	if (pipe2(go, O_CLOEXEC) < 0)
		return err_sys(e, "pipe");
	go_rd = go[0];
	go_wr = go[1];
	if (pipe2(said, O_CLOEXEC) < 0)
		return err_sys(e, "pipe");
	said_rd = said[0];
	said_wr = said[1];
	ret->pid = fork();
	if (ret->pid < 0)
		return err_sys(e, "fork");
	if (!ret->pid) {
		fd_close(&go_wr); /* or the server's death would not end the wait */
		map_helper(server, go_rd, said_wr, map);
	}
	ret->go_fd = take_fd(&go_wr);
	ret->said_fd = take_fd(&said_rd);
	return 0;
}

static int helper_finish(struct helper *h, struct err *e)
{
	struct err said = ERR_INIT;
	int r = io_write_all(h->go_fd, "", 1, e);

	if (r >= 0)
		r = io_read_exact(h->said_fd, &said, sizeof(said), e);
	fd_close(&h->go_fd);
	fd_close(&h->said_fd);
	while (waitpid(h->pid, NULL, 0) < 0 && errno == EINTR)
		;
	if (r < 0)
		return err_wrap(e, "id map helper");
	if (!said.code)
		return 0;
	if (e)
		*e = said;
	return -said.code;
}

static int make_namespaces(const struct id_map *map, struct err *e)
{
	struct helper h = {.go_fd = -1, .said_fd = -1};
	bool one = id_map_is_one(map);
	int r = one ? 0 : helper_start(map, &h, e);

	if (r < 0)
		return r;
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0) {
		r = err_sys(e, "make user namespace");
		fd_close(&h.go_fd);
		fd_close(&h.said_fd);
		return r;
	}
	r = one ? userns_write_own(map, e) : helper_finish(&h, e);
	if (r < 0)
		return r;
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return err_sys(e, "make mounts private");
	return 0;
}

static int make_fuse(const struct squashd_key *key, int fuse_fd, struct err *e)
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

/* Makes the directory in the new root and attaches the detached mount there. */
static int attach(int root, const char *name, int mount_fd, struct err *e)
{
	_close_ int dir = -1;

	if (mkdirat(root, name, 0755) < 0)
		return err_sys(e, "make /%s", name);
	dir = openat(root, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return dir < 0 ? err_sys(e, "open /%s", name) : mount_attach(mount_fd, dir, e);
}

/* The old root is stacked onto the new one by pivot_root(".", ".") and taken off again. */
static int pivot(int root, struct err *e)
{
	if (fchdir(root) < 0 || syscall(SYS_pivot_root, ".", ".") < 0)
		return err_sys(e, "pivot root");
	if (umount2(".", MNT_DETACH) < 0 || chdir("/") < 0)
		return err_sys(e, "leave the old root");
	return mount_restrict(root, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOEXEC, false, e);
}

/* One code for all the ways not to have FUSE (no node, no right, no module): clients unpack then.
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

static int build_root(const struct squashd_key *key, struct world *w, struct err *e)
{
	_close_ int root =
		mount_new_tmpfs(TMPFS_BYTES, 0755, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, e);
	int r;

	if (root < 0)
		return root;
	if (move_mount(root, "", AT_FDCWD, "/", MOVE_MOUNT_F_EMPTY_PATH) < 0)
		return err_sys(e, "attach root");
	w->dev_fd = mount_new_tmpfs(TMPFS_BYTES, 0755, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, e);
	if (w->dev_fd < 0)
		return w->dev_fd;
	w->lacks_xattrs = tmpfs_lacks_xattrs(w->dev_fd);
	r = attach(root, "dev", w->dev_fd, e);
	if (r >= 0)
		r = devtree_fill(w->dev_fd, e);
	if (r < 0)
		return r;
	if (w->fuse_fd >= 0) {
		w->image_fd = make_fuse(key, w->fuse_fd, e);
		if (w->image_fd < 0)
			return no_fuse(e);
		r = attach(root, "image", w->image_fd, e);
		if (r < 0)
			return r;
	}
	return pivot(root, e);
}

int world_make(const struct squashd_key *key, struct world *w, struct err *e)
{
	bool root_is_mapped = id_extents_have(key->map.uid, key->map.n_uid, 0) &&
			      id_extents_have(key->map.gid, key->map.n_gid, 0);
	int r = make_namespaces(&key->map, e);

	if (r < 0)
		return r;
	w->userns_fd = open("/proc/self/ns/user", O_RDONLY | O_CLOEXEC);
	if (w->userns_fd < 0)
		return err_sys(e, "open user namespace");
	if (key->kind == ROOTFS_SQUASHFS) {
		w->fuse_fd = open("/dev/fuse", O_RDWR | O_CLOEXEC | O_NONBLOCK);
		if (w->fuse_fd < 0) {
			(void)err_sys(e, "open /dev/fuse");
			return no_fuse(e);
		}
	}
	umask(0);
	if (root_is_mapped) {
		setfsgid(0);
		setfsuid(0);
	}
	r = build_root(key, w, e);
	setfsuid(key->uid);
	setfsgid(key->gid);
	return r;
}
