/* SPDX-License-Identifier: Apache-2.0 */
/*
 * As a start makes its root (runtime/child/rootfs.c), with a tmpfs whose only content are the mount
 * points. It lies over "/sys", which is of no use here, and not over "/": the kernel's list of
 * mounts then tells those in it by paths that lead there. To read, the overlay has the layer's
 * upper directory as its topmost lower one: whiteouts and opaque directories in it count there just
 * the same, and neither the layer nor its work directory is touched.
 */
#include "runtime/layer/merged_view.h"

#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "runtime/kernel/mount_abi.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/path.h"
#include "runtime/kernel/mount_api.h"
#include "runtime/kernel/overlay.h"
#include "runtime/layer/lower.h"
#include "runtime/spec/spec.h"

#define ATTRS (MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC)
#define ATTRS_READ_ONLY (ATTRS | MOUNT_ATTR_RDONLY)

static int enter_namespaces(const struct merged_view *v, struct err *e)
{
	if (setns(v->userns_fd, CLONE_NEWUSER) < 0)
		return err_sys(e, "join the container's user namespace");
	/* A mount namespace of another owner: nothing mounted in it gets out. */
	return unshare(CLONE_NEWNS) < 0 ? err_sys(e, "make a mount namespace") : 0;
}

/* Makes the base and its mount points, and works in it from here on. */
static int enter_base(struct err *e)
{
	_close_ int base = mount_new_tmpfs(0, 0755, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, e);
	_close_ int place = -1;
	int r;

	if (base < 0)
		return base;
	place = open("/sys", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (place < 0)
		return err_sys(e, "open /sys");
	r = mount_attach(base, place, e);
	if (r < 0)
		return r;
	if (fchdir(base) < 0)
		return err_sys(e, "enter base");
	if (mkdir("lower", 0700) < 0 || mkdir("root", 0700) < 0 || mkdir("up", 0700) < 0)
		return err_sys(e, "make mount points");
	return 0;
}

static int attach_at(int fd, const char *name, unsigned attrs, struct err *e)
{
	_close_ int target = open(name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int r;

	if (target < 0)
		return err_sys(e, "open %s", name);
	r = mount_restrict(fd, attrs, false, e);
	return r < 0 ? r : mount_attach(fd, target, e);
}

/* Binds a directory, by path because its mount must be one of our namespace's. */
static int attach_directory(const char *path, uint64_t dev, uint64_t ino, const char *name,
			    unsigned attrs, struct err *e)
{
	_close_ int fd = mount_clone(AT_FDCWD, path, false, e);
	struct stat st;
	int r;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0)
		return err_sys(e, "%s", path);
	if (st.st_dev != dev || st.st_ino != ino)
		return err_set(e, ESTALE, "%s: replaced meanwhile", path);
	r = attach_at(fd, name, attrs, e);
	return r < 0 ? err_wrap(e, "%s", path) : 0;
}

static int make_lower(unsigned i, char name[LOWER_NAME_BYTES], struct err *e)
{
	lower_name(i, name);
	return i && mkdir(name, 0700) < 0 ? err_sys(e, "make mount points") : 0;
}

/* Layers have no identity to compare with: they are the caller's own. */
static int attach_layer_to_read(const char *path, const char *name, struct err *e)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return err_sys(e, "%s", path);
	return attach_directory(path, st.st_dev, st.st_ino, name, ATTRS_READ_ONLY, e);
}

static int attach_part(const struct merged_view *v, size_t i, const char *name, struct err *e)
{
	const struct rootfs_part part = rootfs_part_at(v->root, i);

	if (v->root->kind == ROOTFS_DIRECTORY)
		return attach_directory(part.path, part.id.dev, part.id.ino, name, ATTRS_READ_ONLY,
					e);
	return attach_at(v->image_fds[i], name, ATTRS_READ_ONLY, e) < 0 ? err_wrap(e, "image") : 0;
}

/* Returns how many there are. */
static int attach_lowers(const struct merged_view *v, struct err *e)
{
	const size_t n_parts = v->root->n_lowers + 1;
	char name[LOWER_NAME_BYTES];
	unsigned n = 0;
	int r = 0;

	for (size_t i = 0; r >= 0 && i < n_parts + v->root->layers.n; i++) {
		r = make_lower(n++, name, e);
		if (r >= 0)
			r = i < n_parts ? attach_part(v, i, name, e)
					: attach_layer_to_read(v->root->layers.items[i - n_parts],
							       name, e);
	}
	return r < 0 ? r : (int)n;
}

static int attach_layer(const struct merged_view *v, struct err *e)
{
	const unsigned attrs = v->is_writable ? ATTRS : ATTRS_READ_ONLY;
	struct stat st;

	if (fstat(v->layer_fd, &st) < 0)
		return err_sys(e, "%s", v->layer_path);
	return attach_directory(v->layer_path, st.st_dev, st.st_ino, "up", attrs, e);
}

static int attach_overlay(const struct merged_view *v, unsigned n, struct err *e)
{
	const unsigned attrs = v->is_writable ? ATTRS : ATTRS_READ_ONLY;
	char lower[LOWER_LIST_BYTES];
	const struct overlay_dirs reads = {.lower = lower};
	const struct overlay_dirs writes = {lower, "up/upper", "up/work", true};
	_close_ int fd = -1;

	lower_list(n, v->layer_fd >= 0 && !v->is_writable ? "up/upper:" : "", lower);
	fd = overlay_new(v->is_writable ? &writes : &reads, attrs, e);
	return fd < 0 ? fd : attach_at(fd, "root", attrs, e);
}

static int open_place(const struct merged_view *v, int root, const struct mount_spec *m,
		      bool is_directory)
{
	int fd = path_open_in_root(root, m->target, O_PATH, 0, NULL);

	if (fd != -ENOENT || !v->is_writable || m->no_create)
		return fd;
	return is_directory ? path_mkdirs_in_root(root, m->target, NULL)
			    : path_touch_in_root(root, m->target, NULL);
}

/*
 * A clone of a mount's source, -1: it is gone. A path that leads to another file within the call, or
 * through a link that a start would not follow, is none.
 */
static int clone_source(const struct mount_spec *m)
{
	_close_ int seen = path_open_source(m->source, 0, NULL);
	_close_ int fd = seen < 0 ? -1 : mount_clone(AT_FDCWD, m->source, !m->non_recursive, NULL);
	struct stat a, b;

	if (fd < 0 || fstat(seen, &a) < 0 || fstat(fd, &b) < 0 || a.st_dev != b.st_dev ||
	    a.st_ino != b.st_ino)
		return -1;
	return take_fd(&fd);
}

/* Before anything is mounted: a source may be "/" or lie in /sys. */
static int clone_sources(const struct merged_view *v, int **ret, struct err *e)
{
	int *fds = calloc(v->n_mounts + 1, sizeof(*fds));

	*ret = fds;
	for (size_t i = 0; fds && i < v->n_mounts; i++)
		fds[i] = v->mounts[i].kind == MOUNT_BIND && v->mounts[i].source
				 ? clone_source(&v->mounts[i])
				 : -1;
	return fds ? 0 : err_oom(e);
}

static void close_sources(const struct merged_view *v, int *fds)
{
	for (size_t i = 0; fds && i < v->n_mounts; i++)
		fd_close(&fds[i]);
	free(fds);
}

static int attach_mount(const struct merged_view *v, int root, const struct mount_spec *m, int fd,
			struct err *e)
{
	const bool reads_only = m->readonly || !v->is_writable;
	_close_ int place = -1;
	struct stat st;
	int r;

	if (fstat(fd, &st) < 0)
		return 0;
	place = open_place(v, root, m, S_ISDIR(st.st_mode));
	if (place < 0)
		return 0;
	r = mount_restrict(fd, reads_only ? ATTRS_READ_ONLY : ATTRS, !m->non_recursive, e);
	if (r == 0)
		r = mount_attach(fd, place, e);
	return r < 0 ? err_wrap(e, "%s", m->target) : 0;
}

/* A mount's place is found through those before it. */
static int attach_mounts(const struct merged_view *v, int root, const int *sources, struct err *e)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < v->n_mounts; i++) {
		if (sources[i] < 0)
			continue;
		r = attach_mount(v, root, &v->mounts[i], sources[i], e);
		if (r == 0 && v->hide)
			r = v->hide(v->hide_arg, root, e);
	}
	return r;
}

/* Returns the merged root. */
static int merge(const struct merged_view *v, struct err *e)
{
	bool is_merged = v->layer_fd >= 0;
	int r = enter_base(e), n = 0, fd;

	if (r == 0)
		r = n = attach_lowers(v, e);
	if (r >= 0 && is_merged)
		r = attach_layer(v, e);
	is_merged |= n > 1;
	if (r >= 0 && is_merged)
		r = attach_overlay(v, (unsigned)n, e);
	if (r < 0)
		return err_wrap(e, "merge image and layer");
	fd = open(is_merged ? "root" : "lower", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? err_sys(e, "open the merged root") : fd;
}

int merged_view_enter(const struct merged_view *v, struct err *e)
{
	_close_ int root = -1;
	int *sources = NULL;
	int r = enter_namespaces(v, e);

	if (r < 0)
		return err_wrap(e, "merge image and layer");
	r = clone_sources(v, &sources, e);
	if (r >= 0)
		r = root = merge(v, e);
	if (r >= 0)
		r = attach_mounts(v, root, sources, e);
	close_sources(v, sources);
	return r < 0 ? r : take_fd(&root);
}
