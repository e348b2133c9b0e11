/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/kernel/temp_dir.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/random.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/linux_calls.h"
#include "runtime/base/str.h"
#include "runtime/kernel/file_lock.h"

static int open_lock(int dirfd, struct err *e)
{
	int fd = openat(dirfd, TEMP_LOCK, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

	return fd < 0 ? err_sys(e, "open " TEMP_LOCK) : fd;
}

int temp_begin(int dirfd, struct err *e)
{
	_close_ int fd = open_lock(dirfd, e);
	int r;

	if (fd < 0)
		return fd;
	r = file_lock_wait(fd, false);
	/* No locks here at all (NFS without lockd): no process gets the exclusive one either. */
	if (r == -ENOLCK || r == -EOPNOTSUPP || r == -ENOSYS)
		r = 0;
	return r < 0 ? err_code(e, r, "lock " TEMP_LOCK) : take_fd(&fd);
}

int temp_try_exclusive(int dirfd, struct err *e)
{
	_close_ int fd = open_lock(dirfd, e);
	int r;

	if (fd < 0)
		return fd;
	r = file_lock_try(fd, true);
	return r < 0 ? err_code(e, r, "lock " TEMP_LOCK) : take_fd(&fd);
}

int temp_name(char ret[TEMP_NAME_BYTES], struct err *e)
{
	uint64_t random;

	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		return err_sys(e, "random name");
	snprintf(ret, TEMP_NAME_BYTES, TEMP_PREFIX "%016llx", (unsigned long long)random);
	return 0;
}

bool temp_is_name(const char *name)
{
	return str_has_prefix(name, TEMP_PREFIX);
}

bool temp_is_ahead(const char *name)
{
	return str_eq(name, TEMP_AHEAD);
}

bool temp_take_ahead(int dirfd, const char *to)
{
	return renameat(dirfd, TEMP_AHEAD, dirfd, to) == 0;
}

bool temp_try_take_ahead(int dirfd, const char *to)
{
	_close_ int fd = open_lock(dirfd, NULL);

	return fd >= 0 && file_lock_try(fd, false) >= 0 && temp_take_ahead(dirfd, to);
}

bool temp_put_ahead(int dirfd, const char *name)
{
	return renameat2(dirfd, name, dirfd, TEMP_AHEAD, RENAME_NOREPLACE) == 0;
}

int temp_move_away(int dirfd, const char *name, char ret[TEMP_NAME_BYTES], struct err *e)
{
	int r = temp_name(ret, e);

	if (r < 0)
		return r;
	if (renameat(dirfd, name, dirfd, ret) < 0)
		return err_sys(e, "rename %s", name);
	return 0;
}
