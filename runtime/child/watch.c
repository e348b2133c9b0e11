/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/child/child.h"

#include <fcntl.h>

#include "runtime/base/err.h"
#include "runtime/child/launch.h"

int child_watch(struct child *c, int fd, struct err *e)
{
	int copy;

	if (!c->is_watched || c->n_watch == LAUNCH_TMPFS_MAX)
		return 0;
	copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (copy < 0)
		return err_sys(e, "watch a tmpfs");
	c->watch_fds[c->n_watch++] = copy;
	return 0;
}
