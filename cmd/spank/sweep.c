/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/spank/sweep.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/fd.h"
#include "runtime/base/str.h"

#define ROUNDS_MAX 200
#define ROUND_NS 10000000
#define FILE_BYTES 65536

/* A file of the kernel's, as text. */
static bool read_text(const char *path, char text[FILE_BYTES])
{
	_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, FILE_BYTES - 1);

	text[n > 0 ? n : 0] = 0;
	return n > 0;
}

/* Its group in the hierarchy of v2; caller frees. */
static char *group_of(pid_t pid)
{
	char path[32], text[FILE_BYTES];
	const char *line;

	snprintf(path, sizeof(path), "/proc/%d/cgroup", pid);
	if (!read_text(path, text))
		return NULL;
	line = str_has_prefix(text, "0::") ? text : strstr(text, "\n0::");
	if (!line)
		return NULL;
	line = strchr(line, '/');
	return line ? str_printf("%.*s", (int)strcspn(line, "\n"), line) : NULL;
}

/* ".../step_0/slurm" */
static bool is_daemons(const char *group)
{
	const char *step = strstr(group, "/step_");
	const char *slash = step ? strchr(step + 1, '/') : NULL;

	return slash && str_eq(slash, "/slurm");
}

static bool is_roots(pid_t pid)
{
	char path[32], text[FILE_BYTES];
	const char *line;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	line = read_text(path, text) ? strstr(text, "\nUid:") : NULL;
	return !line || strtoul(line + strlen("\nUid:"), NULL, 10) == 0;
}

/* The process of that number may have gone: looked at again with the pidfd in hand. */
static bool kill_one(pid_t pid, const char *group)
{
	_close_ int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	_free_ char *its = pidfd < 0 ? NULL : group_of(pid);

	if (!its || !str_eq(its, group) || is_roots(pid))
		return false;
	return syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0) == 0;
}

static bool list_group(const char *group, char text[FILE_BYTES])
{
	_free_ char *pure = str_printf("/sys/fs/cgroup%s/cgroup.procs", group);
	_free_ char *hybrid = str_printf("/sys/fs/cgroup/unified%s/cgroup.procs", group);

	return pure && hybrid && (read_text(pure, text) || read_text(hybrid, text));
}

static bool kill_round(const char *group)
{
	char text[FILE_BYTES];
	bool any = false;

	if (!list_group(group, text))
		return false;
	for (const char *p = text; *p;) {
		size_t len = strcspn(p, "\n");
		long pid = strtol(p, NULL, 10);

		if (pid > 1 && pid != getpid())
			any |= kill_one((pid_t)pid, group);
		p += len + (p[len] == '\n');
	}
	return any;
}

void spank_sweep(void)
{
	static const struct timespec pause = {.tv_nsec = ROUND_NS};
	_free_ char *group = geteuid() ? NULL : group_of(getpid());

	if (!group || !is_daemons(group))
		return;
	for (int i = 0; i < ROUNDS_MAX && kill_round(group); i++)
		nanosleep(&pause, NULL);
}
