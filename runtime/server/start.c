/* SPDX-License-Identifier: Apache-2.0 */

/*
 * However many starts want the same server at once, one makes it: under the lock of servers/ it
 * binds a socket to a temporary name, listens, and renames it to the key's name. From then on the
 * others connect and queue their requests on it, though the server has not been exec'd yet. A
 * socket left by a dead server refuses connections and is replaced by the same rename.
 */
#include "runtime/server/start.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/kernel/local_socket.h"
#include "runtime/kernel/peer.h"
#include "runtime/userns/maker.h"

#define BACKLOG 4096 /* the kernel cuts it to net.core.somaxconn */
#define TARGET_FD 3
#define FDS_MAX 8

int squashd_connect(const char *dir, int dirfd, const char *name, struct err *e)
{
	/* Also bounds connect(2) itself: it waits while the backlog of a stopped server is full. */
	static const struct timeval timeout = {.tv_sec = 5};
	_close_ int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	struct sockaddr_un a;
	struct ucred peer;
	socklen_t len = sizeof(peer);
	int r;

	if (fd < 0)
		return err_sys(e, "socket");
	r = local_socket_address(dir, dirfd, name, &a, e);
	if (r < 0)
		return r;
	if (setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout)) < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout)) < 0)
		return err_sys(e, "socket timeout");
	while (connect(fd, (struct sockaddr *)&a, sizeof(a)) < 0) {
		if (errno == EAGAIN)
			return err_from(
				ERR_IMAGE_SERVER, e,
				err_set(e, ETIMEDOUT,
					"the image server takes no connections: stopped? (csbx gc "
					"--servers ends an idle one)"));
		if (errno != EINTR)
			return err_from(ERR_IMAGE_SERVER, e, err_sys(e, "connect to image server"));
	}
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) < 0)
		return err_from(ERR_IMAGE_SERVER, e, err_sys(e, "peer of image server socket"));
	if (peer.uid != geteuid())
		return err_from(ERR_IMAGE_SERVER, e,
				err_set(e, EPERM, "the image server's socket belongs to user %u",
					peer.uid));
	r = peer_check_listener(fd, e);
	if (r < 0)
		return err_from(ERR_IMAGE_SERVER, e, err_wrap(e, "image server %s", name));
	return take_fd(&fd);
}

/* The directory itself is what is locked: nothing more lies about in it. */
int squashd_lock(int dirfd, struct err *e)
{
	_close_ int fd = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return err_sys(e, "open servers");
	if (flock(fd, LOCK_EX | LOCK_NB) < 0)
		return err_sys(e, "lock servers");
	return take_fd(&fd);
}

static int publish(int dirfd, const char *name, struct err *e)
{
	_close_ int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	struct sockaddr_un a;
	uint64_t random;
	char tmp[SQUASHD_NAME_MAX];
	int r;

	if (fd < 0)
		return err_sys(e, "socket");
	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		return err_sys(e, "random name");
	snprintf(tmp, sizeof(tmp), ".tmp-%016llx", (unsigned long long)random);
	r = local_socket_address(NULL, dirfd, tmp, &a, e);
	if (r < 0)
		return r;
	if (bind(fd, (struct sockaddr *)&a, sizeof(a)) < 0)
		return err_from(ERR_IMAGE_SERVER, e, err_sys(e, "bind image server socket"));
	if (listen(fd, BACKLOG) < 0 || renameat(dirfd, tmp, dirfd, name) < 0) {
		r = err_from(ERR_IMAGE_SERVER, e, err_sys(e, "publish image server socket"));
		unlinkat(dirfd, tmp, 0);
		return r;
	}
	return take_fd(&fd);
}

/* On exec; descriptors that csbx's own caller left open must not live on in a server. */
static void close_from(int first)
{
	long max = sysconf(_SC_OPEN_MAX);

	if (!syscall(SYS_close_range, first, ~0U, CLOSE_RANGE_CLOEXEC))
		return;
	for (int fd = first; fd < max; fd++)
		(void)fcntl(fd, F_SETFD, FD_CLOEXEC);
}

/* In the child: sources are first moved out of the way of the targets. */
static int place_fds(const struct squashd_exec *x, int status_fd)
{
	int moved[FDS_MAX], out = -1, null, status;

	for (int i = 0; i < x->n_fds; i++) {
		moved[i] = fcntl(x->fds[i], F_DUPFD_CLOEXEC, TARGET_FD + FDS_MAX + 1);
		if (moved[i] < 0)
			return -1;
	}
	if (x->out_fd >= 0) {
		out = fcntl(x->out_fd, F_DUPFD_CLOEXEC, TARGET_FD + FDS_MAX + 1);
		if (out < 0)
			return -1;
	}
	status = fcntl(status_fd, F_DUPFD_CLOEXEC, TARGET_FD + FDS_MAX + 1);
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (status < 0 || null < 0)
		return -1;
	if (dup2(null, 0) < 0 || dup2(out >= 0 ? out : null, 1) < 0 || dup2(null, 2) < 0)
		return -1;
	for (int i = 0; i < x->n_fds; i++) {
		if (dup2(moved[i], TARGET_FD + i) < 0)
			return -1;
	}
	close_from(TARGET_FD + x->n_fds);
	return status;
}

static void exec_child(const struct squashd_exec *x, int status_fd)
{
	static char *const no_env[] = {NULL};
	int code, fd = place_fds(x, status_fd);

	/* A number that the limit of open files leaves out (fcntl(2), dup2(2)). */
	if (fd < 0 && (errno == EINVAL || errno == EBADF))
		errno = EMFILE;
	if (fd >= 0 && !chdir("/"))
		execve(x->program, (char *const *)x->argv, no_env);
	code = errno;
	if (write(fd >= 0 ? fd : status_fd, &code, sizeof(code)) < 0)
		_exit(126);
	_exit(127);
}

/* Two forks: the server must not become a zombie of csbx's caller, nor get his signals. */
static void detached_child(struct squashd_exec *x, int status_fd)
{
	int code = 0;
	pid_t pid = -1;

	setsid();
	if (x->before)
		code = -x->before(x);
	if (!code) {
		pid = fork();
		code = errno;
	}
	if (!pid)
		exec_child(x, status_fd);
	if (pid < 0 && write(status_fd, &code, sizeof(code)) < 0)
		_exit(126);
	_exit(0);
}

pid_t squashd_run(struct squashd_exec *x, struct err *e)
{
	_close_ int rd = -1, wr = -1;
	int fds[2], code = 0;
	ssize_t n;
	pid_t pid;

	if (x->n_fds > FDS_MAX)
		return err_set(e, E2BIG, "too many descriptors");
	if (pipe2(fds, O_CLOEXEC) < 0)
		return err_sys(e, "pipe");
	rd = fds[0];
	wr = fds[1];
	/* Inherited as ignored, it would make the kernel throw the exit status away. */
	signal(SIGCHLD, SIG_DFL);
	pid = fork();
	if (pid < 0)
		return err_sys(e, "fork");
	if (!pid) {
		if (x->detach)
			detached_child(x, wr);
		exec_child(x, wr);
	}
	fd_close(&wr);
	do {
		n = read(rd, &code, sizeof(code));
	} while (n < 0 && errno == EINTR);
	if (x->detach || n > 0) {
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
		pid = 0;
	}
	if (n > 0)
		return err_code(e, code, "exec %s", x->program);
	return pid;
}

struct server_exec {
	struct squashd_exec exec; /* first */
	int fds[SQUASHD_FDS_AT_START_MAX];
	const struct id_map *map;
};

/* A takes longer to make than the server to start; the server hears of a failure and tells it. */
static int make_userns(struct squashd_exec *x)
{
	struct server_exec *s = (struct server_exec *)x;
	int sock;

	if (id_map_is_one(s->map))
		return 0;
	sock = userns_maker_start(s->map);
	if (sock < 0)
		return sock;
	s->fds[x->n_fds++] = sock;
	return 0;
}

int squashd_spawn(const struct squashd_start *s, struct err *e)
{
	static const char *const argv[] = {"csbx-squashd", "--serve", NULL};
	_close_ int listener = publish(s->dirfd, s->boot->name, e);
	_close_ int boot_rd = -1, boot_wr = -1;
	struct server_exec x;
	int pipe_fds[2];
	pid_t pid;

	if (listener < 0)
		return listener;
	if (pipe2(pipe_fds, O_CLOEXEC) < 0)
		return err_sys(e, "pipe");
	boot_rd = pipe_fds[0];
	boot_wr = pipe_fds[1];
	/* Fits any pipe (PIPE_BUF): no reader is needed yet. */
	if (write(boot_wr, s->boot, sizeof(*s->boot)) != (ssize_t)sizeof(*s->boot))
		return err_sys(e, "write to pipe");
	x = (struct server_exec){.map = &s->boot->key.map};
	x.fds[SQUASHD_FD_AT_START_LISTEN - TARGET_FD] = listener;
	x.fds[SQUASHD_FD_AT_START_BOOT - TARGET_FD] = boot_rd;
	x.fds[SQUASHD_FD_AT_START_IMAGE - TARGET_FD] = s->image_fd;
	x.fds[SQUASHD_FD_AT_START_INIT - TARGET_FD] = s->init_fd;
	x.fds[SQUASHD_FD_AT_START_DIR - TARGET_FD] = s->dirfd;
	x.exec = (struct squashd_exec){.program = s->program,
				       .argv = argv,
				       .fds = x.fds,
				       .n_fds = SQUASHD_FD_AT_START_MAKER - TARGET_FD,
				       .out_fd = -1,
				       .detach = true,
				       .before = make_userns};
	pid = squashd_run(&x.exec, e);
	if (pid < 0)
		unlinkat(s->dirfd, s->boot->name, 0);
	return pid < 0 ? pid : 0;
}
