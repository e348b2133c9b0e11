/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/server/init_file.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/linux_calls.h"
#include "runtime/helpers/init/abi/init_abi.h"
#include "runtime/settings/paths.h"

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U /* Linux 6.3 */
#endif
#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC (1u << 2)
#endif

#define INIT_BYTES_MAX (16u << 20)
#define COMPARE_BYTES 4096
#define SEALS (F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)

static int memfd_for_exec(void)
{
	int fd = memfd_create("csbx-init", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_EXEC);

	if (fd < 0 && errno == EINVAL)
		fd = memfd_create("csbx-init", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	return fd;
}

int init_file_seal(int file_fd, bool *ret_is_file, struct err *e)
{
	_close_ int fd = memfd_for_exec();
	struct stat st;
	off_t left;

	*ret_is_file = fd < 0;
	if (fstat(file_fd, &st) < 0)
		return err_sys(e, "csbx-init");
	if (!S_ISREG(st.st_mode) || st.st_size <= 0 || st.st_size > INIT_BYTES_MAX)
		return err_set(e, EINVAL, "csbx-init: not a program");
	if (fd < 0) { /* vm.memfd_noexec=2, or no memfd at all */
		fd = fcntl(file_fd, F_DUPFD_CLOEXEC, 0);
		return fd < 0 ? err_sys(e, "csbx-init") : take_fd(&fd);
	}
	for (left = st.st_size; left > 0;) {
		off_t at = st.st_size - left;
		ssize_t n = sendfile(fd, file_fd, &at, (size_t)left);

		if (n <= 0)
			return n ? err_sys(e, "copy csbx-init")
				 : err_set(e, EIO, "csbx-init: cut short");
		left -= n;
	}
	if (fchmod(fd, 0555) < 0 || fcntl(fd, F_ADD_SEALS, SEALS) < 0)
		return err_sys(e, "seal csbx-init");
	return take_fd(&fd);
}

static bool is_same_file(int a, int b)
{
	struct stat x, y;

	return fstat(a, &x) == 0 && fstat(b, &y) == 0 && x.st_dev == y.st_dev &&
	       x.st_ino == y.st_ino;
}

static int foreign(struct err *e)
{
	return err_set(e, EPERM, "csbx-init is not the installed one");
}

/*
 * By small pieces, into pages that are there: mapping both, or larger buffers, costs a start more.
 */
static int compare(int fd, int file, struct err *e)
{
	char a[COMPARE_BYTES], b[COMPARE_BYTES];
	off_t at = 0;
	ssize_t n;

	do {
		ssize_t m = pread(file, b, sizeof(b), at);

		n = pread(fd, a, sizeof(a), at);
		if (n < 0 || m < 0)
			return err_sys(e, "compare csbx-init");
		if (n != m || memcmp(a, b, (size_t)n) != 0)
			return foreign(e);
		at += n;
	} while (n == COMPARE_BYTES && at <= INIT_BYTES_MAX);
	return n == COMPARE_BYTES ? foreign(e) : 0;
}

int init_file_check(int fd, const char *installed, struct err *e)
{
	_close_ int file = open(installed, O_RDONLY | O_CLOEXEC);
	int seals = fcntl(fd, F_GET_SEALS);

	if (file < 0)
		return err_sys(e, "open %s", installed);
	if (seals < 0)
		return is_same_file(fd, file) ? 0 : foreign(e);
	return (seals & SEALS) == SEALS ? compare(fd, file, e) : foreign(e);
}

int init_file_open(const struct paths *p, struct err *e)
{
	_free_ char *path = paths_helper(p, "csbx-init");
	_close_ int file = -1, fd = -1;
	bool is_file;
	struct stat st;

	if (!path)
		return err_oom(e);
	file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return err_sys(e, "open %s", path);
	fd = init_file_seal(file, &is_file, e);
	if (fd >= 0 && is_file && (fstat(fd, &st) < 0 || st.st_uid == geteuid()))
		return err_set(e, EPERM,
			       "csbx-init is yours and cannot be sealed (vm.memfd_noexec)");
	return fd < 0 ? fd : take_fd(&fd);
}

int init_file_exec(int init_fd, int msg_fd, const int *fds, unsigned n, struct err *e)
{
	static char name[] = "csbx-init";
	char *argv[] = {name, NULL}, *env[] = {NULL};
	int above = INIT_FD_FIRST_KEPT + (int)n, moved[INIT_FD_MAX_ALONE], init, msg;

	if (n > INIT_FD_MAX_ALONE)
		return err_set(e, E2BIG, "too many descriptors");
	init = fcntl(init_fd, F_DUPFD_CLOEXEC, above);
	msg = fcntl(msg_fd, F_DUPFD_CLOEXEC, above);
	for (unsigned i = 0; i < n; i++) {
		moved[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, above);
		if (moved[i] < 0)
			return err_sys(e, "place descriptors");
	}
	if (init < 0 || msg < 0)
		return err_sys(e, "place descriptors");
	(void)close_range(3, ~0u, CLOSE_RANGE_CLOEXEC);
	if (dup2(msg, INIT_FD_MSG) < 0)
		return err_sys(e, "place descriptors");
	for (unsigned i = 0; i < n; i++) {
		if (dup2(moved[i], INIT_FD_FIRST_KEPT + (int)i) < 0)
			return err_sys(e, "place descriptors");
	}
	syscall(SYS_execveat, init, "", argv, env, AT_EMPTY_PATH);
	return err_sys(e, "exec csbx-init");
}
