/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process is held by its pidfd while it is looked at. SO_PEERPIDFD (Linux 6.5) gives that of the
 * process that connected or listened; before it there is only the number of SO_PEERCRED, which may
 * be another process's by the time it is opened. The numbers of a machine would have to come round
 * once between the connect(2) and the look.
 */
#include "runtime/kernel/peer.h"

#include <fcntl.h>
#include <linux/nsfs.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/kernel/process_ns.h"

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif
#define MNTNS_ID _IOR(0xb7, 5, uint64_t) /* NS_GET_MNTNS_ID, Linux 6.10 */

#define INFO_BYTES 4096 /* of /proc/self/fdinfo/N, of /proc/PID/status */

struct peer {
	int pidfd;
	pid_t pid;
};

int peer_own_userns(struct err *e)
{
	int fd = process_ns_own(PROCESS_NS_USER);

	return fd < 0 ? err_code(e, -fd, "own user namespace") : fd;
}

static int peer_open(int sock, struct peer *ret, struct err *e)
{
	struct ucred cred;
	socklen_t len = sizeof(cred), fd_len = sizeof(ret->pidfd);

	if (getsockopt(sock, SOL_SOCKET, SO_PEERCRED, &cred, &len) < 0)
		return err_sys(e, "peer of a socket");
	ret->pid = cred.pid;
	if (getsockopt(sock, SOL_SOCKET, SO_PEERPIDFD, &ret->pidfd, &fd_len) == 0)
		return 0;
	if (errno != ENOPROTOOPT)
		return err_set(e, ESRCH, "the process at the other end of the socket has gone");
	ret->pidfd = (int)syscall(SYS_pidfd_open, cred.pid, 0);
	return ret->pidfd < 0 ? err_sys(e, "process %d at the other end of the socket", cred.pid)
			      : 0;
}

int peer_open_pidfd(int sock, struct err *e)
{
	struct peer p;
	int r = peer_open(sock, &p, e);

	return r < 0 ? r : p.pidfd;
}

static bool is_alive(const struct peer *p)
{
	return syscall(SYS_pidfd_send_signal, p->pidfd, 0, NULL, 0) == 0;
}

static int userns_of(const struct peer *p)
{
	return process_ns(p->pidfd, p->pid, PROCESS_NS_USER);
}

static bool is_same(int a, int b)
{
	struct stat x, y;

	return fstat(a, &x) == 0 && fstat(b, &y) == 0 && x.st_dev == y.st_dev &&
	       x.st_ino == y.st_ino;
}

static bool is_child(int userns, int own)
{
	_close_ int parent = ioctl(userns, NS_GET_PARENT);

	return parent >= 0 && is_same(parent, own);
}

static int check_client(int sock, bool may_be_child, struct err *e)
{
	_close_ int own = peer_own_userns(e), its = -1;
	struct peer p;
	int r = own < 0 ? own : peer_open(sock, &p, e);

	if (r < 0)
		return r;
	its = userns_of(&p);
	close(p.pidfd);
	if (its >= 0 && (is_same(its, own) || (may_be_child && is_child(its, own))))
		return 0;
	return err_set(e, EPERM, "process %d is in another user namespace", p.pid);
}

int peer_check_client(int sock, struct err *e)
{
	return check_client(sock, false, e);
}

int peer_check_outside(int sock, struct err *e)
{
	return check_client(sock, true, e);
}

/* --- the listener ------------------------------------------------------------------------- */

/* The count of numbers in line "NSpid:": one for each pid namespace from that of /proc on down. */
static unsigned count_numbers(const char *path)
{
	_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	char text[INFO_BYTES];
	ssize_t len = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	const char *line;
	unsigned n = 0;

	text[len > 0 ? len : 0] = 0;
	line = strstr(text, "\nNSpid:");
	if (!line)
		return 0;
	for (line += 7; *line == '\t' || *line == ' '; n++) {
		line += strspn(line, "\t ");
		line += strcspn(line, "\t \n");
	}
	return n;
}

/*
 * The pidfd's own file tells it race-free; it is closed to a process that is not dumpable, as csbx
 * is once it has started a container. 0: it cannot be told.
 */
static unsigned pid_depth(const struct peer *p)
{
	char path[48];
	unsigned n;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", p->pidfd);
	n = count_numbers(path);
	if (n)
		return n;
	snprintf(path, sizeof(path), "/proc/%d/status", p->pid);
	n = count_numbers(path);
	return is_alive(p) ? n : 0;
}

/* The caller's /proc may be that of a pid namespace above its own. */
static bool is_below(const struct peer *p)
{
	unsigned its = pid_depth(p);

	return its > 1 && its > count_numbers("/proc/self/status");
}

/*
 * In the caller's own user namespace is no container, and its pid namespace need not be looked at.
 * While it starts, the image server is in A and its user namespace can be told; then no longer.
 */
static bool is_in_container(const struct peer *p)
{
	_close_ int its = userns_of(p), own = its < 0 ? -1 : peer_own_userns(NULL);

	if (own >= 0 && is_same(its, own))
		return false;
	return is_below(p) || (own >= 0 && !is_child(its, own));
}

/*
 * Nothing can be told of a process that has ended, and another may have its socket: a fork of it,
 * which accepts where that has listened. None of csbx's own listeners ends before those who accept.
 */
static bool has_ended(const struct peer *p)
{
	struct pollfd end = {.fd = p->pidfd, .events = POLLIN};

	return poll(&end, 1, 0) > 0;
}

int peer_check_listener(int sock, struct err *e)
{
	struct peer p;
	int r = peer_open(sock, &p, e);
	bool is_inside, is_gone;

	if (r < 0)
		return r;
	is_inside = is_in_container(&p);
	is_gone = has_ended(&p); /* what was told before is of one that was there */
	close(p.pidfd);
	if (is_inside)
		return err_set(e, EPERM,
			       "a process inside a container (pid %d) listens in place of csbx: a "
			       "mount must have shown it this directory; end it",
			       p.pid);
	if (is_gone)
		return err_set(e, ECONNREFUSED,
			       "the process that listened there (pid %d) has ended", p.pid);
	return 0;
}

int peer_check_child(int userns_fd, int own_fd, struct err *e)
{
	return is_child(userns_fd, own_fd)
		       ? 0
		       : err_set(e, EPERM, "a user namespace that csbx has not made here");
}

uint64_t peer_own_mounts_id(void)
{
	_close_ int fd = process_ns_own(PROCESS_NS_MNT);
	uint64_t id;
	struct stat st;

	if (fd < 0)
		return 0;
	if (ioctl(fd, MNTNS_ID, &id) == 0)
		return id;
	return fstat(fd, &st) == 0 ? st.st_ino : 0;
}
