/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/kernel/main_pid.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/base/fd.h"

pid_t main_pid_of(pid_t init)
{
	char path[64], text[16] = "";
	_close_ int fd = -1;

	if (init <= 0)
		return 0;
	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", init, init);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		return 0;
	return (pid_t)strtol(text, NULL, 10);
}
