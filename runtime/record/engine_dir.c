/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/record/engine_dir.h"

#include <fcntl.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/kernel/file_lock.h"

int engine_dir_lock(int dirfd, bool whole, struct err *e)
{
	_close_ int fd = openat(dirfd, ENGINE_DIR_LOCK,
				O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	int r;

	if (fd < 0)
		return err_sys(e, "open " ENGINE_DIR "/" ENGINE_DIR_LOCK);
	r = whole ? file_lock_try(fd, true) : file_lock_wait(fd, false);
	return r < 0 ? err_code(e, r, "lock " ENGINE_DIR "/" ENGINE_DIR_LOCK) : take_fd(&fd);
}
