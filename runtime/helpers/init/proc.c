/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Everything below /proc goes through the clone of it that was made before masks and read-only
 * parts (INIT_FD_PROC): for files of a process it saves trusting the image's /proc, for sysctls it
 * is the only writable way.
 */
#include "runtime/helpers/init/init.h"
#include "runtime/helpers/init/abi/mem.h"

int proc_write(const char *path, const char *text, size_t len)
{
	int fd = sys_openat(INIT_FD_PROC, path, O_WRONLY | O_CLOEXEC);
	long n;

	if (fd < 0)
		return fd;
	n = sys_write(fd, text, len);
	sys_close(fd);
	if (n < 0)
		return (int)n;
	return (size_t)n == len ? 0 : -EIO;
}

void proc_name(char *buf, int pid, const char *name)
{
	char digits[12];
	int n = 0;

	if (!pid) {
		memcpy(buf, "self", 4);
		buf += 4;
	}
	for (; pid; pid /= 10)
		digits[n++] = (char)('0' + pid % 10);
	while (n)
		*buf++ = digits[--n];
	*buf++ = '/';
	memcpy(buf, name, strlen(name) + 1);
}
