/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/kernel/process_id.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"

/* The command in parentheses may hold anything: the fields are counted from its end. */
int process_start_ticks(pid_t pid, uint64_t *ret)
{
	char path[32], text[1024] = "", *p;
	_close_ int fd = -1;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0 || !(p = strrchr(text, ')')))
		return -ESRCH;
	/* Field 3 follows ") "; a zombie has ended. */
	if (p[1] != ' ' || p[2] == 'Z' || p[2] == 'X')
		return -ESRCH;
	p += 2;
	for (int field = 3; field < 22 && p; field++) {
		p = strchr(p, ' ');
		p = p ? p + 1 : NULL;
	}
	if (!p)
		return -ESRCH;
	*ret = strtoull(p, NULL, 10);
	return 0;
}

bool process_is(pid_t pid, uint64_t start_ticks)
{
	uint64_t now;

	return process_start_ticks(pid, &now) == 0 && now == start_ticks;
}

/*
 * The signal first, then a look at the parent: one that died before the signal was armed is seen by
 * its descriptor. getppid(2) says 0 in a new pid namespace in any case.
 */
int process_end_with(int parent_pidfd, struct err *e)
{
	struct pollfd p = {.fd = parent_pidfd, .events = POLLIN};

	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0)
		return err_sys(e, "parent death signal");
	if (poll(&p, 1, 0) != 0)
		return err_set(e, ESRCH, "the parent process died");
	return 0;
}
