/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Theory. The kernel stops the process that makes the call, and hands over its numbers: a socket is
 * asked for by numbers alone, so nothing can change between the look and the deed. What is made is
 * put among the caller's descriptors by the kernel. Of a pair the two numbers are written where the
 * caller wants them; of an interface (the two calls by which libc asks for its number and its name)
 * the caller's structure is read and written: what it changes meanwhile is its own affair.
 */
#include "runtime/start/unix_broker.h"

#include <fcntl.h>
#include <linux/seccomp.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/kernel/orphan_fork.h"

#define FD_LISTENER 3
#define FD_HOST 4 /* a socket in the host's network namespace */

/* Room for what a later kernel has behind the members that are known here. */
union request {
	struct seccomp_notif n;
	char room[256];
};

union answer {
	struct seccomp_notif_resp n;
	char room[256];
};

/* The new number among the caller's descriptors. */
static int give(const struct seccomp_notif *q, int fd, int type)
{
	struct seccomp_notif_addfd a = {
		.id = q->id,
		.srcfd = (uint32_t)fd,
		.newfd_flags = type & SOCK_CLOEXEC ? O_CLOEXEC : 0,
	};
	int n = ioctl(FD_LISTENER, SECCOMP_IOCTL_NOTIF_ADDFD, &a);

	return n < 0 ? -errno : n;
}

static void answer(const struct seccomp_notif *q, int error, int value)
{
	union answer a = {.room = {0}};

	a.n.id = q->id;
	a.n.error = error;
	a.n.val = value;
	(void)ioctl(FD_LISTENER, SECCOMP_IOCTL_NOTIF_SEND, &a);
}

/*
 * A socket's file belongs to its maker: to the caller, which may change its mode. One whose owner
 * /proc does not tell (it is not dumpable) gets it from the container's first id.
 */
static void be_as_caller(const struct seccomp_notif *q, bool begins)
{
	struct stat st = {.st_uid = geteuid(), .st_gid = getegid()};
	char path[32];

	snprintf(path, sizeof(path), "/proc/%u", q->pid);
	if (begins && stat(path, &st) < 0)
		return;
	setfsgid(st.st_gid);
	setfsuid(st.st_uid);
}

/* Ours is closed before the call returns: what the caller closes then is closed. */
static void make_socket(const struct seccomp_notif *q)
{
	int type = (int)q->data.args[1], fd, n;

	be_as_caller(q, true);
	fd = socket(AF_UNIX, type | SOCK_CLOEXEC, (int)q->data.args[2]);
	n = fd < 0 ? -errno : 0;
	be_as_caller(q, false);
	if (fd >= 0)
		n = give(q, fd, type);
	fd_close(&fd);
	answer(q, n < 0 ? n : 0, n < 0 ? 0 : n);
}

/* The caller waits as long as its call is valid: then the number that was opened is its own. */
static bool copy(const struct seccomp_notif *q, uint64_t there, void *here, size_t n, bool writes)
{
	_close_ int memory = -1;
	char path[32];
	uint64_t id = q->id;
	ssize_t done;

	snprintf(path, sizeof(path), "/proc/%u/mem", q->pid);
	memory = open(path, O_RDWR | O_CLOEXEC);
	if (memory < 0 || ioctl(FD_LISTENER, SECCOMP_IOCTL_NOTIF_ID_VALID, &id) < 0)
		return false;
	done = writes ? pwrite(memory, here, n, (off_t)there)
		      : pread(memory, here, n, (off_t)there);
	return done == (ssize_t)n;
}

static void make_pair(const struct seccomp_notif *q)
{
	int type = (int)q->data.args[1], pair[2] = {-1, -1}, n[2] = {-1, -1}, r;

	/* Before there is something that could not be taken back. */
	r = copy(q, q->data.args[3], n, sizeof(n), true) ? 0 : -EFAULT;
	be_as_caller(q, true);
	if (r >= 0 && socketpair(AF_UNIX, type | SOCK_CLOEXEC, (int)q->data.args[2], pair) < 0)
		r = -errno;
	be_as_caller(q, false);
	for (int i = 0; i < 2; i++) {
		n[i] = r < 0 ? r : give(q, pair[i], type);
		r = n[i] < 0 ? n[i] : 0;
		fd_close(&pair[i]);
	}
	if (r >= 0 && !copy(q, q->data.args[3], n, sizeof(n), true))
		r = -EFAULT;
	answer(q, r, 0);
}

static void ask_interface(const struct seccomp_notif *q)
{
	struct ifreq i;
	int r = copy(q, q->data.args[2], &i, sizeof(i), false) ? 0 : -EFAULT;

	if (!r && ioctl(FD_HOST, (unsigned)q->data.args[1], &i) < 0)
		r = -errno;
	if (!r && !copy(q, q->data.args[2], &i, sizeof(i), true))
		r = -EFAULT;
	answer(q, r, 0);
}

static void serve(void)
{
	struct pollfd p = {.fd = FD_LISTENER, .events = POLLIN};
	union request q;

	for (;;) {
		if (poll(&p, 1, -1) < 0 && errno != EINTR)
			return;
		if (!(p.revents & POLLIN)) {
			if (p.revents)
				return;
			continue;
		}
		memset(&q, 0, sizeof(q));
		if (ioctl(FD_LISTENER, SECCOMP_IOCTL_NOTIF_RECV, &q) < 0)
			continue; /* the caller was killed */
		if (q.n.data.nr == __NR_socket)
			make_socket(&q.n);
		else if (q.n.data.nr == __NR_socketpair)
			make_pair(&q.n);
		else
			ask_interface(&q.n);
	}
}

/* Without the namespace no call is answered: the kernel then says ENOSYS to each. */
static void broker(int listener, int userns_fd)
{
	int host = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int high = fcntl(listener, F_DUPFD_CLOEXEC, FD_HOST + 1);
	int own = fcntl(userns_fd, F_DUPFD_CLOEXEC, FD_HOST + 1);
	int other = fcntl(host, F_DUPFD_CLOEXEC, FD_HOST + 1);

	(void)prctl(PR_SET_NAME, "csbx-unix");
	/* The other end of a pair is a handle to its maker (SO_PEERPIDFD). */
	(void)prctl(PR_SET_DUMPABLE, 0);
	if (high < 0 || own < 0 || setns(own, CLONE_NEWUSER) < 0 || unshare(CLONE_NEWNET) < 0 ||
	    dup2(high, FD_LISTENER) < 0 || (other >= 0 && dup2(other, FD_HOST) < 0) ||
	    syscall(SYS_close_range, FD_HOST + 1, ~0U, 0) < 0)
		return;
	for (int fd = 0; fd < FD_LISTENER; fd++)
		close(fd);
	(void)!chdir("/");
	serve();
}

int unix_broker_start(int listener, int userns_fd, struct err *e)
{
	pid_t pid = orphan_fork(NULL, NULL);

	if (!pid) {
		broker(listener, userns_fd);
		_exit(0);
	}
	return pid < 0 ? err_sys(e, "fork") : 0;
}
