/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Theory. Out of memory the kernel kills the process of the group that has the largest resident
 * size, and again where the next allocation fails too. The watchdog does the same after the fact:
 * one process at a time, and the next one only when the memory of the one before is back.
 *
 * What is in files (tmpfs, SysV, memfds) is not given back by a death. The writer that went past
 * the limit between two looks leaves a sum that stays above it, and the others have done
 * nothing: as in a group that is full, one dies only when more is asked for.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/fd.h"
#include "runtime/limit/watchdog.h"

/* To die takes a process longer where it waits for a disk, never this long where it can. */
#define VICTIM_MS 5000u
#define NS_PER_MS 1000000u

bool watchdog_must_kill(struct watchdog *w)
{
	bool is_files = w->files_bytes > w->limit_bytes - w->limit_bytes / 8;

	if (w->sum_bytes <= w->limit_bytes) {
		w->floor_bytes = 0;
		return false;
	}
	if (w->floor_bytes && is_files && w->sum_bytes <= w->floor_bytes) {
		w->floor_bytes = w->sum_bytes;
		return false;
	}
	return true;
}

/* Resident bytes, and swapped out; 0 for one that has ended or is about to. */
static uint64_t size_of(const struct watchdog *w, int proc_dir)
{
	char task[WATCHDOG_TASK_BYTES], text[4096];
	struct watchdog_statm m = watchdog_find_task(proc_dir, ".", task);
	uint64_t swapped = 0;

	if (w->has_swap && watchdog_read_small(proc_dir, task, "status", text, sizeof(text)))
		swapped = watchdog_parse_kib(text, "VmSwap");
	return m.private_bytes + m.shared_bytes + swapped;
}

/* /proc/PID of the largest, of equals the youngest; -1: there is none. */
static int open_largest(const struct watchdog *w)
{
	int fd = openat(w->view.proc_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), largest = -1;
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *ent;
	uint64_t most = 1;

	if (!d) {
		fd_close(&fd);
		return -1;
	}
	while ((ent = readdir(d))) {
		_close_ int dir = -1;
		uint64_t size;

		if (ent->d_name[0] < '1' || ent->d_name[0] > '9' ||
		    (ent->d_name[0] == '1' && !ent->d_name[1]))
			continue;
		dir = openat(dirfd(d), ent->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		size = dir < 0 ? 0 : size_of(w, dir);
		if (size < most)
			continue;
		most = size;
		fd_close(&largest);
		largest = take_fd(&dir);
	}
	closedir(d);
	return largest;
}

/* 1: the one before is still on its way out. */
static int is_victim_there(struct watchdog *w, uint64_t now_ns)
{
	if (w->victim_fd < 0)
		return 0;
	if (size_of(w, w->victim_fd))
		return now_ns - w->victim_ns > (uint64_t)VICTIM_MS * NS_PER_MS ? -ETIMEDOUT : 1;
	fd_close(&w->victim_fd);
	return 0;
}

int watchdog_kill_largest(struct watchdog *w, uint64_t now_ns)
{
	int r = is_victim_there(w, now_ns);

	if (r)
		return r < 0 ? r : 0;
	if (!watchdog_must_kill(w))
		return 0;
	w->victim_fd = open_largest(w);
	w->victim_ns = now_ns;
	w->floor_bytes = w->sum_bytes;
	if (w->victim_fd < 0)
		return -ESRCH;
	/* The directory stands for the process that it showed, as a pidfd does. */
	if (syscall(SYS_pidfd_send_signal, w->victim_fd, SIGKILL, NULL, 0) < 0 && errno != ESRCH)
		return -errno;
	return 1;
}
