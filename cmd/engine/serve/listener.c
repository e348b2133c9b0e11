/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/engine/serve/serve.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>

#include "cmd/engine/http/http.h"
#include "cmd/frame/cmd.h"
#include "runtime/base/clock.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/num.h"
#include "runtime/base/path.h"
#include "runtime/base/str.h"
#include "runtime/kernel/file_lock.h"
#include "runtime/kernel/local_socket.h"
#include "runtime/kernel/peer.h"
#include "runtime/record/engine_dir.h"
#include "runtime/settings/paths.h"

#define BACKLOG 1024
#define NEW_SOCKET ENGINE_SOCKET ".new"
#define GIVEN_FD 3
#define NO_DESCRIPTORS_MS 100
#define LINGER_MS 500
#define CONNECT_S 5

char *engine_socket_path(const struct cmd *c)
{
	return str_printf("%s/" ENGINE_SOCKET, c->paths.runtime);
}

/* --- the socket ----------------------------------------------------------------------------- */

/*
 * 1: an engine or systemd, which takes no lock. A program in a container that a mount shows the
 * directory may have put a socket of its own there, and a lock: clients would tell it all that they
 * tell an engine.
 */
static int is_listened_on(int dirfd, struct err *e)
{
	_close_ int sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	static const struct timeval timeout = {.tv_sec = CONNECT_S};
	struct sockaddr_un a;
	int r = sock < 0 ? err_sys(e, "socket")
			 : local_socket_address(NULL, dirfd, ENGINE_SOCKET, &a, e);

	if (r < 0)
		return r;
	if (setsockopt(sock, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout)) < 0)
		return err_sys(e, "socket timeout");
	if (connect(sock, (struct sockaddr *)&a, sizeof(a)) < 0)
		return errno != EAGAIN ? 0
				       : err_set(e, ETIMEDOUT,
						 "what listens at " ENGINE_SOCKET
						 " takes no connections: stopped?");
	r = peer_check_listener(sock, e);
	return r == -ECONNREFUSED ? 0 : r < 0 ? err_wrap(e, ENGINE_SOCKET) : 1;
}

static int take_lock(struct engine_listener *l, struct err *e)
{
	bool is_locked;
	int r;

	l->lock_fd = openat(l->dirfd, ENGINE_LOCK,
			    O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	if (l->lock_fd < 0)
		return err_sys(e, "open " ENGINE_LOCK);
	is_locked = file_lock_try(l->lock_fd, true) < 0;
	r = is_listened_on(l->dirfd, e);
	if (r < 0)
		return r;
	if (r || is_locked)
		return err_set(e, EADDRINUSE, "another csbx engine of yours listens there");
	return 0;
}

/*
 * Around a command: a socket of its own, so that engines around other commands and one that stays
 * do not hang on each other's end.
 */
int engine_listen_own(const struct cmd *c, struct engine_listener *ret, struct err *e)
{
	_close_ int lock = -1;
	struct sockaddr_un a;
	mode_t mask;
	int r;

	*ret = (struct engine_listener)ENGINE_LISTENER_INIT;
	snprintf(ret->name, sizeof(ret->name), "cmd.%d", (int)getpid());
	ret->dirfd = paths_open(c->paths.runtime, ENGINE_DIR, e);
	r = lock = ret->dirfd < 0 ? ret->dirfd : engine_dir_lock(ret->dirfd, false, e);
	if (r >= 0)
		r = local_socket_address(NULL, ret->dirfd, ret->name, &a, e);
	if (r >= 0) {
		(void)unlinkat(ret->dirfd, ret->name, 0);
		ret->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		mask = umask(0177);
		if (ret->fd < 0 || bind(ret->fd, (struct sockaddr *)&a, sizeof(a)) < 0 ||
		    listen(ret->fd, BACKLOG) < 0)
			r = err_sys(e, "listen");
		umask(mask);
	}
	if (r < 0)
		engine_listener_close(ret);
	return r;
}

/* Under another name first: a client that finds the socket finds it open and listening. */
static int bind_socket(struct engine_listener *l, const char *dir, struct err *e)
{
	struct sockaddr_un a;
	mode_t mask;
	int r = local_socket_address(dir, l->dirfd, NEW_SOCKET, &a, e);

	if (r < 0)
		return r;
	l->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (l->fd < 0)
		return err_sys(e, "socket");
	(void)unlinkat(l->dirfd, NEW_SOCKET, 0);
	mask = umask(0177);
	r = bind(l->fd, (struct sockaddr *)&a, sizeof(a)) < 0 ? err_sys(e, "bind") : 0;
	umask(mask);
	if (r >= 0 && listen(l->fd, BACKLOG) < 0)
		r = err_sys(e, "listen");
	if (r >= 0 && renameat(l->dirfd, NEW_SOCKET, l->dirfd, ENGINE_SOCKET) < 0)
		r = err_sys(e, "name the socket");
	return r;
}

int engine_listen(const struct cmd *c, struct engine_listener *ret, struct err *e)
{
	int r;

	*ret = (struct engine_listener)ENGINE_LISTENER_INIT;
	ret->dirfd = path_open_private_dir(c->paths.runtime, e);
	if (ret->dirfd < 0)
		return ret->dirfd;
	r = take_lock(ret, e);
	if (r >= 0)
		r = bind_socket(ret, c->paths.runtime, e);
	if (r >= 0)
		snprintf(ret->name, sizeof(ret->name), ENGINE_SOCKET);
	if (r < 0 && ret->fd >= 0)
		(void)unlinkat(ret->dirfd, NEW_SOCKET, 0);
	if (r < 0)
		fd_close(&ret->fd);
	if (r < 0)
		engine_listener_close(ret);
	return r;
}

int engine_listen_again(const struct engine_listener *l)
{
	return listen(l->fd, BACKLOG);
}

int engine_listen_given(struct engine_listener *ret, struct err *e)
{
	const char *pid = getenv("LISTEN_PID"), *fds = getenv("LISTEN_FDS");
	struct sockaddr_un a;
	socklen_t len = sizeof(a);
	uint64_t n;
	int listens = 0;
	socklen_t listens_len = sizeof(listens);

	*ret = (struct engine_listener)ENGINE_LISTENER_INIT;
	if (!pid || !fds || num_parse_u64(pid, INT32_MAX, &n) < 0 || n != (uint64_t)getpid())
		return 0;
	if (num_parse_u64(fds, 1000, &n) < 0 || n != 1)
		return err_set(e, EINVAL, "LISTEN_FDS=%s: one socket is expected", fds);
	if (getsockname(GIVEN_FD, (struct sockaddr *)&a, &len) < 0 || a.sun_family != AF_UNIX ||
	    getsockopt(GIVEN_FD, SOL_SOCKET, SO_ACCEPTCONN, &listens, &listens_len) < 0 || !listens)
		return err_set(e, EINVAL,
			       "LISTEN_FDS: descriptor 3 is no local socket that listens");
	if (fcntl(GIVEN_FD, F_SETFD, FD_CLOEXEC) < 0 || fcntl(GIVEN_FD, F_SETFL, O_NONBLOCK) < 0)
		return err_sys(e, "LISTEN_FDS");
	unsetenv("LISTEN_PID");
	unsetenv("LISTEN_FDS");
	unsetenv("LISTEN_FDNAMES");
	ret->fd = GIVEN_FD;
	ret->idle_ms = ENGINE_IDLE_MS;
	return 1;
}

void engine_listener_close(struct engine_listener *l)
{
	if (l->fd >= 0 && *l->name)
		(void)unlinkat(l->dirfd, l->name, 0);
	fd_close(&l->fd);
	fd_close(&l->lock_fd);
	fd_close(&l->dirfd);
	fd_close(&l->signal_fd);
}

/* --- connections ---------------------------------------------------------------------------- */

static bool is_ours(int fd)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) == 0 && peer.uid == geteuid();
}

/* Said without a word of what was asked, which is not read. */
static void turn_away(int fd, int status, const char *message)
{
	_free_ char *text =
		str_printf("HTTP/1.1 %d %s\r\nContent-Type: application/json\r\n"
			   "Content-Length: %zu\r\nConnection: close\r\n\r\n"
			   "{\"message\":\"%s\"}",
			   status, http_status_text(status), strlen(message) + 14, message);

	if (text)
		(void)send(fd, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT);
}

/*
 * A client writes its request before it reads the answer: on a socket that is closed already it would
 * meet EPIPE and never read why. csbx throws away the bytes it sends.
 */
static void linger(int fd)
{
	const uint64_t end = clock_monotonic_ms() + LINGER_MS;
	struct pollfd p = {.fd = fd, .events = POLLIN};
	char text[4096];

	(void)shutdown(fd, SHUT_WR);
	for (uint64_t now = clock_monotonic_ms(); now < end; now = clock_monotonic_ms()) {
		if (poll(&p, 1, (int)(end - now)) > 0 &&
		    recv(fd, text, sizeof(text), MSG_DONTWAIT) <= 0)
			return;
	}
}

static void leave_listener(struct engine_listener *l)
{
	sigset_t none;

	sigemptyset(&none);
	/* A session of its own: the terminal's signals are for the listener. */
	(void)setsid();
	fd_close(&l->fd);
	workers_forget(l);
	fd_close(&l->lock_fd);
	fd_close(&l->dirfd);
	fd_close(&l->signal_fd);
	signal(SIGCHLD, SIG_DFL);
	signal(SIGPIPE, SIG_IGN);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* True: the process can serve another. */
static bool serve_connection(struct cmd *c, int fd, int channel)
{
	if (peer_check_outside(fd, NULL) >= 0)
		return engine_connection(c, fd, channel);
	turn_away(fd, 403, "csbx engine serves no program inside a container");
	linger(fd);
	return false;
}

static _Noreturn void wait_and_serve(struct cmd *c, struct engine_listener *l, int channel)
{
	bool goes_on = true;
	int fd;

	leave_listener(l);
	for (unsigned n = 0; goes_on && (fd = worker_wait(channel, n > 0)) >= 0;) {
		goes_on = serve_connection(c, fd, channel);
		close(fd);
		/* Once it has said that it is free a connection may be on its way. */
		goes_on = goes_on && ++n < WORKER_SERVES && worker_is_free(channel);
	}
	_exit(0);
}

static pid_t fork_for(struct cmd *c, struct engine_listener *l, int fd)
{
	pid_t child = fork();

	if (!child) {
		leave_listener(l);
		(void)serve_connection(c, fd, -1);
		_exit(0);
	}
	return child;
}

static void accept_one(struct cmd *c, struct engine_listener *l)
{
	_close_ int fd = accept4(l->fd, NULL, NULL, SOCK_CLOEXEC);

	/* Without a descriptor for it the next poll would report it again at once. */
	if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM))
		(void)poll(NULL, 0, NO_DESCRIPTORS_MS);
	if (fd < 0 || !is_ours(fd))
		return;
	if (l->n_children >= l->max_children) {
		turn_away(fd, 503, "too many connections");
		return;
	}
	if (!workers_give(l, fd) && fork_for(c, l, fd) < 0)
		turn_away(fd, 503, "too many connections");
	else
		l->n_children++;
}

/* --- the loop ------------------------------------------------------------------------------- */

static bool reap(struct engine_listener *l)
{
	bool command_ended = false;
	pid_t pid;
	int status;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (workers_ended(l, pid))
			continue;
		if (pid != l->command) {
			l->n_children -= l->n_children > 0;
			continue;
		}
		l->command_status = status;
		l->command = 0;
		command_ended = true;
	}
	return command_ended;
}

/* True: it is to end. */
static bool take_signal(struct engine_listener *l)
{
	struct signalfd_siginfo si;
	bool ends = false;

	while (read(l->signal_fd, &si, sizeof(si)) == sizeof(si)) {
		if (si.ssi_signo == SIGCHLD)
			continue;
		/* With a command it is the command that ends, and we with it. */
		if (l->command)
			(void)kill(l->command, (int)si.ssi_signo);
		else
			ends = true;
	}
	return reap(l) || ends;
}

int engine_take_signals(struct engine_listener *l, struct err *e)
{
	static const int ours[] = {SIGCHLD, SIGTERM, SIGINT, SIGHUP};
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++) {
		signal(ours[i], SIG_DFL);
		sigaddset(&set, ours[i]);
	}
	signal(SIGPIPE, SIG_IGN);
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
		return err_sys(e, "block signals");
	l->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return l->signal_fd < 0 ? err_sys(e, "signalfd") : 0;
}

/* After which there is something to do even if nothing comes; -1: never. */
static int quiet_ms(const struct engine_listener *l)
{
	if (workers_surplus(l))
		return WORKERS_QUIET_MS;
	return l->n_children ? -1 : l->idle_ms;
}

int engine_serve(struct cmd *c, struct engine_listener *l, struct err *e)
{
	bool ends = false;
	int r = 0;

	l->max_children = ENGINE_CONNECTIONS_MAX;
	tzset(); /* once, and not in each process that writes a date */
	while (r >= 0 && !ends) {
		struct pollfd p[2 + WORKERS_MAX] = {{.fd = l->signal_fd, .events = POLLIN},
						    {.fd = l->fd, .events = POLLIN}};
		int n;

		if (l->n_children < l->max_children)
			workers_prepare(c, l, wait_and_serve);
		n = poll(p, 2 + workers_poll(l, p + 2), quiet_ms(l));
		if (n < 0 && errno != EINTR)
			r = err_sys(e, "poll");
		else if (n == 0 && workers_surplus(l))
			workers_shrink(l);
		else if (n == 0)
			ends = true;
		if (n <= 0)
			continue;
		workers_heard(l, p + 2);
		if (p[0].revents)
			ends = take_signal(l);
		else if (p[1].revents)
			accept_one(c, l);
	}
	workers_end(l);
	return r;
}
