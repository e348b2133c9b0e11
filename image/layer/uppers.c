/* SPDX-License-Identifier: Apache-2.0 */
#include "image/layer/uppers.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"

static int open_beneath(int dir, const char *path, int flags)
{
	struct open_how how = {
		.flags = (uint64_t)(flags | O_CLOEXEC | O_NOFOLLOW),
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
	};
	long fd = syscall(SYS_openat2, dir, *path ? path : ".", &how, sizeof(how));

	return fd < 0 ? -errno : (int)fd;
}

int uppers_open_in(const struct uppers *u, unsigned i, const char *path, int flags)
{
	return open_beneath(u->fds[i], path, flags);
}

bool uppers_hides(const struct uppers *u, const char *path)
{
	for (unsigned i = 0; i < u->n_base; i++) {
		_close_ int fd = open_beneath(u->base[i], path, O_PATH);

		if (fd != -ENOENT && fd != -ENOTDIR && fd != -ELOOP)
			return true;
	}
	return !u->n_base;
}

int uppers_open(const struct uppers *u, uppers_set set, const char *path, int flags,
		unsigned *ret_i)
{
	int fd = -ENOENT;

	for (unsigned i = 0; fd == -ENOENT && i < u->n; i++) {
		if (!(set >> i & 1))
			continue;
		*ret_i = i;
		fd = uppers_open_in(u, i, path, flags);
	}
	return fd;
}

/* fd may be O_PATH, of which attributes can be asked by its name in /proc only. */
static bool is_opaque(int fd)
{
	char name[32], value;

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	return getxattr(name, UPPERS_OPAQUE, &value, 1) == 1 && value == 'y';
}

int uppers_merged(const struct uppers *u, uppers_set set, unsigned top, const char *path,
		  uppers_set *ret, bool *ret_opaque, struct err *e)
{
	*ret = 0;
	*ret_opaque = false;
	for (unsigned i = top; !*ret_opaque && i < u->n; i++) {
		_close_ int fd = set >> i & 1 ? uppers_open_in(u, i, path, O_PATH) : -ENOENT;
		struct stat st;

		if (fd == -ENOENT)
			continue;
		if (fd < 0 || fstat(fd, &st) < 0)
			return err_code(e, fd < 0 ? fd : errno, "open /%.200s", path);
		/* An entry that is no directory, a whiteout too, hides the entries below it. */
		if (!S_ISDIR(st.st_mode)) {
			*ret_opaque = true;
			break;
		}
		*ret |= UINT64_C(1) << i;
		*ret_opaque = is_opaque(fd);
	}
	return 0;
}
