/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/spank/rundir.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"

#define DIR_FLAGS (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

static int open_root(const char *path, struct err *e)
{
	_close_ int fd = -1;
	struct stat st;

	if (mkdir(path, 0755) < 0 && errno != EEXIST)
		return err_sys(e, "mkdir %s", path);
	fd = open(path, DIR_FLAGS);
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_sys(e, "open %s", path);
	if (st.st_uid != geteuid() || (st.st_mode & 022))
		return err_set(e, EPERM,
			       "%s must belong to uid %u and be writable for no other user", path,
			       geteuid());
	return take_fd(&fd);
}

static int open_users(int rootfd, const char *name, uid_t uid, gid_t gid, struct err *e)
{
	_close_ int fd = -1;
	struct stat st;

	if (mkdirat(rootfd, name, 0700) < 0 && errno != EEXIST)
		return err_sys(e, "mkdir %s", name);
	fd = openat(rootfd, name, DIR_FLAGS);
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_sys(e, "open %s", name);
	if (st.st_uid != uid && (st.st_uid != geteuid() || fchown(fd, uid, gid) < 0))
		return err_set(e, EPERM, "%s belongs to uid %u", name, st.st_uid);
	if ((st.st_mode & 07777) != 0700 && fchmod(fd, 0700) < 0)
		return err_sys(e, "chmod %s", name);
	return 0;
}

/* In one step, so that a start at the same time finds the old one or the new one. */
static int put_link(int dirfd, const char *target, struct err *e)
{
	char name[32];
	int r = 0;

	snprintf(name, sizeof(name), "." SPANK_OTHER_DIR "-%d", (int)getpid());
	if (symlinkat(target, dirfd, name) < 0)
		return err_sys(e, "make the link %s", name);
	if (renameat(dirfd, name, dirfd, SPANK_OTHER_DIR) < 0) {
		r = err_sys(e, "rename %s", name);
		unlinkat(dirfd, name, 0);
	}
	return r;
}

int spank_rundir_tell(const char *usual, const char *runtime_path, struct err *e)
{
	_close_ int fd = open_root(usual, e);
	char there[PATH_MAX];
	ssize_t n;
	int r;

	if (fd < 0)
		return fd;
	n = readlinkat(fd, SPANK_OTHER_DIR, there, sizeof(there) - 1);
	there[n > 0 ? n : 0] = 0;
	if (str_eq(there, runtime_path))
		return 0;
	r = put_link(fd, runtime_path, e);
	return r < 0 ? err_wrap(e, "%s", usual) : 0;
}

int spank_rundir_prepare(const char *runtime_path, uid_t uid, gid_t gid, char **ret, struct err *e)
{
	_close_ int rootfd = open_root(runtime_path, e);
	char name[16];
	int r;

	if (rootfd < 0)
		return rootfd;
	snprintf(name, sizeof(name), "%u", uid);
	r = open_users(rootfd, name, uid, gid, e);
	if (r < 0)
		return err_wrap(e, "%s", runtime_path);
	*ret = str_printf("%s/%s", runtime_path, name);
	return *ret ? 0 : err_set(e, ENOMEM, "could not allocate memory");
}
