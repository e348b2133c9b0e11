/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/kernel/inotify.h"

#include <sys/inotify.h>
#include <sys/types.h>
#include <unistd.h>

#include "runtime/base/fd.h"

static int kept_fd = -1;
static pid_t kept_by; /* a process that was forked since has the same instance, and needs its own */

int inotify_take(void)
{
	char events[4096];

	if (kept_by != getpid())
		fd_close(&kept_fd);
	if (kept_fd < 0)
		return inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	/* Events of its former watches, and that these are removed. */
	while (read(kept_fd, events, sizeof(events)) > 0)
		;
	return take_fd(&kept_fd);
}

void inotify_give_back(int *fd, const int *watches, unsigned n_watches)
{
	if (*fd < 0)
		return;
	for (unsigned i = 0; i < n_watches; i++) {
		if (watches[i] >= 0)
			(void)inotify_rm_watch(*fd, watches[i]);
	}
	if (kept_fd < 0 || kept_by != getpid()) {
		fd_close(&kept_fd);
		kept_fd = take_fd(fd);
		kept_by = getpid();
	}
	fd_close(fd);
}
