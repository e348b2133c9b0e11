/* SPDX-License-Identifier: Apache-2.0 */
/* The watchdog's reads of processes and of System V objects: proc(5), sysvipc(5). */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/fd.h"
#include "runtime/limit/watchdog.h"

#define STATM_BYTES 128

bool watchdog_read_small(int dirfd, const char *dir, const char *name, char *buf, size_t size)
{
	char path[WATCHDOG_TASK_BYTES + 32];
	_close_ int fd = -1;
	bool is_refused;
	ssize_t n;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	is_refused = fd < 0 && (errno == EACCES || errno == EPERM);
	n = fd < 0 ? -1 : read(fd, buf, size - 1);
	buf[n > 0 ? n : 0] = 0;
	return !is_refused;
}

/* A directory has a link for each of its directories, and here a directory is a thread. */
uint64_t watchdog_count_threads(int proc_fd, const char *pid)
{
	char path[48];
	struct stat st;

	snprintf(path, sizeof(path), "%.16s/task", pid);
	return fstatat(proc_fd, path, &st, AT_SYMLINK_NOFOLLOW) < 0 || st.st_nlink < 3
		       ? 1
		       : (uint64_t)st.st_nlink - 2;
}

static bool read_statm(int proc_fd, const char *task, struct watchdog_statm *ret)
{
	char text[STATM_BYTES];

	watchdog_read_small(proc_fd, task, "statm", text, sizeof(text));
	return watchdog_parse_statm(text, (uint64_t)sysconf(_SC_PAGESIZE), ret);
}

/* All threads share the memory: the first that still has it tells of all. */
static bool find_thread(int proc_fd, const char *pid, char path[WATCHDOG_TASK_BYTES],
			struct watchdog_statm *ret)
{
	const struct dirent *ent;
	bool found = false;
	DIR *d;
	int fd;

	snprintf(path, WATCHDOG_TASK_BYTES, "%.16s/task", pid);
	fd = openat(proc_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	d = fd < 0 ? NULL : fdopendir(fd);
	if (!d) {
		fd_close(&fd);
		return false;
	}
	while (!found && (ent = readdir(d))) {
		if (ent->d_name[0] == '.')
			continue;
		snprintf(path, WATCHDOG_TASK_BYTES, "%.16s/task/%.16s", pid, ent->d_name);
		found = read_statm(proc_fd, path, ret);
	}
	closedir(d);
	return found;
}

struct watchdog_statm watchdog_find_task(int proc_fd, const char *pid,
					 char ret_path[WATCHDOG_TASK_BYTES])
{
	struct watchdog_statm m;

	snprintf(ret_path, WATCHDOG_TASK_BYTES, "%.16s", pid);
	if (!read_statm(proc_fd, ret_path, &m) && watchdog_count_threads(proc_fd, pid) > 1 &&
	    !find_thread(proc_fd, pid, ret_path, &m))
		m = (struct watchdog_statm){0};
	return m;
}

/* A read gives as many whole lines as fit into a page, proc(5) has no other promise. */
uint64_t watchdog_read_sysv(enum watchdog_sysv kind, int fd)
{
	char buf[16384];
	size_t have = 0;
	uint64_t sum = 0;
	ssize_t n;

	if (fd < 0 || lseek(fd, 0, SEEK_SET) < 0)
		return 0;
	while ((n = read(fd, buf + have, sizeof(buf) - 1 - have)) > 0) {
		char *line = buf, *nl;

		have += (size_t)n;
		buf[have] = 0;
		for (; (nl = strchr(line, '\n')); line = nl + 1) {
			*nl = 0;
			sum += watchdog_parse_sysv(kind, line);
		}
		have -= (size_t)(line - buf);
		memmove(buf, line, have);
		if (have == sizeof(buf) - 1)
			break;
	}
	return sum;
}
