/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A read-only root without an overlay: the image's own mount is the root, so a file that is opened
 * is one file and not one over another. Only a directory that csbx has put files of its own into,
 * which is /etc and for enroot /home, is an overlay: a part.
 *
 *	base/lower	the image, which becomes the root
 *	base/part0, ...	such a directory of it, mounted once more: the kernel takes layers by path,
 *			and a mount cannot be swapped for a link under its eyes
 *	base/up/upper/NAME, base/seeds/NAME	csbx's files (rootfs_seed.c), over base/partN
 *
 * It has to be known before the first mount goes onto the root that no mount point will be missing:
 * one is in the image, or below a part, or in a tmpfs that was mounted before. Where that cannot be
 * told the root is an overlay as any other. A target that a link leads to is such a case as soon as
 * a directory of the host is mounted, for the link may then lead through it.
 */
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/path.h"
#include "runtime/base/str.h"
#include "runtime/child/child.h"
#include "runtime/kernel/mount_abi.h"
#include "runtime/kernel/mount_api.h"
#include "runtime/kernel/overlay.h"
#include "runtime/spec/plan.h"
#include "runtime/spec/spec.h"

#define PART_NAME_BYTES 64u

/* By no link; -errno. */
static int open_plainly(int root, const char *path, int flags)
{
	struct open_how how = {
		.flags = (unsigned)(O_PATH | O_CLOEXEC | flags),
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
	};
	long fd = syscall(SYS_openat2, root, path, &how, sizeof(how));

	return fd < 0 ? -errno : (int)fd;
}

static bool has_directory(int root, const char *name)
{
	_close_ int fd = open_plainly(root, name, O_DIRECTORY);

	return fd >= 0;
}

static bool has_target(const struct op *op)
{
	return !op->skip && (op->kind == OP_BIND || op->kind == OP_DEVICE || op->kind == OP_TMPFS ||
			     op->kind == OP_COPY);
}

static bool lies_below(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	return !strncmp(path, dir, n) && path[n] == '/';
}

static bool is_kernel_tree(const char *path)
{
	return str_eq(path, "/proc") || str_eq(path, "/sys") || str_eq(path, "/dev");
}

/* Links lead nowhere but through the image, the kernel's trees and what is empty. */
static bool has_links_of_the_image_only(const struct plan *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct op *op = &p->ops[i];

		if (has_target(op) && op->kind != OP_TMPFS && !is_kernel_tree(op->dst))
			return false;
	}
	return true;
}

/* The mount, among the first n operations, that a target lies in. */
static const struct op *mount_around(const struct plan *p, size_t n, const char *dst)
{
	while (n--) {
		if (has_target(&p->ops[n]) && lies_below(dst, p->ops[n].dst))
			return &p->ops[n];
	}
	return NULL;
}

struct part {
	char name[PART_NAME_BYTES];
	bool has_below;
};

struct parts {
	struct part all[ROOT_PARTS_MAX];
	unsigned n;
};

static bool lies_in_part(const struct parts *parts, const char *dst)
{
	for (unsigned i = 0; i < parts->n; i++) {
		if (lies_below(dst + 1, parts->all[i].name))
			return true;
	}
	return false;
}

static bool target_will_be_there(const struct child *c, int root, size_t number,
				 const struct parts *parts)
{
	const struct op *op = &c->plan->ops[number];
	const struct op *around = mount_around(c->plan, number, op->dst);
	_close_ int fd = -1;

	if (around)
		return around->kind == OP_TMPFS;
	if (lies_below(op->dst, "/dev"))
		return true; /* OP_DEV_OWN: a tmpfs too */
	fd = open_plainly(root, op->dst, 0);
	if (fd == -ENOENT)
		return lies_in_part(parts, op->dst);
	if (fd != -ELOOP)
		return true; /* or an error that an overlay has as well */
	if (op->kind != OP_TMPFS || !has_links_of_the_image_only(c->plan, number))
		return false;
	fd = path_open_in_root(root, op->dst, O_PATH | O_DIRECTORY, 0, NULL);
	return fd >= 0;
}

static bool nothing_will_be_missing(const struct child *c, int root, const struct parts *parts)
{
	if (!has_directory(root, "proc") || !has_directory(root, "sys") ||
	    !has_directory(root, "dev"))
		return false;
	for (size_t i = 0; i < c->plan->n; i++) {
		if (has_target(&c->plan->ops[i]) && !target_will_be_there(c, root, i, parts))
			return false;
	}
	return true;
}

static bool is_there(const char *dir, const char *name)
{
	char path[PART_NAME_BYTES + 16];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return lstat(path, &st) == 0;
}

/* The walk of a seed that the image has already leaves an empty directory: nothing to show. */
static void drop_empty(const char *dir, const char *name)
{
	char path[PART_NAME_BYTES + 16];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	(void)rmdir(path);
}

static bool has_part(const struct parts *parts, const char *name)
{
	for (unsigned i = 0; i < parts->n; i++) {
		if (str_eq(parts->all[i].name, name))
			return true;
	}
	return false;
}

/* Names that mean nothing to the kernel's list of layers. */
static bool is_plain_name(const char *name)
{
	return name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				 "0123456789-_")] == 0;
}

/* False: this seed needs an overlay over all of the root. */
static bool add_part(int root, const char *seed, struct parts *parts)
{
	size_t len = strcspn(seed, "/");
	struct part p = {0};

	if (len >= sizeof(p.name))
		return false;
	memcpy(p.name, seed, len);
	if (!seed[len])
		return !is_there("up/upper", p.name) && !is_there("seeds", p.name);
	if (has_part(parts, p.name))
		return true;
	drop_empty("up/upper", p.name);
	drop_empty("seeds", p.name);
	p.has_below = is_there("seeds", p.name);
	if (!is_there("up/upper", p.name))
		return !p.has_below;
	if (!is_plain_name(p.name) || parts->n == ROOT_PARTS_MAX || !has_directory(root, p.name))
		return false;
	parts->all[parts->n++] = p;
	return true;
}

static bool find_parts(const struct child *c, int root, struct parts *ret)
{
	ret->n = 0;
	for (size_t i = 0; i < c->plan->n; i++) {
		const struct op *op = &c->plan->ops[i];

		if (op->kind == OP_SEED && !add_part(root, op->dst, ret))
			return false;
	}
	/* The keeper of a bare start sees by a part that the container's mounts are gone. */
	return ret->n || c->spec->ns.pid != PID_HOST;
}

/* As an overlay shows it: with what make_upper() has given its upper directory. */
static bool looks_as_made(int root)
{
	struct stat own, made;

	return fstat(root, &own) == 0 && stat("up/upper", &made) == 0 &&
	       own.st_mode == made.st_mode && own.st_uid == made.st_uid &&
	       own.st_gid == made.st_gid;
}

/* Stays writable until all mount points are made (rootfs_readonly()). */
static int mount_part(struct child *c, int root, const struct part *p, struct err *e)
{
	char clone_name[16], lower[PART_NAME_BYTES + 32], upper[PART_NAME_BYTES + 16], work[16];
	const struct overlay_dirs dirs = {lower, upper, work, false};
	_close_ int place = open_plainly(root, p->name, O_DIRECTORY), clone = -1;
	int fd, r;

	if (place < 0)
		return err_code(e, place, "open /%s", p->name);
	snprintf(clone_name, sizeof(clone_name), "part%u", c->n_parts);
	snprintf(lower, sizeof(lower), "%s%s%s%s", p->has_below ? "seeds/" : "",
		 p->has_below ? p->name : "", p->has_below ? ":" : "", clone_name);
	snprintf(upper, sizeof(upper), "up/upper/%s", p->name);
	snprintf(work, sizeof(work), "up/work%u", c->n_parts);
	clone = mount_clone(place, "", false, e);
	if (clone < 0)
		return clone;
	if (mkdir(clone_name, 0755) < 0 || mkdir(work, 0755) < 0)
		return err_sys(e, "make mount points");
	r = rootfs_attach_in_base(clone, clone_name, e);
	if (r < 0)
		return r;
	fd = overlay_new(&dirs, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, e);
	if (fd < 0)
		return fd;
	c->part_fds[c->n_parts++] = fd;
	return mount_attach(fd, place, e);
}

int rootfs_direct(struct child *c, struct err *e)
{
	const unsigned attrs = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_RDONLY;
	int root = c->n_images == 1 ? c->image_fds[0] : -1, r;
	struct parts parts;

	if (root < 0 || !looks_as_made(root) || !find_parts(c, root, &parts) ||
	    !nothing_will_be_missing(c, root, &parts))
		return 0;
	/* The server has mounted it so; its word is not needed. */
	r = mount_restrict(root, attrs, true, e);
	for (unsigned i = 0; r >= 0 && i < parts.n; i++)
		r = mount_part(c, root, &parts.all[i], e);
	if (r < 0)
		return err_wrap(e, "root");
	c->root_fd = root;
	return 1;
}
