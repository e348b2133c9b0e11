/* SPDX-License-Identifier: Apache-2.0 */
#include "image/pack/made.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"

int made_open(int dir, const char *name, mode_t type, struct err *e)
{
	_close_ int fd = openat(dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return err_sys(e, "open what was made");
	if ((st.st_mode & S_IFMT) != type || (type != S_IFDIR && st.st_nlink != 1))
		return err_set(e, ESTALE, "replaced meanwhile");
	return take_fd(&fd);
}

int made_set_time(int fd, int64_t mtime_s, long mtime_ns, struct err *e)
{
	const struct timespec t[2] = {{.tv_nsec = UTIME_NOW},
				      {.tv_sec = mtime_s, .tv_nsec = mtime_ns}};

	return utimensat(fd, "", t, AT_EMPTY_PATH) < 0 ? err_sys(e, "set the time") : 0;
}
