/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Beside each tree lies KEY.lock. A user of the tree holds it shared; a process that makes or
 * removes the tree holds it exclusively. It is unlinked only by its exclusive holder, so a process
 * that got a lock looks whether the file still has its name, else it starts over. Its text is the
 * image's path and its time that of the last use: by these gc tells a tree that no process will
 * want again.
 */
#include "runtime/server/unpacked.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/log.h"
#include "runtime/base/path.h"
#include "runtime/base/str.h"
#include "runtime/kernel/file_lock.h"
#include "runtime/settings/paths.h"
#include "runtime/spec/image_id.h"
#include "runtime/spec/spec.h"
#include "runtime/server/client.h"
#include "runtime/kernel/temp_dir.h"

#define KEY_BYTES 96
#define LOCK_BYTES (KEY_BYTES + 8)

bool unpacked_is_needed(void)
{
	return access("/dev/fuse", R_OK | W_OK) < 0;
}

static void make_key(const struct image_id *id, char key[KEY_BYTES])
{
	snprintf(key, KEY_BYTES, "%llx-%llx-%llx-%llx", (unsigned long long)id->dev,
		 (unsigned long long)id->ino, (unsigned long long)id->size_bytes,
		 (unsigned long long)id->mtime_ns);
}

static int open_image(const struct rootfs_part *image, struct err *e)
{
	_close_ int fd = open(image->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct image_id id;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return err_sys(e, "%s", image->path);
	image_id_from_stat(&id, &st);
	if (!image_id_same(&id, &image->id))
		return err_set(e, ESTALE, "%s: not the file the container was created from",
			       image->path);
	return take_fd(&fd);
}

/* Unpacks into a temporary directory and gives it its name; the shared lock keeps gc away. */
static int build(const struct paths *p, int dir, const struct rootfs_part *image, const char *key,
		 bool lies_above, struct err *e)
{
	_close_ int guard = temp_begin(dir, e), fd = -1, tree = -1;
	char tmp[TEMP_NAME_BYTES];
	int r;

	if (guard < 0)
		return guard;
	fd = open_image(image, e);
	if (fd < 0)
		return fd;
	r = temp_name(tmp, e);
	if (r < 0)
		return r;
	if (mkdirat(dir, tmp, 0700) < 0)
		return err_sys(e, "make a directory");
	tree = openat(dir, tmp, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	r = tree < 0 ? err_sys(e, "open directory") : squashd_unpack(p, fd, tree, lies_above, e);
	if (r >= 0 && renameat(dir, tmp, dir, key) < 0)
		r = err_sys(e, "rename");
	if (r < 0)
		(void)path_remove_tree_at(dir, tmp, NULL);
	return r;
}

static int open_tree_of(int dir, const char *key)
{
	return openat(dir, key, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static void lock_name(const char *key, char ret[LOCK_BYTES])
{
	snprintf(ret, LOCK_BYTES, "%s.lock", key);
}

static bool still_has_its_name(int dir, int lock, const char *name)
{
	struct stat is, was;

	return !fstat(lock, &was) && !fstatat(dir, name, &is, AT_SYMLINK_NOFOLLOW) &&
	       is.st_ino == was.st_ino && is.st_dev == was.st_dev;
}

static int take_lock(int dir, const char *key, bool exclusive, struct err *e)
{
	char name[LOCK_BYTES];

	lock_name(key, name);
	for (;;) {
		_close_ int lock =
			openat(dir, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
		int r = lock < 0 ? err_sys(e, "lock") : file_lock_wait(lock, exclusive);

		if (r < 0)
			return lock < 0 ? r : err_code(e, r, "lock");
		if (still_has_its_name(dir, lock, name))
			return take_fd(&lock);
	}
}

/* Best effort: without a note gc thinks the tree older than it is, and it is made again. */
static void note_use(int lock, const char *path)
{
	_strbuf_ struct strbuf was = STRBUF_INIT;
	struct timespec now[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_nsec = UTIME_NOW}};

	if ((io_read_all(lock, PATH_MAX, &was, NULL) < 0 || !str_eq(strbuf_str(&was), path)) &&
	    (ftruncate(lock, 0) < 0 || io_pwrite_all(lock, path, strlen(path), 0, NULL) < 0))
		return;
	(void)futimens(lock, now);
}

static int find_or_build(const struct paths *p, int dir, const struct rootfs_part *image,
			 const char *key, bool lies_above, int *ret_lock, struct err *e)
{
	_close_ int lock = take_lock(dir, key, false, e), tree = -1;
	int r;

	if (lock < 0)
		return lock;
	tree = open_tree_of(dir, key);
	if (tree < 0) {
		/* Two who wait to make their shared locks exclusive would wait for each other. */
		fd_close(&lock);
		lock = take_lock(dir, key, true, e);
		if (lock < 0)
			return lock;
		tree = open_tree_of(dir, key);
	}
	if (tree < 0) {
		log_trace("unpacking %s", image->path);
		r = build(p, dir, image, key, lies_above, e);
		if (r < 0)
			return r;
		tree = open_tree_of(dir, key);
	}
	if (tree < 0)
		return err_sys(e, "open directory");
	note_use(lock, image->path);
	r = file_lock_wait(lock, false);
	if (r < 0)
		return err_code(e, r, "lock");
	*ret_lock = take_fd(&lock);
	return take_fd(&tree);
}

static int open_part(const struct paths *p, int dir, const struct rootfs_part *file,
		     bool lies_above, int *ret_lock, struct rootfs_part *ret, struct err *e)
{
	_close_ int tree = -1, lock = -1;
	char key[KEY_BYTES];
	struct stat st;

	make_key(&file->id, key);
	tree = find_or_build(p, dir, file, key, lies_above, &lock, e);
	if (tree < 0)
		return err_wrap(e, "unpack %s", file->path);
	if (fstat(tree, &st) < 0)
		return err_sys(e, "unpack %s", file->path);
	ret->id = (struct image_id){.dev = st.st_dev, .ino = st.st_ino};
	ret->path = str_printf("%s/unpacked/%s", p->cache, key);
	if (!ret->path)
		return err_oom(e);
	*ret_lock = take_fd(&lock);
	return 0;
}

int unpacked_open(const struct paths *p, const struct rootfs_spec *image, struct unpacked *ret,
		  struct err *e)
{
	_close_ int dir = paths_open(p->cache, "unpacked", e);
	int r = 0;

	if (dir < 0)
		return dir;
	ret->root = *image;
	ret->root.kind = ROOTFS_DIRECTORY;
	ret->root.path = NULL;
	ret->root.lowers = NULL;
	ret->root.n_lowers = 0;
	for (size_t i = 0; r >= 0 && i <= image->n_lowers; i++) {
		const struct rootfs_part file = rootfs_part_at(image, i);
		struct rootfs_part tree = {0};

		r = open_part(p, dir, &file, i > 0, &ret->locks[i], &tree, e);
		if (r >= 0 && i < image->n_lowers) {
			r = rootfs_add_lower(&ret->root, tree.path, &tree.id, e);
			free(tree.path);
		} else if (r >= 0) {
			ret->root.path = tree.path;
			ret->root.id = tree.id;
		}
	}
	return r;
}

void unpacked_close(struct unpacked *u)
{
	free(u->root.path);
	rootfs_free_lowers(&u->root);
	for (unsigned i = 0; i < SPEC_STACK_MAX; i++)
		fd_close(&u->locks[i]);
	*u = (struct unpacked)UNPACKED_INIT;
}

/* --- gc ----------------------------------------------------------------------------------- */

static bool image_is_there(const char *path, const char *key)
{
	char now[KEY_BYTES];
	struct image_id id;
	struct stat st;

	if (*path != '/' || stat(path, &st) < 0)
		return false;
	image_id_from_stat(&id, &st);
	make_key(&id, now);
	return str_eq(now, key);
}

bool unpacked_is_unused(int dir, const char *key, uint64_t unused_s, int *ret_lock)
{
	_strbuf_ struct strbuf path = STRBUF_INIT;
	char name[LOCK_BYTES];
	struct stat st;
	_close_ int lock = -1;

	lock_name(key, name);
	lock = openat(dir, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (lock < 0 || file_lock_try(lock, true) < 0 || !still_has_its_name(dir, lock, name) ||
	    fstat(lock, &st) < 0)
		return false;
	if (!faccessat(dir, key, F_OK, AT_SYMLINK_NOFOLLOW) &&
	    io_read_all(lock, PATH_MAX, &path, NULL) >= 0 &&
	    image_is_there(strbuf_str(&path), key) && time(NULL) - st.st_mtime < (time_t)unused_s)
		return false;
	*ret_lock = take_fd(&lock);
	return true;
}

bool unpacked_is_stale(int dir, const char *key, int *ret_lock)
{
	return unpacked_is_unused(dir, key, UNPACKED_AGE_S, ret_lock);
}
