/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/build/build_child.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"

struct answer {
	int result;
	struct err err;
};

int build_child_start(struct build_child *c, build_child_fn *work, void *arg, struct err *e)
{
	_close_ int self = (int)syscall(SYS_pidfd_open, getpid(), 0);
	int ends[2];

	*c = (struct build_child)BUILD_CHILD_INIT;
	if (self < 0)
		return err_sys(e, "pidfd_open");
	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_sys(e, "pipe");
	c->pid = fork();
	if (c->pid < 0) {
		close(ends[0]);
		close(ends[1]);
		return err_sys(e, "fork");
	}
	if (!c->pid) {
		struct answer a = {0};

		close(ends[0]);
		a.result = work(arg, self, &a.err);
		(void)io_write_all(ends[1], &a, sizeof(a), NULL);
		_exit(0);
	}
	close(ends[1]);
	c->answer_fd = ends[0];
	return 0;
}

int build_child_wait(struct build_child *c, struct err *e)
{
	struct answer a = {0};
	int r;

	if (c->pid <= 0)
		return 0;
	r = io_read_exact(c->answer_fd, &a, sizeof(a), NULL);
	fd_close(&c->answer_fd);
	while (waitpid(c->pid, NULL, 0) < 0 && errno == EINTR)
		;
	c->pid = 0;
	if (r < 0)
		return err_set(e, EIO, "the process that made the step died");
	if (a.result < 0 && e)
		*e = a.err;
	return a.result;
}
