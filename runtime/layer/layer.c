/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/layer/layer.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/num.h"
#include "runtime/base/str.h"
#include "runtime/kernel/boot_id.h"
#include "runtime/kernel/file_lock.h"
#include "runtime/spec/name.h"
#include "runtime/settings/paths.h"
#include "runtime/kernel/orphan_fork.h"
#include "runtime/kernel/temp_dir.h"
#include "runtime/userns/tree_remove.h"

#define DIRTY "dirty"
#define DIRTY_NEW "dirty.new"
#define LOCK_TRIES 400
#define CLEAN_PAUSE_MS 100

static const struct {
	unsigned long magic;
	const char *name;
} remote_fs[] = {
	{NFS_SUPER_MAGIC, "NFS"},   {SMB_SUPER_MAGIC, "SMB"}, {CIFS_SUPER_MAGIC, "CIFS"},
	{SMB2_SUPER_MAGIC, "SMB"},  {AFS_SUPER_MAGIC, "AFS"}, {V9FS_MAGIC, "9p"},
	{CEPH_SUPER_MAGIC, "Ceph"}, {0x0bd00bd0, "Lustre"},   {0x47504653, "GPFS"},
	{0x19830326, "BeeGFS"},     {0xaad7aaea, "PanFS"},    {0x65735546, "FUSE"},
	{0xf15f, "eCryptfs"},
};

int layer_check_fs(int dirfd, const char *path, struct err *e)
{
	struct statfs st;

	if (fstatfs(dirfd, &st) < 0)
		return err_sys(e, "%s", path);
	for (size_t i = 0; i < sizeof(remote_fs) / sizeof(remote_fs[0]); i++) {
		if ((unsigned long)st.f_type == remote_fs[i].magic)
			return err_set(
				e, EOPNOTSUPP,
				"%s: a writable layer cannot lie on %s: set CSBX_LAYER_PATH or "
				"CSBX_SCRATCH_PATH to a local directory",
				path, remote_fs[i].name);
	}
	return 0;
}

void layer_close(struct layer *l)
{
	fd_close(&l->upper);
	fd_close(&l->work);
	fd_close(&l->lock);
	fd_close(&l->dir);
	fd_close(&l->parent);
	free(l->name);
	free(l->path);
	free(l->upper_path);
	free(l->work_path);
	*l = (struct layer)LAYER_INIT;
}

int layer_set_names(struct layer *l, const char *parent, const char *name, struct err *e)
{
	l->name = str_printf("%s", name);
	l->path = str_printf("%s/%s", parent, name);
	l->upper_path = str_printf("%s/%s/upper", parent, name);
	l->work_path = str_printf("%s/%s/work", parent, name);
	if (!l->name || !l->path || !l->upper_path || !l->work_path)
		return err_oom(e);
	return 0;
}

static int open_dir_as(int dirfd, const char *name, mode_t mode, int access, struct err *e)
{
	int fd;

	if (mkdirat(dirfd, name, mode) < 0 && errno != EEXIST)
		return err_sys(e, "make directory %s", name);
	fd = openat(dirfd, name, access | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? err_sys(e, "open directory %s", name) : fd;
}

static int open_dir(int dirfd, const char *name, mode_t mode, struct err *e)
{
	return open_dir_as(dirfd, name, mode, O_RDONLY, e);
}

int layer_open_dirs(struct layer *l, struct err *e)
{
	mode_t old = umask(0);

	/* The mode of upper is the mode of / inside: a program may have closed it to its owner. */
	l->upper = open_dir_as(l->dir, "upper", 0755, O_PATH, e);
	l->work = l->upper < 0 ? l->upper : open_dir(l->dir, "work", 0755, e);
	umask(old);
	return l->work < 0 ? l->work : 0;
}

/* --- lock --------------------------------------------------------------------------------- */

/* The process that writes to a layer wrote its pid into the file; that is for people only. */
static int busy(int lock, struct err *e)
{
	char text[16] = "";
	uint64_t pid;
	ssize_t n = pread(lock, text, sizeof(text) - 1, 0);

	if (!file_lock_is_held(lock))
		return err_set(e, EBUSY, "in use by a start that reads it");
	if (n > 0 && text[n - 1] == '\n') {
		text[n - 1] = 0;
		if (!num_parse_u64(text, INT32_MAX, &pid))
			return err_set(e, EBUSY, "in use by pid %u", (unsigned)pid);
	}
	return err_set(e, EBUSY, "in use");
}

/* Not emptied first: ext4 writes an emptied and rewritten file to the disk when it is closed. */
static int write_pid(int lock, struct err *e)
{
	char text[16];
	int n = snprintf(text, sizeof(text), "%d\n", getpid());

	if (pwrite(lock, text, (size_t)n, 0) != n || ftruncate(lock, n) < 0)
		return err_sys(e, "write lock");
	return 0;
}

/*
 * A process that clears the marks of a last use holds it for a moment only, and a supervisor that
 * was killed lets go of its locks one after the other: that is waited for before it is called in
 * use.
 */
static int try_lock(int fd, bool exclusive)
{
	static const struct timespec pause = {.tv_nsec = 1000000};
	int r = file_lock_try(fd, exclusive);

	for (int i = 0; i < LOCK_TRIES && r == -EAGAIN; i++) {
		nanosleep(&pause, NULL);
		r = file_lock_try(fd, exclusive);
	}
	return r;
}

/* Opens and locks dir/lock. 1: the directory was removed meanwhile. */
static int take_lock(struct layer *l, bool exclusive, struct err *e)
{
	struct stat st;
	int r;

	l->lock = openat(l->dir, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (l->lock < 0)
		return errno == ENOENT ? 1 : err_sys(e, "open lock");
	r = try_lock(l->lock, exclusive);
	if (r == -EAGAIN)
		return busy(l->lock, e);
	if (r < 0)
		return err_code(e, r, "lock");
	if (fstat(l->lock, &st) < 0)
		return err_sys(e, "stat lock");
	return st.st_nlink ? 0 : 1;
}

/* Makes the directory and takes its lock, again where a remover was faster. */
static int hold(struct layer *l, const char *name, unsigned flags, struct err *e)
{
	int r;

	if (flags & LAYER_GOES)
		(void)temp_try_take_ahead(l->parent, name);
	for (int i = 0; i < 8; i++) {
		l->dir = open_dir(l->parent, name, 0700, e);
		if (l->dir < 0)
			return l->dir;
		r = take_lock(l, true, e);
		if (r <= 0)
			return r;
		fd_close(&l->lock);
		fd_close(&l->dir);
	}
	return err_set(e, EBUSY, "in use: it is removed again and again");
}

/* --- kept layers -------------------------------------------------------------------------- */

/* Reads the mark: 1 and the boot id in it, 0 where there is none. */
static int read_mark(int dir, char boot[BOOT_ID_SIZE], struct err *e)
{
	ssize_t n = readlinkat(dir, DIRTY, boot, BOOT_ID_SIZE);

	if (n < 0)
		return errno == ENOENT ? 0 : err_sys(e, "read the mark");
	/* Another length is another boot's at any rate. */
	boot[n == BOOT_ID_SIZE - 1 ? n : 0] = 0;
	return 1;
}

/* An overlay was mounted on it and the layer not cleaned since. */
static bool was_mounted(const struct layer *l)
{
	struct stat st;

	return fstatat(l->work, "work", &st, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Leaves the layer marked with this boot, and without the kernel's mark of an earlier mount. */
static int mark(struct layer *l, unsigned flags, struct err *e)
{
	char boot[BOOT_ID_SIZE], old[BOOT_ID_SIZE];
	int r = read_mark(l->dir, old, e);

	if (r < 0)
		return r;
	/* Without a mark: of one that should have been deleted and is used again. */
	l->was_dirty = r > 0 || was_mounted(l);
	if (!l->was_dirty && (flags & LAYER_GOES))
		return 0;
	if (boot_id_read(boot, e) < 0)
		return -EIO;
	if (r > 0 && strcmp(boot, old) && !(flags & LAYER_FORCE))
		return err_set(
			e, EUCLEAN,
			"layer may be incomplete after a crash: csbx start -w --force uses it as "
			"it is, or remove the container");
	if (l->was_dirty) {
		r = tree_remove(l->work, "work", e);
		if (r < 0)
			return r;
	}
	/*
	 * Anew in any case, and never without one: the mark's inode tells this use from the last.
	 */
	(void)unlinkat(l->dir, DIRTY_NEW, 0);
	if (symlinkat(boot, l->dir, DIRTY_NEW) < 0 ||
	    renameat(l->dir, DIRTY_NEW, l->dir, DIRTY) < 0)
		return err_sys(e, "mark the layer");
	return 0;
}

static int open_kept(const struct paths *p, const char *name, unsigned flags, struct layer *l,
		     struct err *e)
{
	int r;

	l->parent = paths_open(p->layers, NULL, e);
	if (l->parent < 0)
		return paths_explain(l->parent, "CSBX_LAYER_PATH", e);
	r = layer_check_fs(l->parent, p->layers, e);
	if (r >= 0)
		r = layer_set_names(l, p->layers, name, e);
	if (r >= 0)
		r = hold(l, name, flags, e);
	if (r >= 0)
		r = write_pid(l->lock, e);
	if (r >= 0)
		r = layer_open_dirs(l, e);
	return r < 0 ? r : mark(l, flags, e);
}

int layer_open(const struct paths *p, const char *name, unsigned flags, struct layer *ret,
	       struct err *e)
{
	int r;

	*ret = (struct layer)LAYER_INIT;
	r = name_check(name, e);
	if (r >= 0)
		r = open_kept(p, name, flags, ret, e);
	if (r >= 0)
		return 0;
	layer_close(ret);
	return r == -EUCLEAN ? r : err_wrap(e, "layer %s", name);
}

int layer_clean(struct layer *l, struct err *e)
{
	int r;

	if (syncfs(l->work) < 0)
		return err_sys(e, "sync layer %s", l->name);
	r = tree_remove(l->work, "work", e);
	if (r < 0)
		return err_wrap(e, "layer %s", l->name);
	if (unlinkat(l->dir, DIRTY, 0) < 0 && errno != ENOENT)
		return err_sys(e, "layer %s: clear the mark", l->name);
	return fsync(l->dir) < 0 ? err_sys(e, "sync layer %s", l->name) : 0;
}

/* It is there, and no later use has made it anew. */
static bool has_mark(int dir, const struct stat *mark)
{
	struct stat now;

	return fstatat(dir, DIRTY, &now, AT_SYMLINK_NOFOLLOW) == 0 && now.st_ino == mark->st_ino &&
	       now.st_ctim.tv_sec == mark->st_ctim.tv_sec &&
	       now.st_ctim.tv_nsec == mark->st_ctim.tv_nsec;
}

/*
 * Locked only for a moment, so that no process finds the layer in use because of this; and not
 * against who reads it, which the marks are nothing to.
 */
static void clear_marks(int dir, int work, const struct stat *mark)
{
	_close_ int lock = openat(dir, "lock", O_RDWR | O_NOFOLLOW | O_CLOEXEC);

	if (lock < 0 || file_lock_try(lock, false) < 0 || !has_mark(dir, mark))
		return;
	if (tree_remove(work, "work", NULL) >= 0)
		(void)unlinkat(dir, DIRTY, 0);
}

/*
 * A container is often removed as soon as it has ended: then nothing is synced. A sync takes the
 * whole file system, and the removal would wait for it.
 */
static void clean_in_a_while(const int fds[2], const struct stat *mark)
{
	static const struct timespec pause = {.tv_nsec = CLEAN_PAUSE_MS * 1000000L};

	nanosleep(&pause, NULL);
	if (has_mark(fds[0], mark) && syncfs(fds[1]) == 0)
		clear_marks(fds[0], fds[1], mark);
}

/* While the caller waits: none of its locks is held on when it goes. */
static void keep_two(void *fds)
{
	fd_keep_only(fds, 2);
}

void layer_clean_later(struct layer *l)
{
	int fds[2] = {l->dir, l->work};
	struct stat mark;

	/* Before the fork: a lock that a child has inherited would be held on. */
	fd_close(&l->lock);
	if (fstatat(l->dir, DIRTY, &mark, AT_SYMLINK_NOFOLLOW) == 0 &&
	    orphan_fork(keep_two, fds) == 0) {
		setsid();
		clean_in_a_while(fds, &mark);
		_exit(0);
	}
	layer_close(l);
}

int layer_look(const struct paths *p, const char *name, struct layer *ret, struct err *e)
{
	*ret = (struct layer)LAYER_INIT;
	/* Removing a container must not make the directory of layers. */
	if (access(p->layers, F_OK) < 0 && errno == ENOENT)
		return 0;
	ret->parent = paths_open(p->layers, NULL, e);
	if (ret->parent < 0)
		return paths_explain(ret->parent, "CSBX_LAYER_PATH", e);
	ret->dir = openat(ret->parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (ret->dir < 0)
		return errno == ENOENT ? 0 : err_sys(e, "layer %s", name);
	if (layer_set_names(ret, p->layers, name, e) >= 0)
		return 0;
	layer_close(ret);
	return err_wrap(e, "layer %s", name);
}

/* A layer has its lock from the first, and one that was killed before that nothing. */
static int check_is_layer(const struct layer *l, struct err *e)
{
	struct stat st;

	if (fstatat(l->dir, "lock", &st, AT_SYMLINK_NOFOLLOW) == 0 ||
	    unlinkat(l->parent, l->name, AT_REMOVEDIR) == 0 || errno == ENOENT)
		return 0;
	return err_set(e, EINVAL, "a directory that is no layer of csbx's: it is left alone");
}

static int take(const struct paths *p, const char *name, bool exclusive, struct layer *ret,
		struct err *e)
{
	int r = layer_look(p, name, ret, e);

	if (r < 0 || ret->dir < 0)
		return r;
	r = check_is_layer(ret, e);
	if (r >= 0)
		r = take_lock(ret, exclusive, e);
	if (r >= 0)
		return 0;
	layer_close(ret);
	return err_wrap(e, "layer %s", name);
}

int layer_hold(const struct paths *p, const char *name, struct layer *ret, struct err *e)
{
	return take(p, name, true, ret, e);
}

static int check_mark(const struct layer *l, struct err *e)
{
	char boot[BOOT_ID_SIZE], old[BOOT_ID_SIZE];
	int r = boot_id_read(boot, e);

	if (r >= 0)
		r = read_mark(l->dir, old, e);
	if (r > 0 && strcmp(boot, old))
		return err_set(e, EUCLEAN,
			       "layer may be incomplete after a crash: csbx start -w --force uses "
			       "it as it is and marks it complete");
	return r < 0 ? r : 0;
}

int layer_read(const struct paths *p, const char *name, struct layer *ret, struct err *e)
{
	int r = take(p, name, false, ret, e);

	if (r < 0 || ret->dir < 0)
		return r;
	r = check_mark(ret, e);
	if (r >= 0)
		return 0;
	layer_close(ret);
	return r == -EUCLEAN ? r : err_wrap(e, "layer %s", name);
}

int layer_condemn(struct layer *l, char ret_tmp[], int *ret_temp, struct err *e)
{
	int r;

	*ret_tmp = 0;
	*ret_temp = -1;
	if (l->dir < 0)
		return 0;
	*ret_temp = temp_begin(l->parent, e);
	if (*ret_temp < 0)
		return *ret_temp;
	r = temp_move_away(l->parent, l->name, ret_tmp, e);
	if (r < 0)
		*ret_tmp = 0;
	if (r == -ENOENT)
		return 0;
	return r < 0 ? err_wrap(e, "layer %s", l->name) : 0;
}

/* The kernel looks into it: a directory that is not empty is not removed. */
bool layer_drop_unwritten(const struct layer *l)
{
	return l->dir < 0 || unlinkat(l->dir, "upper", AT_REMOVEDIR) == 0 || errno == ENOENT;
}

int layer_destroy(struct layer *l, struct err *e)
{
	char tmp[TEMP_NAME_BYTES];
	_close_ int temp = -1;
	int r = layer_condemn(l, tmp, &temp, e);

	if (r >= 0 && *tmp)
		r = tree_remove(l->parent, tmp, e);
	return r;
}
