/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A stopped server cannot be asked anything. Its pid is that of the process that listens
 * (SO_PEERCRED): as long as our connection stands that process lives, so the pid is no other's.
 */
#include "runtime/life/server_kill.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/base/str.h"
#include "runtime/record/instance.h"
#include "runtime/server/start.h"

#define GONE_MS 2000

/* A container that was published names its server. One that is being started has no answer yet. */
static int refuse_in_use(const struct paths *p, const char *name, struct err *e)
{
	struct instance_list live = {0};
	int r = instance_list(p, NULL, &live, e);

	for (size_t i = 0; r >= 0 && i < live.n; i++) {
		if (str_eq(live.items[i].server, name))
			r = err_set(e, EBUSY, "stopped, but in use by container %s",
				    live.items[i].id);
	}
	instance_list_free(&live);
	return r < 0 ? r : 0;
}

static bool is_server(pid_t pid)
{
	_strbuf_ struct strbuf name = STRBUF_INIT;
	_close_ int fd = -1;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd >= 0 && io_read_all(fd, 64, &name, NULL) >= 0 &&
	       str_eq(strbuf_str(&name), "csbx-squashd\n");
}

/* A connection to the dead is at its end. */
static bool still_stands(int sock)
{
	struct pollfd p = {.fd = sock, .events = POLLIN};

	return poll(&p, 1, 0) == 0;
}

int server_kill_stopped(const struct paths *paths, int dirfd, const char *name, struct err *e)
{
	_close_ int sock = squashd_connect(NULL, dirfd, name, e), pidfd = -1;
	socklen_t len = sizeof(struct ucred);
	struct ucred peer;
	struct pollfd p;
	int r;

	if (sock < 0)
		return sock;
	if (getsockopt(sock, SOL_SOCKET, SO_PEERCRED, &peer, &len) < 0)
		return err_sys(e, "peer of image server socket");
	r = refuse_in_use(paths, name, e);
	if (r < 0)
		return r;
	pidfd = (int)syscall(SYS_pidfd_open, peer.pid, 0);
	if (pidfd < 0)
		return err_sys(e, "image server (pid %d)", (int)peer.pid);
	if (!is_server(peer.pid) || !still_stands(sock))
		return err_set(e, ESRCH, "image server (pid %d): not the one who listens",
			       (int)peer.pid);
	if (syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0) < 0)
		return err_sys(e, "kill image server (pid %d)", (int)peer.pid);
	p = (struct pollfd){.fd = pidfd, .events = POLLIN};
	return poll(&p, 1, GONE_MS) == 1
		       ? 0
		       : err_set(e, ETIMEDOUT, "image server (pid %d): killed, but not gone",
				 (int)peer.pid);
}
