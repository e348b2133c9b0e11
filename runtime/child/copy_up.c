/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Filling an empty volume with what the image has where it is mounted.
 *
 * Theory. It is done by the container's pid 1 before it becomes csbx-init: in the container's user
 * namespace, so that owners are what the container sees, and in its root, which nothing runs in
 * yet. The image is looked at without the mounts in it. Both sides are walked by descriptor and
 * every name is opened with O_NOFOLLOW: a symbolic link is copied as such, and never leads anywhere.
 * Another container that mounts the same volume may be at work in it meanwhile; what it has made
 * stays, whatever it is, and a directory that it has removed is not made again. Devices and sockets
 * are left out; links to one file become files of their own. The stack is on the heap and as deep as DEPTH_MAX.
 *
 * The directory above the volume, which no program reaches, has the lock of those that fill it, and
 * FILLING in it from before the first file to after the last. A start that finds FILLING waits for
 * the lock, and where it is there still, the one that made it was killed: what is missing is copied
 * then. No file is there in part, for each gets its name when it is whole.
 */
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/linux_calls.h"
#include "runtime/base/path.h"
#include "runtime/base/str.h"
#include "runtime/child/child.h"
#include "runtime/kernel/mount_api.h"
#include "runtime/spec/plan.h"

#define LOCK_TRIES 500
#define LOCK_LOOK_MS 10

#define FILLING "filling"
#define NEW_FILE ".csbx-fill" /* the one file of a directory that is being copied */

#define NEW_NAME_BYTES (sizeof(NEW_FILE) + 17)

#define DIRECTORY_GONE 0 /* nothing can be made in it: another container has removed it */

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

/*
 * One that a killed start left makes room. A program with the volume may have made a directory of that
 * name: it cannot know the other one.
 */
static int make_new_file(int dir, char name[NEW_NAME_BYTES])
{
	const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	uint64_t random = 0;
	int fd;

	snprintf(name, NEW_NAME_BYTES, NEW_FILE);
	fd = openat(dir, name, flags, 0600);
	if (fd < 0 && errno == EEXIST && unlinkat(dir, name, 0) == 0)
		fd = openat(dir, name, flags, 0600);
	if (fd >= 0 || getrandom(&random, sizeof(random), 0) != sizeof(random))
		return fd;
	snprintf(name, NEW_NAME_BYTES, NEW_FILE "-%016llx", (unsigned long long)random);
	return openat(dir, name, flags, 0600);
}

/* ENOENT: without locks, another start that fills took it away, and has made one of its own. */
static int give_name(int dir, const char *made, const char *name, struct err *e)
{
	int r = renameat2(dir, made, dir, name, RENAME_NOREPLACE);

	if (r < 0 && (errno == EINVAL || errno == ENOSYS))
		r = renameat(dir, made, dir, name);
	if (r < 0 && errno != EEXIST && errno != ENOENT && errno != EISDIR)
		return err_sys(e, "%s", name);
	if (r < 0)
		(void)unlinkat(dir, made, 0);
	return 0;
}

static int copy_file(int from_dir, int to_dir, const char *name, const struct stat *st,
		     struct err *e)
{
	const struct timespec times[2] = {st->st_atim, st->st_mtim};
	_close_ int from = -1, to = -1;
	char made[NEW_NAME_BYTES];
	struct stat there;
	ssize_t n;

	if (fstatat(to_dir, name, &there, AT_SYMLINK_NOFOLLOW) == 0)
		return 0;
	from = openat(from_dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	to = from < 0 ? -1 : make_new_file(to_dir, made);
	if (from >= 0 && to < 0 && errno == ENOENT)
		return DIRECTORY_GONE;
	if (to < 0)
		return err_sys(e, "%s", name);
	do {
		n = sendfile(to, from, NULL, CHUNK_BYTES);
	} while (n > 0 || (n < 0 && errno == EINTR));
	if (n < 0)
		return err_sys(e, "%s", name);
	give(to, st);
	(void)futimens(to, times);
	return give_name(to_dir, made, name, e);
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
		return errno == ENOENT ? DIRECTORY_GONE : err_sys(e, "%s", name);
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
		return errno == ENOENT ? DIRECTORY_GONE : err_sys(e, "%s", name);
	to = from < 0 ? -1 : open_dir_at(l->to, name);
	if (from >= 0 && to < 0 && (errno == ENOTDIR || errno == ELOOP || errno == ENOENT))
		return 0; /* another container has made something else there */
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
 * Where the directory above has no lock, the volume has it. A program inside may hold that as long as
 * it likes: after a while, as where there are no locks, both fill.
 */
static void lock(int above, int volume)
{
	int r;

	while ((r = flock(above, LOCK_EX)) < 0 && errno == EINTR)
		;
	for (int i = 0; r < 0 && i < LOCK_TRIES; i++) {
		r = flock(volume, LOCK_EX | LOCK_NB);
		if (r < 0 && errno != EWOULDBLOCK)
			return;
		if (r < 0)
			(void)poll(NULL, 0, LOCK_LOOK_MS);
	}
}

/* above: -1 where there is none. */
static bool is_filled(int above, int volume)
{
	return !is_empty(volume) && faccessat(above, FILLING, F_OK, AT_SYMLINK_NOFOLLOW) < 0;
}

static void mark(int above)
{
	int fd = openat(above, FILLING, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

	fd_close(&fd);
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
	_close_ int above = source_take_above(c, op), to = open_dir_at(volume, "."), from = -1;
	struct stat st;
	int r;

	if (to < 0)
		return err_sys(e, "volume");
	if (is_filled(above, to))
		return 0;
	lock(above, to);
	if (is_filled(above, to))
		return 0;
	r = open_in_image(c, op->dst, &from, e);
	if (r < 0 || from < 0 || fstat(from, &st) < 0)
		return r;
	mark(above);
	give(to, &st);
	if (copy_tree(take_fd(&from), take_fd(&to), e) < 0)
		return err_wrap(e, "fill the volume from the image");
	(void)unlinkat(above, FILLING, 0);
	return 0;
}
