/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The step's directory, beside those of the user's other steps on the node. Its holder has a write
 * lock on the file "alive" in it, to its own end however that comes: a directory whose lock can be
 * had is of a holder that was killed, and the next command removes it, with the container that it
 * had made for itself. The lock of the parent is held while one is made, looked at or removed, so
 * that a directory without "alive" is none that is just being made. It is not held while a
 * container is removed: the store may hang, and with it would all steps of the user.
 */

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/slurm/hold_priv.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/path.h"
#include "runtime/kernel/file_lock.h"

#define LOCK ".lock"
#define ALIVE "alive"
#define ASIDE ".aside-"

int hold_dir_open_parent(const struct hold *h, struct err *e)
{
	_free_ char *parent = str_printf("%.*s", (int)(h->dirname - 1 - h->a.dir), h->a.dir);

	return parent ? step_dir_open(parent, e) : err_oom(e);
}

/*
 * The directory of a dead one, with its lock; -1: it is none. One of an older csbx has no "alive".
 */
static int claim(int parentfd, const char *name, int *ret_alive)
{
	_close_ int lock = file_lock_open(parentfd, LOCK, true);
	_close_ int fd = openat(parentfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	_close_ int alive = fd < 0 ? -1 : openat(fd, ALIVE, O_RDWR | O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0 && lock >= 0 && alive < 0 && errno == ENOENT)
		unlinkat(parentfd, name, AT_REMOVEDIR); /* only where it is empty */
	if (lock < 0 || alive < 0 || file_lock_try(alive, true) < 0)
		return -1;
	*ret_alive = take_fd(&alive);
	return take_fd(&fd);
}

/* Not that of the same step of a requeued job, which may have begun already. */
static void remove_same(int parentfd, const char *name, int fd)
{
	_close_ int lock = file_lock_open(parentfd, LOCK, true);
	struct stat ours, there;

	if (lock >= 0 && fstat(fd, &ours) == 0 &&
	    fstatat(parentfd, name, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
	    ours.st_ino == there.st_ino && ours.st_dev == there.st_dev)
		path_remove_tree_at(parentfd, name, NULL);
}

static void bury(int parentfd, const char *name)
{
	_close_ int alive = -1, fd = claim(parentfd, name, &alive);

	if (fd < 0)
		return;
	hold_names_remove(fd, HOLD_OWN_NAME, NULL);
	remove_same(parentfd, name, fd);
}

static bool is_steps(const char *name)
{
	return (isdigit((unsigned char)*name) && strchr(name, '.')) || str_has_prefix(name, ASIDE);
}

void hold_dir_sweep(int parentfd)
{
	int list = openat(parentfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = list < 0 ? NULL : fdopendir(list);
	const struct dirent *ent;

	if (!d)
		fd_close(&list);
	while (d && (ent = readdir(d))) {
		if (is_steps(ent->d_name))
			bury(parentfd, ent->d_name);
	}
	if (d)
		closedir(d);
}

/* One that is there already is of the same step before its job was requeued: the sweep's. */
static int put_aside(int parentfd, const char *name, struct err *e)
{
	_free_ char *aside = str_printf(ASIDE "%s", name);
	int r;

	if (!aside)
		return err_oom(e);
	r = path_remove_tree_at(parentfd, aside, e);
	if (r >= 0 && renameat(parentfd, name, parentfd, aside) < 0 && errno != ENOENT)
		r = err_sys(e, "rename %s", name);
	return r;
}

static int fill(struct hold *h, int parentfd, struct err *e)
{
	int r;

	if (mkdirat(parentfd, h->dirname, 0700) < 0)
		return err_sys(e, "mkdir %s", h->a.dir);
	h->dirfd = openat(parentfd, h->dirname, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (h->dirfd < 0)
		return err_sys(e, "open %s", h->a.dir);
	h->alive_fd = openat(h->dirfd, ALIVE, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	r = h->alive_fd < 0 ? -errno : file_lock_try(h->alive_fd, true);
	return r < 0 ? err_code(e, r, "%s/" ALIVE, h->a.dir) : 0;
}

int hold_dir_name(struct hold *h, struct err *e)
{
	const char *slash = strrchr(h->a.dir, '/');

	if (!slash || !slash[1] || str_is_dots(slash + 1))
		return err_set(e, EINVAL, "%s: not a step's directory", h->a.dir);
	h->dirname = slash + 1;
	return 0;
}

int hold_dir_make(struct hold *h, struct err *e)
{
	_close_ int parentfd = -1, lock = -1;
	int r = hold_dir_name(h, e);

	if (r < 0)
		return r;
	parentfd = hold_dir_open_parent(h, e);
	if (parentfd < 0)
		return parentfd;
	lock = file_lock_open(parentfd, LOCK, true);
	if (lock < 0)
		return err_code(e, lock, "%s: the lock beside it", h->a.dir);
	r = put_aside(parentfd, h->dirname, e);
	return r < 0 ? r : fill(h, parentfd, e);
}

void hold_dir_remove(const struct hold *h)
{
	_close_ int fd = hold_dir_open_parent(h, NULL);

	if (fd >= 0)
		remove_same(fd, h->dirname, h->dirfd);
}
