/* SPDX-License-Identifier: Apache-2.0 */

/*
 * One directory at a time, with an explicit stack of open directories: the image decides how deep
 * it goes, so nothing recurses. Every name was checked by sqimage and every object is made with
 * O_EXCL or its like through the descriptor of its directory, so a hostile image can neither
 * leave the tree nor go through a link it made itself (CVE-2021-41072 was a name given twice, as
 * a link and as a directory). A directory met twice would make the tree endless and is an error.
 *
 * A file with several links is made in a staging directory first, named by its inode reference,
 * and linked from there: the file system is the table of what exists already.
 */
#include "runtime/helpers/squashd/unpack.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/str.h"
#include "runtime/helpers/squashd/confine.h"
#include "runtime/helpers/squashd/image/originals.h"
#include "runtime/helpers/squashd/image/sqimage.h"

#define DEPTH_MAX 1000
#define BUF_BYTES (1u << 20)
#define STAGE_NAME_MAX 32

struct level {
	int fd;
	struct sqnode node;
	struct sqdir it;
};

struct unpack {
	struct sqimage *img;
	struct originals originals;
	struct level *stack;
	size_t depth;        /* levels in use */
	unsigned char *seen; /* one bit a directory's inode number */
	uint64_t inodes;
	char *buf;
	char stage[STAGE_NAME_MAX];
	int stage_fd; /* -1 until the first file with several links */
	uint64_t *staged;
	size_t n_staged, cap_staged;
};

static int set_times(int dirfd, const char *name, int64_t mtime)
{
	struct timespec t[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = mtime}};

	return name ? utimensat(dirfd, name, t, AT_SYMLINK_NOFOLLOW) : futimens(dirfd, t);
}

static int set_xattrs(struct unpack *u, int fd, const struct sqnode *node)
{
	char name[SQXATTR_NAME_MAX + 1];
	struct sqxattr x;
	int r = sqxattr_open(u->img, node, &x);

	while (r >= 0 && (r = sqxattr_next(&x, name)) > 0) {
		ssize_t n = sqxattr_value(&x, u->buf);

		if (n < 0)
			return (int)n;
		if (fsetxattr(fd, name, u->buf, (size_t)n, 0) < 0 && errno != EOPNOTSUPP)
			return -errno;
	}
	return r;
}

/* Blocks of zeros stay holes: a sparse file of 1 TiB is a few bytes in the image. */
static int write_content(struct unpack *u, int fd, const struct sqnode *node)
{
	for (uint64_t at = 0; at < node->size;) {
		ssize_t n = sqimage_read(u->img, node, at, u->buf, BUF_BYTES);
		int r;

		if (n <= 0)
			return n < 0 ? (int)n : -EIO;
		r = mem_is_zero(u->buf, (size_t)n) ? 0
						   : io_pwrite_all(fd, u->buf, (size_t)n, at, NULL);
		if (r < 0)
			return r;
		at += (uint64_t)n;
	}
	return ftruncate(fd, (off_t)node->size) < 0 ? -errno : 0;
}

static int make_file(struct unpack *u, int dirfd, const char *name, const struct sqnode *node)
{
	_close_ int fd =
		openat(dirfd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	int r;

	if (fd < 0)
		return -errno;
	r = write_content(u, fd, node);
	if (r >= 0)
		r = set_xattrs(u, fd, node);
	if (r < 0)
		return r;
	return fchmod(fd, node->mode & 0777) < 0 || set_times(fd, NULL, node->mtime) < 0 ? -errno
											 : 0;
}

static int make_leaf(struct unpack *u, int dirfd, const char *name, const struct sqnode *node)
{
	char target[SQLINK_MAX + 1];
	ssize_t r;

	switch (node->mode & S_IFMT) {
	case S_IFREG:
		return make_file(u, dirfd, name, node);
	case S_IFLNK:
		r = sqimage_readlink(u->img, node, target);
		if (r < 0)
			return (int)r;
		if (symlinkat(target, dirfd, name) < 0)
			return -errno;
		break;
	case S_IFIFO:
	case S_IFSOCK:
		if (mknodat(dirfd, name, node->mode & (S_IFMT | 0777), 0) < 0)
			return -errno;
		break;
	case S_IFCHR:
		/*
		 * A device that hides a name in a file of a stack (overlayfs.rst); every user may
		 * make that one.
		 */
		if (node->rdev)
			return 0;
		return mknodat(dirfd, name, S_IFCHR, 0) < 0 ? -errno : 0;
	default: /* device nodes: not ours to make, and the container has its own /dev */
		return 0;
	}
	return set_times(dirfd, name, node->mtime) < 0 ? -errno : 0;
}

/* A name in the image's root that is free. */
static int open_stage(struct unpack *u)
{
	const struct level *top = &u->stack[0];
	uint64_t id;
	int r = 1;

	for (unsigned i = 0; r > 0; i++) {
		snprintf(u->stage, sizeof(u->stage), ".csbx-links-%u", i);
		r = sqimage_lookup(u->img, &top->node, u->stage, &id);
	}
	if (r < 0)
		return r;
	if (mkdirat(top->fd, u->stage, 0700) < 0)
		return -errno;
	u->stage_fd = openat(top->fd, u->stage, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return u->stage_fd < 0 ? -errno : 0;
}

static int remember_staged(struct unpack *u, uint64_t id)
{
	if (u->n_staged == u->cap_staged) {
		size_t cap = u->cap_staged ? u->cap_staged * 2 : 256;
		uint64_t *grown = realloc(u->staged, cap * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		u->staged = grown;
		u->cap_staged = cap;
	}
	u->staged[u->n_staged++] = id;
	return 0;
}

static int make_linked(struct unpack *u, int dirfd, const char *name, const struct sqnode *node)
{
	char key[20];
	int r = u->stage_fd < 0 ? open_stage(u) : 0;

	if (r < 0)
		return r;
	snprintf(key, sizeof(key), "%llx", (unsigned long long)node->id);
	if (!linkat(u->stage_fd, key, dirfd, name, 0))
		return 0;
	if (errno == EMLINK) /* more links than this file system can hold: a copy */
		return make_leaf(u, dirfd, name, node);
	if (errno != ENOENT)
		return -errno;
	r = make_leaf(u, u->stage_fd, key, node);
	if (r >= 0)
		r = remember_staged(u, node->id);
	if (r >= 0 && linkat(u->stage_fd, key, dirfd, name, 0) < 0)
		r = -errno;
	return r;
}

static int clear_stage(struct unpack *u)
{
	char key[20];

	if (u->stage_fd < 0)
		return 0;
	for (size_t i = 0; i < u->n_staged; i++) {
		snprintf(key, sizeof(key), "%llx", (unsigned long long)u->staged[i]);
		if (unlinkat(u->stage_fd, key, 0) < 0)
			return -errno;
	}
	return unlinkat(u->stack[0].fd, u->stage, AT_REMOVEDIR) < 0 ? -errno : 0;
}

/* Goes into a directory whose descriptor is fd; takes it over. */
static int push(struct unpack *u, int fd, const struct sqnode *node)
{
	struct level *l;

	if (u->depth == DEPTH_MAX || node->ino >= u->inodes ||
	    (u->seen[node->ino / 8] & 1u << node->ino % 8)) {
		close(fd);
		return u->depth == DEPTH_MAX ? -ENAMETOOLONG : -EIO;
	}
	u->seen[node->ino / 8] |= (unsigned char)(1u << node->ino % 8);
	l = &u->stack[u->depth++];
	l->fd = fd;
	l->node = *node;
	return sqdir_open(u->img, &l->node, 0, &l->it);
}

/* Mode and times last: making entries changed them. */
static int pop(struct unpack *u)
{
	struct level *l = &u->stack[u->depth - 1];
	int r = u->depth == 1 ? clear_stage(u) : 0;

	if (r >= 0)
		r = set_xattrs(u, l->fd, &l->node);
	if (r >= 0 && (fchmod(l->fd, (l->node.mode & 01777) | 0700) < 0 ||
		       set_times(l->fd, NULL, l->node.mtime) < 0))
		r = -errno;
	if (--u->depth)
		close(l->fd);
	return r;
}

static int make_entry(struct unpack *u, const struct sqentry *ent)
{
	int dirfd = u->stack[u->depth - 1].fd, fd;
	struct sqnode node;
	int r = originals_node(&u->originals, u->img, ent->id, &node);

	if (r < 0)
		return r;
	if (S_ISDIR(node.mode)) {
		if (mkdirat(dirfd, ent->name, 0700) < 0)
			return -errno;
		fd = openat(dirfd, ent->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		return fd < 0 ? -errno : push(u, fd, &node);
	}
	if (node.nlink > 1 && (S_ISREG(node.mode) || S_ISLNK(node.mode)))
		return make_linked(u, dirfd, ent->name, &node);
	return make_leaf(u, dirfd, ent->name, &node);
}

static int walk(struct unpack *u, struct err *e)
{
	struct sqentry ent;

	while (u->depth) {
		int r = sqdir_next(&u->stack[u->depth - 1].it, &ent);

		if (r < 0)
			return err_code(e, r, "damaged directory");
		if (!r) {
			r = pop(u);
			if (r < 0)
				return err_code(e, r, "finish directory");
			continue;
		}
		if (!originals_apply(&u->originals, u->stack[u->depth - 1].node.id, &ent))
			continue;
		r = make_entry(u, &ent);
		if (r < 0)
			return err_code(e, r, "%s", ent.name);
	}
	return 0;
}

static int unpack(int image_fd, int dirfd, bool lies_above, struct err *e)
{
	struct unpack u = {.stage_fd = -1};
	struct sqnode root;
	struct sqstat st;
	int r = sqimage_open(image_fd, &u.img, e);

	if (r < 0)
		return r;
	if (lies_above)
		sqimage_lies_above(u.img);
	originals_find(u.img, &u.originals);
	sqimage_stat(u.img, &st);
	u.inodes = st.inodes + 1;
	u.stack = calloc(DEPTH_MAX, sizeof(*u.stack));
	u.seen = calloc(u.inodes / 8 + 1, 1);
	u.buf = malloc(BUF_BYTES);
	if (!u.stack || !u.seen || !u.buf)
		r = err_oom(e);
	if (r >= 0) {
		r = sqimage_node(u.img, sqimage_root(u.img), &root);
		if (r >= 0)
			r = push(&u, dirfd, &root);
		r = r < 0 ? err_code(e, r, "root directory") : walk(&u, e);
	}
	/* The process ends with this: descriptors that are still open on a failure go with it. */
	free(u.stack);
	free(u.seen);
	free(u.buf);
	free(u.staged);
	sqimage_close(u.img);
	return r < 0 ? err_wrap(e, "unpack image") : 0;
}

int unpack_main(int image_fd, int dirfd, bool lies_above)
{
	struct err e = ERR_INIT;
	int r = confine_tool(dirfd, CONFINE_WRITE, &e);

	if (r >= 0)
		r = unpack(image_fd, dirfd, lies_above, &e);
	if (r >= 0)
		return 0;
	err_sanitize(&e);
	(void)io_write_all(1, e.msg, strlen(e.msg), NULL);
	return 125;
}
