/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/cgroup/batch_step.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/fd.h"
#include "runtime/base/num.h"
#include "runtime/base/str.h"

#define KEEPER "slurmstepd"

/* A small file of /proc/PID; "" when it cannot be read. */
static void read_small(pid_t pid, const char *name, char *buf, size_t size)
{
	char path[40];
	_close_ int fd = -1;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, buf, size - 1);
	buf[n > 0 ? n : 0] = 0;
}

/* 0 when there is no such process. */
static pid_t parent_of(pid_t pid)
{
	char text[512];
	const char *p;
	pid_t parent;

	read_small(pid, "stat", text, sizeof(text));
	/* The command in parentheses may hold anything; the state and the parent follow it. */
	p = strrchr(text, ')');
	return p && sscanf(p + 1, " %*c %d", &parent) == 1 ? parent : 0;
}

static bool is_keeper(pid_t pid)
{
	char comm[32];

	read_small(pid, "comm", comm, sizeof(comm));
	return str_has_prefix(comm, KEEPER);
}

int batch_step_open(void)
{
	const char *task = getenv("SLURM_TASK_PID");
	uint64_t number = 0;
	_close_ int fd = -1;
	pid_t keeper;

	if (!task || num_parse_u64(task, INT32_MAX, &number) < 0 || !number)
		return -1;
	keeper = parent_of((pid_t)number);
	fd = keeper > 1 ? (int)syscall(SYS_pidfd_open, keeper, 0) : -1;
	/* The name after the descriptor: the number may have become another process's before. */
	return fd >= 0 && is_keeper(keeper) ? take_fd(&fd) : -1;
}
