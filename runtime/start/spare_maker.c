/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The maker of spares of one key. It has one at a time and sleeps in poll(2); what it waits for is
 * a start, the end of the spare or of its container, of the image server, and the time to leave.
 */
#include "runtime/start/spare.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/clock.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/cgroup/memory_left.h"
#include "runtime/start/idle_cpu.h"
#include "runtime/kernel/local_socket.h"
#include "runtime/kernel/orphan_fork.h"
#include "runtime/kernel/peer.h"
#include "runtime/settings/paths.h"
#include "runtime/start/container.h"
#include "runtime/start/container_setup.h"
#include "runtime/start/spare_key.h"
#include "runtime/start/spare_place.h"

#define MEMORY_LEFT_MIN (UINT64_C(64) << 20) /* a hundred times what one takes */
#define CALM_MS 20                           /* a start needs the CPUs; its program, too */
#define READY_MS 5000
#define ASK_MS 100
#define BACKLOG 4

struct maker {
	const struct container *of;
	struct container_spec spec; /* of that, without what was its alone */
	struct container spare;
	int take_fd; /* of the spare's main process */
	char name[SPARE_NAME_BYTES];
	int dirfd, lock_fd, listen_fd;
	int signal_fd; /* readable: it is to leave, and does while no start has taken the spare */
	int64_t leave_at_ms;
};

/* --- the socket ---------------------------------------------------------------------------------- */

/* Only where a spare waits is there a socket: no start waits for one that is being made. */
static int begin_listening(struct maker *m, struct err *e)
{
	_close_ int sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct sockaddr_un a;
	int r = local_socket_address(NULL, m->dirfd, m->name, &a, e);

	if (r < 0)
		return r;
	(void)unlinkat(m->dirfd, m->name, 0);
	if (sock < 0 || bind(sock, (const struct sockaddr *)&a, sizeof(a)) < 0 ||
	    listen(sock, BACKLOG) < 0)
		return err_sys(e, "spare: socket");
	m->listen_fd = take_fd(&sock);
	return 0;
}

/* Those that wait at it see the end of their connections, and make their containers. */
static void end_listening(struct maker *m)
{
	if (m->listen_fd >= 0)
		(void)unlinkat(m->dirfd, m->name, 0);
	fd_close(&m->listen_fd);
}

/* --- the spare ----------------------------------------------------------------------------------- */

static void end_spare(struct maker *m)
{
	struct container *c = &m->spare;

	fd_close(&m->take_fd);
	if (c->pid1.pidfd >= 0) {
		(void)syscall(SYS_pidfd_send_signal, c->pid1.pidfd, SIGKILL, NULL, 0);
		while (waitid(P_PIDFD, (id_t)c->pid1.pidfd, NULL, WEXITED | __WALL) < 0 &&
		       errno == EINTR)
			;
	}
	container_done(c);
	container_init(c, &m->spec, m->of->paths);
}

/* Its main process says a byte when it waits. */
static int await_ready(const struct container *c, struct err *e)
{
	struct pollfd p = {.fd = c->status[0], .events = POLLIN};
	char word = 1;

	if (poll(&p, 1, READY_MS) <= 0 || read(c->status[0], &word, 1) != 1 || word)
		return err_set(e, EIO, "spare: it was not made");
	return 0;
}

/* The image, the configuration, our own place may have changed since. */
static int check_key(struct maker *m, struct err *e)
{
	_strbuf_ struct strbuf message = STRBUF_INIT;
	const struct strbuf *key = &m->of->spare.key;
	const struct strbuf *now = &m->spare.spare.key;
	int r = spare_make_key(&m->spare, &message, e);

	if (r >= 0 && (now->len != key->len || memcmp(now->data, key->data, key->len) != 0))
		r = err_set(e, ESTALE, "spare: not the same any more");
	return r;
}

static int make_spare(struct maker *m, struct err *e)
{
	struct container *c = &m->spare;
	int take[2], r;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, take) < 0)
		return err_sys(e, "socketpair");
	m->take_fd = take[0];
	c->is_spare = true;
	c->streams.child[0] = take[1];
	for (int i = 1; i < 3; i++)
		c->streams.child[i] = open("/dev/null", O_RDWR | O_CLOEXEC);
	r = container_prepare(c, false, e);
	if (r >= 0)
		r = check_key(m, e);
	if (r >= 0)
		r = container_launch(c, e);
	if (r >= 0)
		r = await_ready(c, e);
	/* Setting up containers makes it unreadable: the one that takes a spare looks into us. */
	(void)prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
	return r;
}

/* --- a start ------------------------------------------------------------------------------------- */

static bool is_same_caller(int sock)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);

	return getsockopt(sock, SOL_SOCKET, SO_PEERCRED, &peer, &len) == 0 &&
	       peer.uid == geteuid() && spare_may_see(peer.pid) &&
	       peer_check_client(sock, NULL) >= 0;
}

static bool is_same_key(const struct maker *m, int sock)
{
	const struct strbuf *key = &m->of->spare.key;
	static const struct timeval patience = {.tv_usec = ASK_MS * 1000};
	static char text[SPARE_KEY_MAX + 1];
	ssize_t n;

	if (setsockopt(sock, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) < 0)
		return false;
	n = recv(sock, text, sizeof(text), 0);
	return n > 0 && (size_t)n == key->len && !memcmp(text, key->data, key->len);
}

/* A csbx-init that is stopped cannot tell of an end. */
static bool is_stopped(const struct container *c)
{
	siginfo_t si = {0};

	return waitid(P_PIDFD, (id_t)c->pid1.pidfd, &si, WSTOPPED | WNOHANG | WNOWAIT | __WALL) <
		       0 ||
	       si.si_pid;
}

/* The descriptors are the start's alone from here on: their end is its end. */
static bool give(struct maker *m, int sock)
{
	struct container *c = &m->spare;
	struct spare_reply reply = {.magic = SPARE_MAGIC,
				    .server_pid = c->link.server_pid,
				    .pid = c->pid1.pid,
				    .init_is_file = c->link.init_is_file};
	const int fds[SPARE_GIVE_MAX] = {[SPARE_GIVE_TAKE] = m->take_fd,
					 [SPARE_GIVE_CONTROL] = c->control[0],
					 [SPARE_GIVE_PIDFD] = c->pid1.pidfd,
					 [SPARE_GIVE_SERVER] = c->link.sock};
	bool is_given;

	memcpy(reply.server, c->link.server, sizeof(reply.server));
	is_given = fd_send(sock, &reply, sizeof(reply), fds, SPARE_GIVE_MAX, NULL) >= 0;
	if (is_given) {
		fd_close(&m->take_fd);
		fd_close(&c->control[0]);
		fd_close(&c->link.sock);
	}
	return is_given;
}

/* Until its container has ended, or the start has: then that does too. */
static void accompany(struct maker *m, int sock)
{
	struct pollfd p[2] = {{.fd = sock, .events = POLLIN},
			      {.fd = m->spare.pid1.pidfd, .events = POLLIN}};

	while (!p[0].revents && !p[1].revents) {
		if (poll(p, 2, -1) < 0 && errno != EINTR)
			break;
	}
	end_spare(m);
}

/* 1: the spare is gone; 0: it waits on; below 0: time to leave. */
static int serve(struct maker *m)
{
	struct pollfd p[] = {{.fd = m->listen_fd, .events = POLLIN},
			     {.fd = m->spare.pid1.pidfd, .events = POLLIN},
			     {.fd = m->spare.link.sock, .events = POLLIN},
			     {.fd = m->signal_fd, .events = POLLIN}};
	int64_t left_ms = m->leave_at_ms - (int64_t)clock_monotonic_ms();
	_close_ int sock = -1;

	if (left_ms <= 0 || (poll(p, 4, (int)left_ms) < 0 && errno != EINTR) || p[1].revents ||
	    p[2].revents || p[3].revents)
		return -1;
	if (!p[0].revents)
		return 0;
	sock = accept4(m->listen_fd, NULL, NULL, SOCK_CLOEXEC);
	if (sock < 0 || !is_same_caller(sock) || !is_same_key(m, sock))
		return 0;
	if (is_stopped(&m->spare) || !give(m, sock))
		return -1;
	end_listening(m);
	accompany(m, sock);
	return 1;
}

static bool may_make(const struct maker *m)
{
	if (cgroup_memory_left() < MEMORY_LEFT_MIN)
		return false;
	if (m->of->hooks->spares == SPARES_ALWAYS)
		return nanosleep(&(struct timespec){.tv_nsec = CALM_MS * 1000000}, NULL) == 0;
	return idle_cpu_wait(CALM_MS, m->of->paths->linger_ms);
}

static void stay(struct maker *m)
{
	for (;;) {
		int r = 0;

		m->leave_at_ms = (int64_t)clock_monotonic_ms() + m->of->paths->linger_ms;
		if (!may_make(m) || make_spare(m, NULL) < 0 || begin_listening(m, NULL) < 0)
			return;
		while (!r)
			r = serve(m);
		if (r < 0)
			return;
	}
}

/* Another start's arguments and environment do not lie about in the memory of csbx-init. */
static void forget_words(struct maker *m)
{
	static char word[] = "csbx-init", *argv[] = {word, NULL};

	m->spec = *m->of->spec;
	m->spec.proc.argv = (struct strv){.items = argv, .n = 1};
	m->spec.proc.env = (struct strv){0};
}

static _Noreturn void run(const struct container *of)
{
	struct maker m = {.of = of,
			  .take_fd = -1,
			  .dirfd = -1,
			  .lock_fd = -1,
			  .listen_fd = -1,
			  .signal_fd = -1};
	sigset_t all, leave;

	sigfillset(&all);
	(void)prctl(PR_SET_NAME, "csbx-spares");
	spare_key_name(&of->spare.key, m.name);
	fd_keep_only(NULL, 0);
	if (sigprocmask(SIG_SETMASK, &all, NULL) < 0 || setsid() < 0 || chdir("/") < 0)
		_exit(1);
	m.dirfd = spare_place_open(of->paths, NULL);
	m.lock_fd = m.dirfd < 0 ? -1 : spare_place_take(m.dirfd, m.name, NULL);
	if (m.lock_fd < 0)
		_exit(1);
	sigemptyset(&leave);
	sigaddset(&leave, SIGTERM);
	sigaddset(&leave, SIGINT);
	sigaddset(&leave, SIGHUP);
	m.signal_fd = signalfd(-1, &leave, SFD_CLOEXEC);
	forget_words(&m);
	container_init(&m.spare, &m.spec, of->paths);
	stay(&m);
	end_listening(&m);
	end_spare(&m);
	spare_place_leave(m.dirfd, m.name);
	_exit(0);
}

void spare_provide(const struct container *c)
{
	if (c->spare.key.len && orphan_fork(NULL, NULL) == 0)
		run(c);
}
