/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/helpers/init/init.h"

/* Walks up to the first capability the kernel does not know: no need to ask for cap_last_cap. */
int drop_bounding(uint64_t keep)
{
	for (unsigned cap = 0; cap < 64; cap++) {
		int r;

		if (keep >> cap & 1)
			continue;
		r = sys_prctl(PR_CAPBSET_DROP, cap, 0);
		if (r == -EINVAL)
			return 0;
		if (r < 0)
			return r;
	}
	return 0;
}

/* Permitted and effective become keep; inheritable, and with it ambient, empty. */
int drop_caps(uint64_t keep)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {
		{.effective = (uint32_t)keep, .permitted = (uint32_t)keep},
		{.effective = (uint32_t)(keep >> 32), .permitted = (uint32_t)(keep >> 32)},
	};

	return sys_capset(&head, data);
}

/*
 * Signals that a caller ignores (nohup, some shells' SIGPIPE) would otherwise be ignored inside
 * too.
 */
int reset_dispositions(void)
{
	const unsigned long dfl[4] = {0}; /* struct sigaction of the kernel: SIG_DFL, no flags */

	for (int sig = 1; sig <= SYS_NSIG; sig++) {
		int r;

		if (sig == SIGKILL || sig == SIGSTOP)
			continue;
		r = sys_rt_sigaction(sig, dfl, NULL);
		if (r < 0)
			return r;
	}
	return 0;
}

/* A name of /proc/self/fd as a number, -1 for "." and "..". */
static int fd_of_name(const char *s)
{
	int n = 0;

	if (!*s)
		return -1;
	for (; *s; s++) {
		if (*s < '0' || *s > '9' || n > 0xffffff)
			return -1;
		n = n * 10 + (*s - '0');
	}
	return n;
}

struct dirent64 {
	uint64_t ino, off;
	uint16_t reclen;
	uint8_t type;
	char name[];
};

/*
 * For kernels or filters without close_range(2). The kernel's listing of fds goes by number, so
 * closing while reading skips none; the listing's own fd goes last.
 */
static int close_from_by_listing(unsigned first)
{
	int dir = sys_openat(INIT_FD_PROC, "self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_Alignas(8) char buf[2048] NOT_ZEROED;
	long n;

	if (dir < 0)
		return dir;
	while ((n = sys_getdents64(dir, buf, sizeof(buf))) > 0) {
		for (long at = 0; at < n;) {
			const struct dirent64 *d = (const void *)(buf + at);
			int fd = fd_of_name(d->name);

			if (fd >= (int)first && fd != dir)
				sys_close(fd);
			at += d->reclen;
		}
	}
	sys_close(dir);
	return (int)n;
}

int close_from(unsigned first)
{
	int r = sys_close_range(first, ~0u);

	return r == -ENOSYS ? close_from_by_listing(first) : r;
}
