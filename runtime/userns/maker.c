/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/userns/maker.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"

#define SOCK_FD 3

static void tell(const struct err *e, const int *fd)
{
	(void)fd_send_patient(SOCK_FD, e, sizeof(*e), fd, fd ? 1 : 0, NULL);
}

/* The mappers must run in the parent namespace: they are forked there, and wait for ours. */
static int make(const struct id_map *map, struct userns_mappers *mappers, struct err *e)
{
	_close_ int go_rd = -1, go_wr = -1;
	int go[2], r;

	if (pipe2(go, O_CLOEXEC) < 0)
		return err_sys(e, "pipe");
	go_rd = go[0];
	go_wr = go[1];
	r = userns_mappers_start(getpid(), map, go, mappers, e);
	if (r < 0)
		return r;
	if (unshare(CLONE_NEWUSER) < 0)
		return err_sys(e, "make user namespace");
	return io_write_all(go_wr, "ug", 2, e);
}

static int tell_made(struct err *e)
{
	_close_ int fd = open("/proc/self/ns/user", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return err_sys(e, "open user namespace");
	tell(e, &fd);
	return 0;
}

/*
 * No descriptor of our parent's stays: a process that waits for their end must not wait for us.
 */
static void be_maker(const struct id_map *map, int sock)
{
	struct userns_mappers mappers = USERNS_MAPPERS_INIT;
	struct err e = ERR_INIT;
	int r;

	fd_keep_only(&sock, 1);
	r = make(map, &mappers, &e);
	if (r >= 0)
		r = tell_made(&e);
	(void)userns_mappers_finish(&mappers, r < 0 ? NULL : &e);
	tell(&e, NULL);
}

int userns_maker_start(const struct id_map *map)
{
	int pair[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	pid = fork();
	if (!pid) {
		be_maker(map, pair[1]);
		_exit(0);
	}
	close(pair[1]);
	if (pid > 0)
		return pair[0];
	close(pair[0]);
	return -EAGAIN;
}

static int hear(int sock, int *fd, struct err *e)
{
	struct err said;
	ssize_t n = fd_recv(sock, &said, sizeof(said), fd, fd ? 1 : 0, e);

	if (n >= 0 && n != (ssize_t)sizeof(said))
		return err_set(e, ECHILD, "make user namespace: its maker was killed");
	if (n < 0)
		return (int)n;
	if (!said.code)
		return 0;
	if (e)
		*e = said;
	return -said.code;
}

int userns_maker_take(int sock, int *ret_userns_fd, struct err *e)
{
	int r = hear(sock, ret_userns_fd, e);

	return r >= 0 && *ret_userns_fd < 0 ? err_set(e, EPROTO, "no user namespace") : r;
}

int userns_maker_finish(int sock, struct err *e)
{
	return hear(sock, NULL, e);
}
