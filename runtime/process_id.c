/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/process_id.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
