/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Filling an empty volume with what the image has where it is mounted.
 *
 * Theory. It is done by the container's pid 1 before it becomes csbx-init: in the container's user
 * namespace, so that owners are what the container sees, and in its root, which nothing runs in
 * yet. The image is looked at without the mounts in it. Both sides are walked by descriptor and
 * every name is opened with O_NOFOLLOW: a symbolic link is copied as such, and never leads anywhere.
 * Another container that mounts the same volume may be at work in it meanwhile; the files that it
 * has made stay. Devices and sockets are left out; links to one file become files of their own. The
 * stack is on the heap and as deep as DEPTH_MAX.
 */
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/path.h"
#include "runtime/base/str.h"
#include "runtime/child/child.h"
#include "runtime/kernel/mount_api.h"
#include "runtime/spec/plan.h"

#define LOCK_TRIES 500
#define LOCK_LOOK_MS 10

#define DEPTH_MAX 256
#define CHUNK_BYTES (1u << 30)

struct level {
	DIR *from;
	int to;
};

/* Without ids of their own all files are the main user's: then there is nothing to give. */
static void give(int fd, const struct stat *st)
{
	if (fchown(fd, st->st_uid, st->st_gid) < 0 && errno != EPERM && errno != EINVAL)
		return;
	(void)fchmod(fd, st->st_mode & 07777);
}

static int copy_file(int from_dir, int to_dir, const char *name, const struct stat *st,
		     struct err *e)
{
	const struct timespec times[2] = {st->st_atim, st->st_mtim};
	_close_ int from = openat(from_dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	_close_ int to =
		openat(to_dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	ssize_t n;

	if (to < 0 && errno == EEXIST)
		return 0;
	if (from < 0 || to < 0)
		return err_sys(e, "%s", name);
	do {
		n = sendfile(to, from, NULL, CHUNK_BYTES);
	} while (n > 0 || (n < 0 && errno == EINTR));
	if (n < 0)
		return err_sys(e, "%s", name);
	give(to, st);
	(void)futimens(to, times);
	return 0;
}

static int copy_link(int from_dir, int to_dir, const char *name, const struct stat *st,
		     struct err *e)
{
	char text[4096];
	ssize_t n = readlinkat(from_dir, name, text, sizeof(text) - 1);

	if (n < 0)
		return err_sys(e, "%s", name);
	text[n] = 0;
	if (symlinkat(text, to_dir, name) < 0 && errno != EEXIST)
		return err_sys(e, "%s", name);
	(void)!fchownat(to_dir, name, st->st_uid, st->st_gid, AT_SYMLINK_NOFOLLOW);
	return 0;
}

static int open_dir_at(int dirfd, const char *name)
{
	return openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Takes both descriptors. */
static int push(struct level *stack, size_t *depth, int from, int to, struct err *e)
{
	struct level *l = &stack[*depth];

	if (*depth == DEPTH_MAX) {
		close(from);
		close(to);
		return err_set(e, ELOOP, "directories are nested too deeply");
	}
	*l = (struct level){fdopendir(from), to};
	if (!l->from) {
		close(from);
		close(to);
		return err_sys(e, "read directory");
	}
	++*depth;
	return 0;
}

static int copy_dir(struct level *stack, size_t *depth, const char *name, const struct stat *st,
		    struct err *e)
{
	const struct level *l = &stack[*depth - 1];
	_close_ int from = open_dir_at(dirfd(l->from), name), to = -1;

	if (mkdirat(l->to, name, 0700) < 0 && errno != EEXIST)
		return err_sys(e, "%s", name);
	to = open_dir_at(l->to, name);
	if (from < 0 || to < 0)
		return err_sys(e, "%s", name);
	give(to, st);
	return push(stack, depth, take_fd(&from), take_fd(&to), e);
}

static int copy_entry(struct level *stack, size_t *depth, const char *name, struct err *e)
{
	const struct level *l = &stack[*depth - 1];
	struct stat st;

	if (fstatat(dirfd(l->from), name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return err_sys(e, "%s", name);
	if (S_ISDIR(st.st_mode))
		return copy_dir(stack, depth, name, &st, e);
	if (S_ISREG(st.st_mode))
		return copy_file(dirfd(l->from), l->to, name, &st, e);
	if (S_ISLNK(st.st_mode))
		return copy_link(dirfd(l->from), l->to, name, &st, e);
	if (S_ISFIFO(st.st_mode))
		(void)mkfifoat(l->to, name, st.st_mode & 0777);
	return 0;
}

static int copy_tree(int from, int to, struct err *e)
{
	struct level *stack = calloc(DEPTH_MAX, sizeof(*stack));
	size_t depth = 0;
	int r;

	if (!stack) {
		close(from);
		close(to);
		return err_oom(e);
	}
	r = push(stack, &depth, from, to, e);
	while (depth && r >= 0) {
		const struct dirent *ent = readdir(stack[depth - 1].from);

		if (ent && !str_is_dots(ent->d_name)) {
			r = copy_entry(stack, &depth, ent->d_name, e);
		} else if (!ent) {
			depth--;
			closedir(stack[depth].from);
			close(stack[depth].to);
		}
	}
	while (depth--) {
		closedir(stack[depth].from);
		close(stack[depth].to);
	}
	free(stack);
	return r;
}

static bool is_empty(int fd)
{
	int copy = open_dir_at(fd, ".");
	DIR *d = copy < 0 ? NULL : fdopendir(copy);
	const struct dirent *ent = NULL;
	bool empty;

	while (d && (ent = readdir(d)) && str_is_dots(ent->d_name))
		;
	empty = d && !ent;
	if (d)
		closedir(d);
	else
		fd_close(&copy);
	return empty;
}

/*
 * Two that start at once: the second finds it filled. A program inside may hold the lock for as long
 * as it likes: after a while, as where there are no locks, both fill.
 */
static void lock(int volume)
{
	for (int i = 0;
	     i < LOCK_TRIES && flock(volume, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK; i++)
		(void)poll(NULL, 0, LOCK_LOOK_MS);
}

/*
 * What the image has at the volume's place, whatever is mounted on the way by now: a link of the
 * image may lead to /proc, which is of csbx's own process, or to a mount of the host. A directory as
 * image has such mounts over csbx's own directories (hide.c): there the way must meet none. A
 * negative ret: it has no directory there.
 */
static int open_in_image(const struct child *c, const char *path, int *ret, struct err *e)
{
	const int flags = O_RDONLY | O_DIRECTORY;
	_close_ int tree = -1;

	if (plan_has(c->plan, OP_LOWER_DIRECTORY)) {
		*ret = path_open_no_mounts(c->root_fd, path, flags, NULL);
		return 0;
	}
	tree = mount_clone(c->root_fd, "", false, e);
	if (tree < 0)
		return err_wrap(e, "the image without mounts");
	*ret = path_open_in_root(tree, path, flags, 0, NULL);
	return 0;
}

int mount_copy_up(struct child *c, const struct op *op, int volume, struct err *e)
{
	_close_ int to = open_dir_at(volume, "."), from = -1;
	struct stat st;
	int r;

	if (to < 0)
		return err_sys(e, "volume");
	if (!is_empty(to))
		return 0;
	r = open_in_image(c, op->dst, &from, e);
	if (r < 0 || from < 0 || fstat(from, &st) < 0)
		return r;
	lock(to);
	if (!is_empty(to))
		return 0;
	give(to, &st);
	if (copy_tree(take_fd(&from), take_fd(&to), e) < 0)
		return err_wrap(e, "fill the volume from the image");
	return 0;
}
