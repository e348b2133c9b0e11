/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/userns/tree_remove.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/linux_calls.h"
#include "runtime/base/path.h"
#include "runtime/kernel/orphan_fork.h"
#include "runtime/userns/userns.h"

struct mapped {
	int dirfd;
	const char *name;
	struct id_map map;
};

/*
 * In the child: a namespace of its own. If there are ranges the parent writes the maps: an empty
 * struct err asks for that, a set one ends the conversation.
 */
static int remove_in_namespace(const struct mapped *m, int sock, struct err *e)
{
	struct err ready = ERR_INIT;
	char byte;
	int r;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* A supervisor that has joined a user namespace is not dumpable, so its maps are root's. */
	prctl(PR_SET_DUMPABLE, 1);
	if (unshare(CLONE_NEWUSER) < 0)
		return err_sys(e, "user namespace");
	if (id_map_is_one(&m->map)) {
		r = userns_write_own(&m->map, e);
	} else {
		r = fd_send(sock, &ready, sizeof(ready), NULL, 0, e);
		if (r >= 0 && fd_recv(sock, &byte, 1, NULL, 0, NULL) != 1)
			r = err_set(e, EPIPE, "id maps were not written");
	}
	return r < 0 ? r : path_remove_tree_at(m->dirfd, m->name, e);
}

/* In the parent, until the child has nothing more to say; ret is the child's error or ours. */
static void serve_child(const struct mapped *m, pid_t pid, int sock, struct err *ret)
{
	while (fd_recv(sock, ret, sizeof(*ret), NULL, 0, NULL) == sizeof(*ret) && !ret->code) {
		if (userns_write_ranges(pid, &m->map, ret) < 0)
			return;
		(void)fd_send(sock, "", 1, NULL, 0, NULL);
	}
}

/* Runs remove_in_namespace() in a child and brings its error over. */
static int remove_mapped(int dirfd, const char *name, struct err *e)
{
	struct mapped m = {.dirfd = dirfd, .name = name};
	struct err child_err = ERR_INIT;
	_close_ int ours = -1, theirs = -1;
	int pair[2], r = userns_map_for(0, 0, USERNS_AUTO, &m.map, e), status;
	pid_t pid;

	if (r < 0)
		return r;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return err_sys(e, "socketpair");
	ours = pair[0];
	theirs = pair[1];
	pid = fork();
	if (pid < 0)
		return err_sys(e, "fork");
	if (!pid) {
		fd_close(&ours);
		r = remove_in_namespace(&m, theirs, &child_err);
		if (r < 0)
			(void)fd_send(theirs, &child_err, sizeof(child_err), NULL, 0, NULL);
		_exit(r < 0);
	}
	fd_close(&theirs);
	serve_child(&m, pid, ours, &child_err);
	fd_close(&ours);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!status)
		return 0;
	err_sanitize(&child_err);
	return err_set(e, child_err.code ? child_err.code : EIO, "%s",
		       child_err.code ? child_err.msg : "the deleting process failed");
}

int tree_remove(int dirfd, const char *name, struct err *e)
{
	struct err first = ERR_INIT;

	if (!path_remove_tree_at(dirfd, name, &first))
		return 0;
	if (first.code != EACCES && first.code != EPERM && first.code != ENOTEMPTY) {
		if (e)
			*e = first;
		return -first.code;
	}
	return remove_mapped(dirfd, name, e);
}

void tree_remove_detached(int dirfd, const char *name, int userns_fd, int hold_fd)
{
	int fds[3] = {dirfd, userns_fd, hold_fd};
	pid_t pid = orphan_fork(NULL, NULL);

	if (pid < 0)
		(void)tree_remove(dirfd, name, NULL);
	if (pid)
		return;
	setsid();
	fd_keep_only(fds, 3);
	if (fds[1] >= 0 && !setns(fds[1], CLONE_NEWUSER))
		_exit(path_remove_tree_at(fds[0], name, NULL) < 0);
	_exit(tree_remove(fds[0], name, NULL) < 0);
}
