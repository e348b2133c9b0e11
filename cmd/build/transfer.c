/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/build/transfer.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/build/build_child.h"
#include "cmd/build/root.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/kernel/process_id.h"

static int send_child(void *arg, int parent, struct err *e)
{
	struct transfer *t = arg;
	int root = t->from ? build_view_enter(t->from, e) : t->from_dir;
	int r = t->from && root < 0 ? root : 0;

	fd_close(&t->job.tar_out);
	if (r >= 0)
		r = process_end_with(parent, e);
	if (r < 0)
		return r;
	signal(SIGPIPE, SIG_IGN);
	return t->send(t->arg, root, e);
}

static int receive_child(void *arg, int parent, struct err *e)
{
	struct transfer *t = arg;
	int root;

	fd_close(&t->job.tar_in);
	root = build_view_enter(t->to, e);
	if (root < 0)
		return root;
	umask(0022);
	if (process_end_with(parent, e) < 0)
		return -ESRCH;
	return unpack_run(&t->job, t->to_dir >= 0 ? t->to_dir : root, e);
}

int transfer_run(struct transfer *t, struct err *e)
{
	struct build_child from = BUILD_CHILD_INIT, to = BUILD_CHILD_INIT;
	struct err sent = ERR_INIT;
	int ends[2], r, s = 0;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_sys(e, "pipe");
	t->job.tar_out = ends[0];
	t->job.tar_in = ends[1];
	r = build_child_start(&to, receive_child, t, e);
	if (r >= 0)
		r = s = build_child_start(&from, send_child, t, e);
	close(ends[0]);
	close(ends[1]);
	s = build_child_wait(&from, &sent);
	if (r >= 0)
		r = build_child_wait(&to, e);
	else
		(void)build_child_wait(&to, NULL);
	/* If both fail, the one that did not meet EPIPE knows why. */
	if (s < 0 && (r >= 0 || s != -EPIPE)) {
		*e = sent;
		return s;
	}
	return r;
}
