/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/unpacked.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/log.h"
#include "runtime/base/path.h"
#include "runtime/base/str.h"
#include "runtime/container_store.h"
#include "runtime/file_lock.h"
#include "runtime/paths.h"
#include "runtime/spec.h"
#include "runtime/squashd_client.h"
#include "runtime/temp_dir.h"

#define KEY_BYTES 96

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

static int open_image(const struct rootfs_spec *image, struct err *e)
{
	_close_ int fd = open(image->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct image_id id;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return err_sys(e, "%s", image->path);
	image_id_from_stat(&id, &st);
	if (!image_id_same(&id, &image->id))
		return err_set(e, ESTALE, "%s: not the file the container was created from", image->path);
	return take_fd(&fd);
}

/* Unpacks into a temporary directory and gives it its name; the shared lock keeps gc away. */
static int build(const struct paths *p, int dir, const struct rootfs_spec *image, const char *key,
		 struct err *e)
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
	r = tree < 0 ? err_sys(e, "open directory") : squashd_unpack(p, fd, tree, e);
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

static int find_or_build(const struct paths *p, int dir, const struct rootfs_spec *image, const char *key,
			 struct err *e)
{
	_close_ int tree = open_tree_of(dir, key), lock = -1;
	char lock_name[KEY_BYTES + 8];
	int r;

	if (tree >= 0)
		return take_fd(&tree);
	snprintf(lock_name, sizeof(lock_name), "%s.lock", key);
	lock = openat(dir, lock_name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (lock < 0)
		return err_sys(e, "lock");
	r = file_lock_wait(lock, true);
	if (r < 0)
		return err_code(e, r, "lock");
	tree = open_tree_of(dir, key);
	if (tree < 0) {
		log_trace("unpacking %s", image->path);
		r = build(p, dir, image, key, e);
		if (r < 0)
			return r;
		tree = open_tree_of(dir, key);
	}
	return tree < 0 ? err_sys(e, "open directory") : take_fd(&tree);
}

int unpacked_open(const struct paths *p, const struct rootfs_spec *image, struct rootfs_spec *ret,
		  struct err *e)
{
	_close_ int dir = paths_open(p->cache, "unpacked", e), tree = -1;
	char key[KEY_BYTES];
	struct stat st;

	if (dir < 0)
		return dir;
	make_key(&image->id, key);
	tree = find_or_build(p, dir, image, key, e);
	if (tree < 0)
		return err_wrap(e, "unpack %s", image->path);
	if (fstat(tree, &st) < 0)
		return err_sys(e, "unpack %s", image->path);
	*ret = *image;
	ret->kind = ROOTFS_DIRECTORY;
	ret->id = (struct image_id){.dev = st.st_dev, .ino = st.st_ino};
	ret->path = str_printf("%s/unpacked/%s", p->cache, key);
	return ret->path ? 0 : err_set(e, ENOMEM, "out of memory");
}
