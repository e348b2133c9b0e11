/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The root: one base tmpfs carries the mount points and, for a throw-away container, the upper
 * layer.
 *
 *	base/lower	image mount of the server, or a bind of the rootfs directory
 *	base/1, 2 ...	what lies over it: the other files of a stack, upper directories that are
 *			read (runtime/layer/lower.h)
 *	base/up/{upper,work}	upper and work directory; base/up may be a directory on disk
 *	base/seeds	files of csbx's own where they do not lie in upper
 *	base/root	the overlay; where the image itself is the root: rootfs_direct.c
 *	base/proc	the clean clone of /proc (proc.c)
 *
 * The base is attached over /proc of the container's mount namespace, which is a copy of the
 * caller's or of apart.h's: the one directory that is sure to be there, since without a visible
 * proc no new one can be mounted. The sources that the user named are cloned before (source.c), and
 * may lie there. Overlay takes paths only: relative ones, from the base as working directory. No
 * part of this is reachable at the end: in a copy of the caller's, one umount after the pivot takes
 * away the host's tree and the base in it, and with it the clean clone, of which a descriptor
 * stays; in one of apart.h's, the root lies over it.
 */
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>

#include "runtime/kernel/mount_abi.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/path.h"
#include "runtime/base/str.h"
#include "runtime/child/apart.h"
#include "runtime/child/child.h"
#include "runtime/kernel/mount_api.h"
#include "runtime/kernel/overlay.h"
#include "runtime/layer/lower.h"
#include "runtime/spec/plan.h"
#include "runtime/spec/spec.h"

static bool has_upper_directory(const struct plan *p)
{
	return plan_has(p, OP_UPPER_DIRECTORY);
}

/* Overlay keeps its marks in user.* attributes; tmpfs has them from 6.6 on (CONFIG_TMPFS_XATTR). */
static int check_tmpfs_xattr(struct err *e)
{
	if (lsetxattr("up/work", "user.overlay.probe", "y", 1, 0) < 0)
		return errno == EOPNOTSUPP ? err_from(ERR_TMPFS_XATTR, e,
						      err_set(e, EOPNOTSUPP,
							      "tmpfs has no user attributes here"))
					   : err_sys(e, "probe tmpfs attributes");
	return 0;
}

/*
 * Files that we make are owned by the main user; the root and its directories are root's, if the
 * map has a root (otherwise chown says EINVAL).
 */
int rootfs_give_to_root(const struct child *c, int fd, struct err *e)
{
	if (!spec_map_uid(c->spec))
		return 0;
	if (fchownat(fd, "", 0, 0, AT_EMPTY_PATH) < 0 && errno != EINVAL)
		return err_sys(e, "chown to root");
	return 0;
}

static int make_upper(const struct child *c, struct err *e)
{
	_close_ int fd = -1;

	if (mkdir("up/upper", 0755) < 0 || mkdir("up/work", 0755) < 0)
		return err_sys(e, "make upper layer");
	fd = open("up/upper", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? err_sys(e, "upper layer") : rootfs_give_to_root(c, fd, e);
}

/*
 * A directory of the host to be written to: an overlay of its own, its changes beside those of the
 * root, under the same limit. Its upper directory takes mode and owner of the source, which is what
 * the program sees as the root of the copy.
 */
int rootfs_copy(struct child *c, const struct op *op, int source, struct err *e)
{
	char lower[32], upper[40], work[40];
	const struct overlay_dirs dirs = {lower, upper, work, has_upper_directory(c->plan)};
	long number = op - c->plan->ops;
	struct stat st;
	int r;

	snprintf(lower, sizeof(lower), "copied-%ld", number);
	snprintf(upper, sizeof(upper), "up/copy-%ld", number);
	if (fstat(source, &st) < 0 || mkdir(lower, 0755) < 0 || mkdir(upper, 0755) < 0)
		return err_sys(e, "make a layer for the copy");
	snprintf(upper, sizeof(upper), "up/copy-%ld/upper", number);
	snprintf(work, sizeof(work), "up/copy-%ld/work", number);
	if (mkdir(upper, st.st_mode & 07777) < 0 || mkdir(work, 0755) < 0)
		return err_sys(e, "make a layer for the copy");
	r = mount_restrict(source, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_RDONLY, true,
			   e);
	if (r >= 0)
		r = rootfs_attach_in_base(source, lower, e);
	return r < 0 ? r : overlay_new(&dirs, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, e);
}

int rootfs_base(struct child *c, const struct op *op, struct err *e)
{
	bool disk = has_upper_directory(c->plan);
	int r = c->is_apart ? 0 : sources_clone(c, e);

	if (r < 0)
		return r;
	c->base_fd = mount_new_tmpfs(op->bytes, 0755, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, e);
	if (c->base_fd < 0)
		return c->base_fd;
	r = child_watch(c, c->base_fd, e);
	if (r < 0)
		return r;
	if (mount_attach_at(c->base_fd, AT_FDCWD, "/proc", e) < 0)
		return err_wrap(e, "base");
	if (fchdir(c->base_fd) < 0)
		return err_sys(e, "enter base");
	if (mkdir("lower", 0755) < 0 || mkdir("root", 0755) < 0 || mkdir("up", 0755) < 0 ||
	    mkdir("proc", 0755) < 0 || mkdir("seeds", 0755) < 0)
		return err_sys(e, "make mount points");
	if (disk)
		return 0;
	r = make_upper(c, e);
	return r < 0 ? r : check_tmpfs_xattr(e);
}

int rootfs_attach_in_base(int fd, const char *name, struct err *e)
{
	return mount_attach_at(fd, AT_FDCWD, name, e);
}

/* Makes the mount point of the next lower layer. */
static int next_lower(struct child *c, char name[LOWER_NAME_BYTES], struct err *e)
{
	if (c->n_lowers >= LOWERS_MAX)
		return err_set(e, E2BIG, "too many layers");
	lower_name(c->n_lowers, name);
	if (c->n_lowers && mkdir(name, 0755) < 0)
		return err_sys(e, "make mount points");
	c->n_lowers++;
	return 0;
}

int rootfs_lower_image(struct child *c, const struct op *op, struct err *e)
{
	char name[LOWER_NAME_BYTES];
	int r = 0;

	(void)op;
	for (unsigned i = 0; r >= 0 && i < c->n_images; i++) {
		r = next_lower(c, name, e);
		if (r >= 0)
			r = rootfs_attach_in_base(c->image_fds[i], name, e);
	}
	return r < 0 ? err_wrap(e, "image") : 0;
}

static int attach_directory(struct child *c, const struct op *op, const char *where, unsigned attrs,
			    struct err *e)
{
	_close_ int fd = source_take(c, op);
	int r = mount_restrict(fd, attrs, false, e);

	if (r >= 0)
		r = rootfs_attach_in_base(fd, where, e);
	return r < 0 ? err_wrap(e, "%s", op->src) : 0;
}

int rootfs_lower_directory(struct child *c, const struct op *op, struct err *e)
{
	char name[LOWER_NAME_BYTES];
	int r = next_lower(c, name, e);

	return r < 0 ? r
		     : attach_directory(c, op, name,
					MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_RDONLY,
					e);
}

int rootfs_upper_directory(struct child *c, const struct op *op, struct err *e)
{
	return attach_directory(c, op, "up", MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, e);
}

/*
 * An upper directory that is read is one of the lower ones, as the files of a stack are: whiteouts
 * and opaque directories count there just the same.
 *
 * volatile: written data need not be on disk at the end. On tmpfs there is nothing to sync, and the
 * option would cost a few files that mark the layer as in use.
 */
int rootfs_overlay(struct child *c, const struct op *op, struct err *e)
{
	char lower[LOWER_LIST_BYTES];
	const struct overlay_dirs dirs = {lower, "up/upper", "up/work",
					  has_upper_directory(c->plan)};

	lower_list(c->n_lowers, op->flags & OP_BELOW ? "seeds:" : "", lower);
	/* Else one program would see in a file's time that another has read it. */
	c->root_fd = overlay_new(
		&dirs, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | (c->is_lane ? MOUNT_ATTR_NOATIME : 0),
		e);
	if (c->root_fd < 0)
		return c->root_fd;
	return rootfs_attach_in_base(c->root_fd, "root", e);
}

int rootfs_own_directory(struct child *c, const char *name, struct err *e)
{
	struct open_how how = {
		.flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
	};
	long fd = syscall(SYS_openat2, c->root_fd, name, &how, sizeof(how));

	if (fd < 0 && errno == ENOENT) {
		if (mkdirat(c->root_fd, name, 0755) < 0)
			return err_sys(e, "make /%s", name);
		fd = syscall(SYS_openat2, c->root_fd, name, &how, sizeof(how));
	}
	if (fd < 0 && (errno == ELOOP || errno == ENOTDIR))
		return err_set(e, ENOTDIR, "/%s of the image is not a directory", name);
	return fd < 0 ? err_sys(e, "open /%s", name) : (int)fd;
}

/*
 * Mostly the directory is there. One part of a name is no way out of the root: what is a link is not
 * followed.
 */
int rootfs_attach_own(struct child *c, int fd, const char *name, struct err *e)
{
	_close_ int target = -1;
	int r;

	if (!strchr(name, '/') && mount_attach_at(fd, c->root_fd, name, NULL) >= 0)
		return 0;
	target = rootfs_own_directory(c, name, e);
	if (target < 0)
		return target;
	r = mount_attach(fd, target, e);
	return r < 0 ? err_wrap(e, "/%s", name) : 0;
}

int rootfs_readonly(struct child *c, const struct op *op, struct err *e)
{
	int r = mount_restrict(c->root_fd, MOUNT_ATTR_RDONLY, false, e);

	for (unsigned i = 0; r >= 0 && i < c->n_parts; i++)
		r = mount_restrict(c->part_fds[i], MOUNT_ATTR_RDONLY, false, e);
	(void)op;
	return r < 0 ? err_wrap(e, "read-only root") : 0;
}

int rootfs_pivot(struct child *c, const struct op *op, struct err *e)
{
	(void)op;
	if (c->is_apart)
		return apart_enter_root(c->root_fd, "proc", !c->has_aparts_sys, e);
	if (fchdir(c->root_fd) < 0)
		return err_sys(e, "enter root");
	/*
	 * pivot_root(2): new and old root may be the same directory; the old one ends up on top of
	 * the new one, where umount finds it. Were anything left over, the kernel would call us
	 * chrooted and refuse init's user namespace.
	 */
	if (syscall(SYS_pivot_root, ".", ".") < 0)
		return err_sys(e, "pivot_root");
	if (umount2(".", MNT_DETACH) < 0)
		return err_sys(e, "detach the host's root");
	if (chdir("/") < 0)
		return err_sys(e, "enter root");
	return 0;
}
