/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ends the engine that listens on the user's socket. The kernel knows who called listen(2) there,
 * and gives a descriptor of that process: no number in a file has to be believed. systemd listens
 * on a socket of its own, and is not ours to end.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include "cmd/engine/serve/serve.h"
#include "cmd/frame/cmd.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/path.h"
#include "runtime/kernel/file_lock.h"
#include "runtime/kernel/local_socket.h"
#include "runtime/kernel/peer.h"

#define STOP_MS 10000

static int none_listens(const struct cmd *c, struct err *e)
{
	return err_set(e, ESRCH, "no engine listens at unix://%s/" ENGINE_SOCKET, c->paths.runtime);
}

static bool has_lock(int dirfd)
{
	_close_ int fd = openat(dirfd, ENGINE_LOCK, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	return fd >= 0 && file_lock_is_held(fd);
}

static int open_listener(const struct cmd *c, int dirfd, struct err *e)
{
	_close_ int sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct sockaddr_un a;
	int r = sock < 0 ? err_sys(e, "socket")
			 : local_socket_address(c->paths.runtime, dirfd, ENGINE_SOCKET, &a, e);

	if (r < 0)
		return r;
	if (connect(sock, (struct sockaddr *)&a, sizeof(a)) < 0)
		return errno == ENOENT || errno == ECONNREFUSED
			       ? none_listens(c, e)
			       : err_sys(e, "connect to %s/" ENGINE_SOCKET, c->paths.runtime);
	r = peer_check_listener(sock, e);
	if (r < 0)
		return r == -ECONNREFUSED ? none_listens(c, e) : err_wrap(e, ENGINE_SOCKET);
	if (!has_lock(dirfd))
		return err_set(e, EPERM,
			       "the engine at %s/" ENGINE_SOCKET " is systemd's to end: systemctl "
			       "--user stop csbx-engine.socket csbx-engine.service",
			       c->paths.runtime);
	return peer_open_pidfd(sock, e);
}

int engine_stop(const struct cmd *c, struct err *e)
{
	_close_ int dirfd = path_open_private_dir(c->paths.runtime, e), pidfd = -1;
	struct pollfd p = {.events = POLLIN};

	if (dirfd < 0)
		return dirfd;
	p.fd = pidfd = open_listener(c, dirfd, e);
	if (pidfd < 0)
		return pidfd;
	if (syscall(SYS_pidfd_send_signal, pidfd, SIGTERM, NULL, 0) < 0 && errno != ESRCH)
		return err_sys(e, "signal the engine");
	if (poll(&p, 1, STOP_MS) == 0)
		return err_set(e, ETIMEDOUT, "the engine has not ended within %d seconds",
			       STOP_MS / 1000);
	return 0;
}
