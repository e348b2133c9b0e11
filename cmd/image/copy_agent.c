/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/image/copy_agent.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "image/pack/tar_out.h"
#include "image/pack/tree.h"
#include "image/pack/tree_unpack.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/path.h"
#include "runtime/base/str.h"
#include "runtime/kernel/process_id.h"

enum request_type { REQUEST_STAT, REQUEST_PACK, REQUEST_UNPACK };

struct request {
	enum request_type type;
	bool follow, keep_owner, has_from;
	char path[PATH_MAX];
	char from[NAME_MAX + 1], to[NAME_MAX + 1]; /* PACK: from is the member's name */
};

struct reply {
	int result;
	struct copy_stat stat;
	uid_t uid; /* the caller's ids, as they are in the child; in its first reply */
	gid_t gid;
	struct err err;
};

/*
 * --- in the child ------------------------------------------------------------------------------
 */

static int open_path(int root, const struct request *q, struct err *e)
{
	return path_open_in_root(root, q->path, O_PATH | (q->follow ? 0 : O_NOFOLLOW), 0, e);
}

static int do_stat(int root, const struct request *q, struct copy_stat *ret, struct err *e)
{
	_close_ int fd = open_path(root, q, e);
	struct stat st;
	ssize_t n;

	if (fd < 0)
		return fd;
	if (fstat(fd, &st) < 0)
		return err_sys(e, "%s", q->path);
	ret->mode = st.st_mode;
	ret->size_bytes = (uint64_t)st.st_size;
	ret->mtime_s = st.st_mtim.tv_sec;
	ret->mtime_ns = (uint32_t)st.st_mtim.tv_nsec;
	n = S_ISLNK(st.st_mode) ? readlinkat(fd, "", ret->target, sizeof(ret->target) - 1) : 0;
	if (n < 0)
		return err_sys(e, "%s", q->path);
	ret->target[n] = 0;
	return 0;
}

static int do_pack(int root, const struct request *q, int out, struct err *e)
{
	_close_ int fd = open_path(root, q, e);
	struct tar_out t;
	int r;

	if (fd < 0)
		return fd;
	tar_out_init(&t, out);
	/*
	 * The nodes of /dev are mounts of the container's, not its files; csbx's own files in an
	 * image are no part of a whole container.
	 */
	r = tree_pack(fd, q->from, *q->from ? TREE_DEVICES_LEFT_OUT : TREE_DEVICES_OF_IMAGE, &t, e);
	if (r >= 0)
		r = tar_out_end(&t, e);
	tar_out_free(&t);
	return r;
}

static int do_unpack(int root, const struct request *q, int in, struct err *e)
{
	const struct tree_unpack u = {
		.root_fd = root,
		.base = q->path,
		.resolve = TREE_IN_ROOT,
		.from = q->has_from ? q->from : NULL,
		.to = q->to,
		.keep_owner = q->keep_owner,
	};

	return tree_unpack(&u, in, e);
}

static void serve(int sock, int root)
{
	struct request q;
	int fd = -1;

	while (fd_recv(sock, &q, sizeof(q), &fd, 1, NULL) == (ssize_t)sizeof(q)) {
		struct reply a = {0};

		if (q.type == REQUEST_STAT)
			a.result = do_stat(root, &q, &a.stat, &a.err);
		else if (q.type == REQUEST_PACK)
			a.result = do_pack(root, &q, fd, &a.err);
		else
			a.result = do_unpack(root, &q, fd, &a.err);
		fd_close(&fd);
		if (fd_send(sock, &a, sizeof(a), NULL, 0, NULL) < 0)
			break;
	}
}

/* A copy that is killed while a large tree is on its way leaves no process that goes on with it. */
static _Noreturn void child(int sock, int parent, copy_enter_fn *enter, void *arg)
{
	struct reply a = {.uid = (uid_t)-1, .gid = (gid_t)-1};
	struct stat made_outside;
	int root = enter(arg, &a.err);

	umask(0022);
	a.result = root < 0 ? root : process_end_with(parent, &a.err);
	if (fstat(sock, &made_outside) == 0) {
		a.uid = made_outside.st_uid;
		a.gid = made_outside.st_gid;
	}
	if (fd_send(sock, &a, sizeof(a), NULL, 0, NULL) >= 0 && a.result >= 0)
		serve(sock, root);
	_exit(0);
}

/*
 * --- in the parent -----------------------------------------------------------------------------
 */

static int receive(struct copy_agent *a, struct reply *ret, struct err *e)
{
	ssize_t n = fd_recv(a->sock, ret, sizeof(*ret), NULL, 0, e);

	if (n < 0)
		return (int)n;
	if (n != (ssize_t)sizeof(*ret))
		return err_set(e, EIO, "the copying process died");
	if (ret->result < 0 && e)
		*e = ret->err;
	return ret->result < 0 ? ret->result : 0;
}

int copy_agent_start(struct copy_agent *a, copy_enter_fn *enter, void *arg, struct err *e)
{
	_close_ int self = (int)syscall(SYS_pidfd_open, getpid(), 0);
	struct reply hello = {.uid = (uid_t)-1, .gid = (gid_t)-1};
	int pair[2], r;

	if (self < 0)
		return err_sys(e, "pidfd_open");
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return err_sys(e, "socketpair");
	a->pid = fork();
	if (a->pid < 0) {
		close(pair[0]);
		close(pair[1]);
		return err_sys(e, "fork");
	}
	if (!a->pid) {
		close(pair[0]);
		child(pair[1], self, enter, arg);
	}
	close(pair[1]);
	a->sock = pair[0];
	r = receive(a, &hello, e);
	a->caller_uid = hello.uid;
	a->caller_gid = hello.gid;
	return r;
}

static int send_request(struct copy_agent *a, struct request *q, const char *path, int fd,
			struct err *e)
{
	size_t n = strlen(path);

	if (n >= sizeof(q->path))
		return err_set(e, ENAMETOOLONG, "path of %zu bytes: too long", n);
	memcpy(q->path, path, n + 1);
	return fd_send(a->sock, q, sizeof(*q), &fd, fd >= 0, e);
}

static int set_name(char field[NAME_MAX + 1], const char *name, struct err *e)
{
	size_t n = strlen(name);

	if (n > NAME_MAX)
		return err_set(e, ENAMETOOLONG, "%.60s...: name too long", name);
	memcpy(field, name, n + 1);
	return 0;
}

int copy_agent_look(struct copy_agent *a, const char *path, bool follow, struct copy_stat *ret,
		    struct err *e)
{
	struct request q = {.type = REQUEST_STAT, .follow = follow};
	struct reply reply = {0};
	int r = send_request(a, &q, path, -1, e);

	if (r >= 0)
		r = receive(a, &reply, e);
	if (r >= 0)
		*ret = reply.stat;
	return r;
}

int copy_agent_stat(struct copy_agent *a, const char *path, bool follow, mode_t *ret_mode,
		    struct err *e)
{
	struct copy_stat s;
	int r = copy_agent_look(a, path, follow, &s, e);

	if (r >= 0)
		*ret_mode = s.mode;
	return r;
}

int copy_agent_pack(struct copy_agent *a, const char *path, bool follow, const char *member, int fd,
		    struct err *e)
{
	struct request q = {.type = REQUEST_PACK, .follow = follow};
	int r = set_name(q.from, member, e);

	return r < 0 ? r : send_request(a, &q, path, fd, e);
}

int copy_agent_unpack(struct copy_agent *a, const struct copy_into *into, int fd, struct err *e)
{
	struct request q = {
		.type = REQUEST_UNPACK, .keep_owner = into->keep_owner, .has_from = into->from};
	int r = 0;

	if (into->from)
		r = set_name(q.from, into->from, e);
	if (r >= 0 && into->from)
		r = set_name(q.to, into->to, e);
	return r < 0 ? r : send_request(a, &q, into->parent, fd, e);
}

int copy_agent_finish(struct copy_agent *a, struct err *e)
{
	struct reply reply;

	return receive(a, &reply, e);
}

void copy_agent_close(struct copy_agent *a)
{
	fd_close(&a->sock);
	while (a->pid > 0 && waitpid(a->pid, NULL, 0) < 0 && errno == EINTR)
		;
	a->pid = 0;
}
