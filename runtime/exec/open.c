/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reaching the supervisor of an instance. Its socket is there once somebody has asked; the first
 * one asks by a signal to its pidfd. The instance's lock is looked at again after the pidfd was
 * opened: as long as it is held, the pid in the record is the supervisor's. A socket where a
 * process listens needs neither: the id is that of one instance only.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/clock.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/exec/client.h"
#include "runtime/exec/proto.h"
#include "runtime/helpers/init/abi/msg_check.h"
#include "runtime/record/instance.h"
#include "runtime/kernel/local_socket.h"
#include "runtime/kernel/peer.h"
#include "runtime/settings/paths.h"

#define ANSWER_MS 5000

static int ended(struct err *e)
{
	return err_set(e, ESRCH, "not running");
}

static int silent(struct err *e)
{
	return err_set(e, ETIMEDOUT, "its supervisor does not answer (stopped by a signal?)");
}

/* Where the supervisor is reached: its socket's name, and the process once it has to be woken. */
struct way {
	const struct instance_record *rec;
	bool is_ahead, detached;
	struct sockaddr_un address;
	int dirfd, pidfd;
};

static int open_supervisor(struct way *w, struct err *e)
{
	if (w->pidfd < 0)
		w->pidfd = (int)syscall(SYS_pidfd_open, w->rec->supervisor, 0);
	if (w->pidfd < 0)
		return errno == ESRCH ? ended(e) : err_sys(e, "pidfd_open");
	return instance_is_live(w->dirfd, w->rec->id) ? 0 : ended(e);
}

static int wake_supervisor(struct way *w, struct err *e)
{
	int r = open_supervisor(w, e);

	if (r >= 0 && syscall(SYS_pidfd_send_signal, w->pidfd, EXEC_WAKE_SIGNAL, NULL, 0) < 0)
		r = errno == ESRCH ? ended(e) : err_sys(e, "wake the supervisor");
	return r;
}

/* Connects, waking the supervisor when it does not listen yet. */
static int reach(struct way *w, struct err *e)
{
	static const struct timespec pause = {.tv_nsec = 100000};
	_close_ int sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	static const struct timeval timeout = {.tv_sec = ANSWER_MS / 1000};
	const uint64_t deadline_ms = clock_monotonic_ms() + ANSWER_MS;
	bool woken = false;

	if (sock < 0 || setsockopt(sock, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout)) < 0)
		return err_sys(e, "socket");
	while (clock_monotonic_ms() < deadline_ms) {
		struct pollfd p = {.events = POLLIN};
		int r = 0;

		if (connect(sock, (struct sockaddr *)&w->address, sizeof(w->address)) == 0)
			return take_fd(&sock);
		if (errno != ENOENT && errno != ECONNREFUSED)
			return errno == EAGAIN ? silent(e) : err_sys(e, "connect");
		if (!woken)
			r = wake_supervisor(w, e);
		if (r < 0)
			return r;
		woken = true;
		p.fd = w->pidfd;
		if (ppoll(&p, 1, &pause, NULL) > 0)
			return ended(e);
	}
	return silent(e);
}

static int map_start(int fd, struct exec_link *l, struct err *e)
{
	off_t bytes = lseek(fd, 0, SEEK_END);
	void *p;
	int r;

	if (bytes < (off_t)sizeof(*l->start) || bytes > (off_t)INIT_MSG_MAX)
		return err_set(e, EPROTO, "garbled greeting");
	p = mmap(NULL, (size_t)bytes, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED)
		return err_sys(e, "map the start's message");
	l->start = p;
	l->start_bytes = (size_t)bytes;
	r = init_msg_check(p, l->start_bytes);
	return r < 0 ? err_code(e, r, "the container was started by another version of csbx") : 0;
}

/* 1: busy, connect again. */
static int receive_hello(struct exec_link *l, struct err *e)
{
	struct pollfd p = {.fd = l->sock, .events = POLLIN};
	struct init_event ev;
	int fd = -1, r;
	ssize_t n;

	if (poll(&p, 1, ANSWER_MS) == 0)
		return silent(e);
	n = fd_recv(l->sock, &ev, sizeof(ev), &fd, 1, e);
	if (n == 0 || n == -ECONNRESET)
		return ended(e);
	if (n < 0)
		return (int)n;
	if (n == sizeof(ev) && ev.magic == INIT_MAGIC && ev.type == EXEC_EV_BUSY)
		r = 1;
	else if (n == sizeof(ev) && ev.magic == INIT_MAGIC && ev.type == EXEC_EV_DONE)
		r = err_set(e, EPERM,
			    "its supervisor lets only processes of its own user namespace in");
	else if (n != sizeof(ev) || ev.magic != INIT_MAGIC || ev.type != EXEC_EV_HELLO || fd < 0)
		r = err_set(e, EPROTO, "garbled greeting");
	else
		r = map_start(fd, l, e);
	l->is_paused = r >= 0 && ev.arg & EXEC_HELLO_PAUSED;
	if (r < 0 || !(ev.arg & EXEC_HELLO_AHEAD))
		fd_close(&l->ahead_fd);
	fd_close(&fd);
	return r;
}

/* Where it cannot be asked for the process is made later, as any. */
static void ask_ahead(const struct way *w, struct exec_link *l)
{
	const struct init_request rq = {.magic = INIT_MAGIC,
					.type = INIT_REQ_AHEAD,
					.arg = w->detached ? EXEC_DETACHED : 0};
	int status[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, status) < 0)
		return;
	if (fd_send(l->sock, &rq, sizeof(rq), &status[1], 1, NULL) >= 0)
		l->ahead_fd = take_fd(&status[0]);
	fd_close(&status[0]);
	fd_close(&status[1]);
}

static int connect_greeted(struct way *w, struct exec_link *l, struct err *e)
{
	static const struct timespec pause = {.tv_nsec = 2000000};
	const uint64_t deadline_ms = clock_monotonic_ms() + ANSWER_MS;
	int r;

	do {
		r = l->sock = reach(w, e);
		if (r >= 0)
			r = peer_check_listener(l->sock, e);
		if (r >= 0 && w->is_ahead)
			ask_ahead(w, l);
		if (r >= 0)
			r = receive_hello(l, e);
		if (r != 1)
			return r;
		/* Descriptors on their way may be what it lacks. */
		fd_close(&l->ahead_fd);
		w->is_ahead = false;
		fd_close(&l->sock);
		nanosleep(&pause, NULL);
	} while (clock_monotonic_ms() < deadline_ms);
	return err_set(e, EBUSY, "its supervisor is busy with other clients");
}

static int open_link(const struct paths *p, struct way *w, struct exec_link *ret, struct err *e)
{
	const struct instance_record *rec = w->rec;
	_free_ char *name = str_printf("%s" EXEC_SOCKET_SUFFIX, rec->id);
	_close_ int dirfd = paths_open(p->runtime, "instances", e);
	int r;

	w->dirfd = dirfd;
	w->pidfd = -1;
	*ret = (struct exec_link)EXEC_LINK_INIT;
	if (rec->is_bare)
		return err_set(e, EOPNOTSUPP, "it has no supervisor: enroot exec %d joins it",
			       rec->init);
	if (dirfd < 0)
		return dirfd;
	if (!name)
		return err_oom(e);
	r = local_socket_address(NULL, dirfd, name, &w->address, e);
	if (r >= 0)
		r = connect_greeted(w, ret, e);
	fd_close(&w->pidfd);
	if (r < 0)
		exec_close(ret);
	return r;
}

int exec_open(const struct paths *p, const struct instance_record *rec, struct exec_link *ret,
	      struct err *e)
{
	struct way w = {.rec = rec};

	return open_link(p, &w, ret, e);
}

int exec_open_ahead(const struct paths *p, const struct instance_record *rec, bool detached,
		    struct exec_link *ret, struct err *e)
{
	struct way w = {.rec = rec, .is_ahead = true, .detached = detached};

	return open_link(p, &w, ret, e);
}

void exec_close(struct exec_link *l)
{
	if (l->start)
		munmap((void *)l->start, l->start_bytes);
	l->start = NULL;
	fd_close(&l->ahead_fd);
	fd_close(&l->sock);
}

void exec_start_env(const struct exec_link *l, struct strv *env)
{
	const char *s = init_msg_at(l->start, l->start->env);

	for (uint32_t i = 0; i < l->start->envc; i++) {
		strv_add(env, s);
		s += strlen(s) + 1;
	}
}

/* A request that is answered by EXEC_EV_DONE: its status. */
static int ask(struct exec_link *l, const struct init_request *rq, struct err *e)
{
	struct pollfd p = {.fd = l->sock, .events = POLLIN};
	struct init_event ev;
	int fd = -1, r = fd_send(l->sock, rq, sizeof(*rq), NULL, 0, e);
	ssize_t n;

	if (r == -EPIPE || r == -ECONNRESET)
		return ended(e);
	if (r < 0)
		return r;
	if (poll(&p, 1, ANSWER_MS) == 0)
		return silent(e);
	n = fd_recv(l->sock, &ev, sizeof(ev), &fd, 1, NULL);
	fd_close(&fd);
	if (n != sizeof(ev) || ev.type != EXEC_EV_DONE)
		return ended(e);
	return ev.status;
}

int exec_pause(struct exec_link *l, bool pause, struct err *e)
{
	const struct init_request rq = {.magic = INIT_MAGIC, .type = EXEC_REQ_PAUSE, .arg = pause};
	struct err error = ERR_INIT;
	int r = ask(l, &rq, &error);

	if (r == -EALREADY)
		return err_set(e, EALREADY, pause ? "it is paused already" : "it is not paused");
	if (r < 0 && *error.msg) {
		if (e)
			*e = error;
		return r;
	}
	return r < 0 ? err_code(e, r, pause ? "pause" : "unpause") : 0;
}

int exec_limit(struct exec_link *l, unsigned kind, uint32_t value, struct err *e)
{
	const struct init_request rq = {
		.magic = INIT_MAGIC, .type = EXEC_REQ_LIMIT, .arg = kind, .id = value};
	struct err error = ERR_INIT;
	int r = ask(l, &rq, &error);

	if (r < 0 && *error.msg) {
		if (e)
			*e = error;
		return r;
	}
	return r < 0 ? err_code(e, r, "set the limit") : 0;
}

int exec_stop(struct exec_link *l, int signal, uint32_t grace_ms, bool wait, struct err *e)
{
	struct init_request rq = {.magic = INIT_MAGIC,
				  .type = EXEC_REQ_STOP,
				  .arg = (uint32_t)signal,
				  .id = grace_ms};
	struct pollfd p = {.fd = l->sock, .events = POLLIN};
	uint64_t deadline_ms = clock_monotonic_ms() +
			       (signal & EXEC_STOP_OWN_TIME ? INT32_MAX : grace_ms + 2 * ANSWER_MS);
	int r = fd_send(l->sock, &rq, sizeof(rq), NULL, 0, e);
	char byte;

	if (r == -EPIPE || r == -ECONNRESET)
		return ended(e);

	while (r >= 0 && wait) {
		uint64_t now = clock_monotonic_ms();

		if (now >= deadline_ms || poll(&p, 1, (int)(deadline_ms - now)) == 0)
			return err_set(e, ETIMEDOUT, "it does not end");
		if (p.revents && recv(l->sock, &byte, 1, MSG_DONTWAIT) <= 0 && errno != EAGAIN)
			break;
	}
	return r;
}

uint32_t *exec_start_groups(const struct exec_link *l)
{
	struct init_range r = l->start->groups;
	uint32_t *groups = r.len ? malloc(r.len) : NULL;

	if (groups)
		memcpy(groups, init_msg_at(l->start, r), r.len);
	return groups;
}

const char *exec_start_cwd(const struct exec_link *l)
{
	return init_msg_at(l->start, l->start->cwd);
}
