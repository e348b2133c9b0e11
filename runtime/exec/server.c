/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Theory. One session a client, from its connection until both the client is gone and its process
 * has ended: the number of a process that runs must not be given to another. All descriptors hang
 * in one epoll, whose own descriptor is what the supervisor's poll(2) looks at. No function here
 * waits: a client that does not read is dropped, and when csbx-init's socket is full the client is
 * told to ask again.
 */
#include "runtime/exec/server.h"

#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/log.h"
#include "runtime/base/str.h"
#include "runtime/exec/proto.h"
#include "runtime/record/instance.h"
#include "runtime/kernel/local_socket.h"
#include "runtime/kernel/peer.h"
#include "runtime/spec/result.h"
#include "runtime/limit/watchdog.h"
#include "runtime/stream/streams.h"

#define BACKLOG 4096
#define EVENTS_AT_ONCE 64
#define RETRY_NS 100000000
#define RETRY_ID UINT32_MAX /* among the ids of sessions in the epoll */
/* Never given to clients: the supervisor's own, and room for what a request brings, which would
 * be cut and its client dropped. */
#define SPARE_FDS ((int)INIT_SPAWN_FDS + 27)

struct exec_session {
	uint32_t id; /* never 0 */
	int sock;    /* -1: the client is gone */
	bool spawned, detached, attached;
	bool confirmed;  /* csbx-init has made the process */
	uint32_t unsent; /* signal that waits for room in csbx-init's socket; 0: none */
};

static struct exec_session *find(const struct exec_server *s, uint32_t id)
{
	for (size_t i = 0; i < s->n; i++) {
		if (s->sessions[i].id == id)
			return &s->sessions[i];
	}
	return NULL;
}

static int watch(struct exec_server *s, int fd, uint32_t id)
{
	struct epoll_event ev = {.events = EPOLLIN, .data.u32 = id};

	return epoll_ctl(s->poll_fd, EPOLL_CTL_ADD, fd, &ev) < 0 ? -errno : 0;
}

/* Hundreds of clients, three descriptors in flight each: the soft limit is not meant for this. */
static int raise_descriptor_limit(void)
{
	struct rlimit l, raised;

	if (getrlimit(RLIMIT_NOFILE, &l) < 0)
		return INT_MAX;
	raised = (struct rlimit){l.rlim_max, l.rlim_max};
	if (l.rlim_cur != l.rlim_max && setrlimit(RLIMIT_NOFILE, &raised) >= 0)
		l = raised;
	return l.rlim_cur < INT_MAX ? (int)l.rlim_cur : INT_MAX;
}

static int listen_at(struct exec_server *s, struct err *e)
{
	_free_ char *name = str_printf("%s" EXEC_SOCKET_SUFFIX, s->instance->id);
	_close_ int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct sockaddr_un a;
	int r = name ? 0 : err_oom(e);

	if (r >= 0 && fd < 0)
		r = err_sys(e, "socket");
	if (r >= 0)
		r = local_socket_address(NULL, s->instance->dirfd, name, &a, e);
	if (r < 0)
		return r;
	/* A supervisor that was killed may have left one: the id is ours now. */
	(void)unlinkat(s->instance->dirfd, name, 0);
	if (bind(fd, (struct sockaddr *)&a, sizeof(a)) < 0 || listen(fd, BACKLOG) < 0)
		return err_sys(e, "listen for exec");
	s->listen_fd = take_fd(&fd);
	return watch(s, s->listen_fd, 0);
}

int exec_server_open(struct exec_server *s, struct err *e)
{
	int r;

	if (s->poll_fd >= 0)
		return 0;
	s->fd_limit = raise_descriptor_limit();
	s->poll_fd = epoll_create1(EPOLL_CLOEXEC);
	r = s->poll_fd < 0 ? err_sys(e, "epoll") : listen_at(s, e);
	/* Made ahead: when it is needed there is no descriptor left. */
	if (r >= 0) {
		s->retry_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
		r = s->retry_fd < 0 || watch(s, s->retry_fd, RETRY_ID) < 0
			    ? err_sys(e, "timer for exec")
			    : 0;
	}
	if (r < 0)
		exec_server_close(s);
	return r;
}

/* --- sessions ----------------------------------------------------------------------------- */

static struct exec_session *session_add(struct exec_server *s)
{
	if (s->n == s->cap) {
		size_t cap = s->cap ? 2 * s->cap : 16;
		struct exec_session *p = reallocarray(s->sessions, cap, sizeof(*p));

		if (!p)
			return NULL;
		s->sessions = p;
		s->cap = cap;
	}
	do {
		s->last_id++;
	} while (!s->last_id || s->last_id == RETRY_ID || find(s, s->last_id));
	s->sessions[s->n] = (struct exec_session){.id = s->last_id, .sock = -1};
	return &s->sessions[s->n++];
}

static void listen_again(struct exec_server *s)
{
	if (s->is_full && watch(s, s->listen_fd, 0) >= 0)
		s->is_full = false;
}

/* Closing takes it out of the epoll, and makes room for another. */
static void session_hang_up(struct exec_server *s, struct exec_session *x)
{
	if (x->sock >= 0)
		s->n_clients--;
	fd_close(&x->sock);
	listen_again(s);
}

static void session_remove(struct exec_server *s, struct exec_session *x)
{
	session_hang_up(s, x);
	s->n_unsent -= x->unsent != 0;
	*x = s->sessions[--s->n];
}

/* A client that comes now waits in the backlog until another has hung up. */
static void stop_listening(struct exec_server *s)
{
	s->is_full = epoll_ctl(s->poll_fd, EPOLL_CTL_DEL, s->listen_fd, NULL) == 0;
}

/* No descriptor for a client, perhaps for the whole machine: no process may be there to hang up. */
static void listen_later(struct exec_server *s)
{
	const struct itimerspec t = {.it_value.tv_nsec = RETRY_NS};

	stop_listening(s);
	(void)timerfd_settime(s->retry_fd, 0, &t, NULL);
}

static void retry(struct exec_server *s)
{
	uint64_t ticks;

	if (read(s->retry_fd, &ticks, sizeof(ticks)) == sizeof(ticks))
		listen_again(s);
}

/* False: csbx-init's socket is full. */
static bool send_signal(const struct exec_server *s, const struct exec_session *x, uint32_t arg)
{
	struct init_request rq = {
		.magic = INIT_MAGIC, .type = INIT_REQ_SIGNAL_PID, .arg = arg, .id = x->id};

	return fd_try_send(s->control_fd, &rq, sizeof(rq), NULL, 0, NULL) != -EAGAIN;
}

/*
 * A signal that finds csbx-init's socket full waits until there is room: a lost SIGKILL would leave
 * a process behind. The last one counts, and nothing counts after SIGKILL.
 */
static void signal_process(struct exec_server *s, struct exec_session *x, uint32_t arg)
{
	if (!x->unsent && send_signal(s, x, arg))
		return;
	s->n_unsent += !x->unsent;
	if ((x->unsent & ~INIT_SIGNAL_GROUP) != SIGKILL)
		x->unsent = arg;
}

void exec_server_resend(struct exec_server *s)
{
	for (size_t i = 0; i < s->n; i++) {
		struct exec_session *x = &s->sessions[i];

		if (!x->unsent)
			continue;
		if (!send_signal(s, x, x->unsent))
			return;
		x->unsent = 0;
		s->n_unsent--;
	}
}

/*
 * The client is gone: the process that it started goes too, and is forgotten when its end is told.
 */
static void client_left(struct exec_server *s, struct exec_session *x)
{
	if (x->attached)
		streams_detach(s->streams, x->id);
	x->attached = false;
	if (!x->spawned) {
		session_remove(s, x);
		return;
	}
	session_hang_up(s, x);
	if (!x->detached)
		signal_process(s, x, SIGKILL | INIT_SIGNAL_GROUP);
}

/* A client that does not take its news is as good as gone. */
static void tell(struct exec_server *s, struct exec_session *x, const struct init_event *ev, int fd)
{
	if (x->sock >= 0 && fd_try_send(x->sock, ev, sizeof(*ev), &fd, fd >= 0, NULL) < 0)
		client_left(s, x);
}

void exec_server_answer(struct exec_server *s, uint32_t session, int result)
{
	const struct init_event ev = {.magic = INIT_MAGIC, .type = EXEC_EV_DONE, .status = result};
	struct exec_session *x = find(s, session);

	if (x)
		tell(s, x, &ev, -1);
}

/* If the watchdog counts, the kernel refuses nothing: one process too many would end them all. */
static bool has_room(const struct exec_server *s)
{
	uint64_t on_the_way = 0;

	for (size_t i = 0; i < s->n; i++)
		on_the_way += s->sessions[i].spawned && !s->sessions[i].confirmed;
	return !s->watchdog || watchdog_has_room(s->watchdog, on_the_way + 1);
}

/* SPAWN, or AHEAD: the words of that go from the client to the process, past us. */
static void spawn(struct exec_server *s, struct exec_session *x, const struct init_request *asked,
		  const int *fds, size_t n_fds)
{
	struct init_request rq = {.magic = INIT_MAGIC, .type = asked->type, .id = x->id};
	struct init_event busy = {.magic = INIT_MAGIC, .type = EXEC_EV_BUSY};
	size_t n_due = asked->type == INIT_REQ_AHEAD ? 1 : INIT_SPAWN_FDS;
	int r;

	if (x->spawned || n_fds != n_due || s->is_paused) {
		client_left(s, x);
		return;
	}
	if (!has_room(s)) {
		exec_server_answer(s, x->id, -EAGAIN);
		return;
	}
	r = fd_try_send(s->control_fd, &rq, sizeof(rq), fds, n_fds, NULL);
	if (r == -EAGAIN || r == -ETOOMANYREFS) {
		tell(s, x, &busy, -1);
	} else if (r < 0) {
		client_left(s, x);
	} else {
		x->spawned = s->has_spawned = true;
		x->detached = asked->arg & EXEC_DETACHED;
	}
}

static void attach(struct exec_server *s, struct exec_session *x, uint32_t which, int *fds,
		   size_t n_fds)
{
	const struct init_event done = {.magic = INIT_MAGIC, .type = EXEC_EV_ATTACHED};
	int lent[3] = {-1, -1, -1};
	size_t used = 0;

	if (!s->streams || !s->streams->options.lent || x->attached ||
	    n_fds != (size_t)__builtin_popcount(which & 7)) {
		client_left(s, x);
		return;
	}
	for (int i = 0; i < 3; i++) {
		if (which & (1u << i))
			lent[i] = take_fd(&fds[used++]);
	}
	streams_attach(s->streams, x->id, lent);
	x->attached = true;
	tell(s, x, &done, -1);
}

static void take_stop(struct exec_server *s, const struct init_request *rq)
{
	uint32_t sig = rq->arg & EXEC_STOP_SIGNAL;

	if (sig > (uint32_t)SIGRTMAX)
		return;
	s->stop = (struct exec_stop){
		.is_asked = true,
		.signal = sig,
		.grace_ms = rq->id,
		.removed = rq->arg & EXEC_STOP_REMOVE,
		.stays = rq->arg & EXEC_STOP_STAYS,
		.own_time = rq->arg & EXEC_STOP_OWN_TIME,
	};
}

static void session_read(struct exec_server *s, struct exec_session *x)
{
	struct init_request rq;
	int fds[INIT_SPAWN_FDS + 1];
	ssize_t n = fd_recv(x->sock, &rq, sizeof(rq), fds, INIT_SPAWN_FDS + 1, NULL);
	size_t n_fds = 0;

	if (n == -EAGAIN)
		return;
	while (n >= 0 && n_fds <= INIT_SPAWN_FDS && fds[n_fds] >= 0)
		n_fds++;
	if (n != sizeof(rq) || rq.magic != INIT_MAGIC)
		client_left(s, x);
	else if (rq.type == INIT_REQ_SPAWN || rq.type == INIT_REQ_AHEAD)
		spawn(s, x, &rq, fds, n_fds);
	else if (rq.type == EXEC_REQ_STOP)
		take_stop(s, &rq);
	else if (rq.type == EXEC_REQ_PAUSE)
		s->pause = (struct exec_pause){true, rq.arg, x->id};
	else if (rq.type == EXEC_REQ_LIMIT)
		s->limit = (struct exec_limit){true, rq.arg, rq.id, x->id};
	else if (rq.type == EXEC_REQ_ATTACH)
		attach(s, x, rq.arg, fds, n_fds);
	else if (rq.type == EXEC_REQ_RESIZE && s->streams)
		streams_set_size(s->streams, rq.arg, rq.id);
	else if (rq.type == INIT_REQ_SIGNAL_PID && x->spawned)
		signal_process(s, x, rq.arg);
	for (size_t i = 0; n >= 0 && i <= INIT_SPAWN_FDS; i++)
		fd_close(&fds[i]);
}

static bool is_same_user(int sock)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);

	return getsockopt(sock, SOL_SOCKET, SO_PEERCRED, &peer, &len) == 0 && peer.uid == geteuid();
}

/* A user's descriptors on their way in sockets are counted against the limit of the sender. */
static void greet(struct exec_server *s, struct exec_session *x)
{
	const struct init_event hello = {.magic = INIT_MAGIC,
					 .type = EXEC_EV_HELLO,
					 .arg = EXEC_HELLO_AHEAD |
						(s->is_paused ? EXEC_HELLO_PAUSED : 0)},
				busy = {.magic = INIT_MAGIC, .type = EXEC_EV_BUSY};
	int r = fd_try_send(x->sock, &hello, sizeof(hello), &s->msg_fd, 1, NULL);

	if (r == -ETOOMANYREFS)
		(void)fd_try_send(x->sock, &busy, sizeof(busy), NULL, 0, NULL);
	if (r < 0)
		client_left(s, x);
}

static void session_begin(struct exec_server *s)
{
	const struct init_event refused = {
		.magic = INIT_MAGIC, .type = EXEC_EV_DONE, .status = -EPERM};
	_close_ int sock = accept4(s->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct err why = ERR_INIT;
	struct exec_session *x;

	if (sock < 0 && (errno == EMFILE || errno == ENFILE))
		listen_later(s);
	if (sock < 0 || !is_same_user(sock))
		return;
	if (peer_check_client(sock, &why) < 0) {
		log_trace("exec: a client is turned away: %s", why.msg);
		(void)fd_try_send(sock, &refused, sizeof(refused), NULL, 0, NULL);
		return;
	}
	x = session_add(s);
	if (!x)
		return;
	x->sock = take_fd(&sock);
	if (++s->n_clients >= s->fd_limit - s->listen_fd - SPARE_FDS)
		stop_listening(s);
	if (watch(s, x->sock, x->id) < 0)
		session_remove(s, x);
	else
		greet(s, x);
}

int exec_server_adopt(struct exec_server *s, int sock, int fds[3], struct err *e)
{
	struct exec_session *x = NULL;
	int r = exec_server_open(s, e);

	if (r >= 0) {
		x = session_add(s);
		r = x ? watch(s, sock, x->id) : -ENOMEM;
	}
	if (r < 0) {
		if (x)
			session_remove(s, x);
		close(sock);
		return err_code(e, r, "take the caller's streams");
	}
	x->sock = sock;
	s->n_clients++;
	x->attached = true;
	streams_attach(s->streams, x->id, fds);
	return 0;
}

void exec_server_handle(struct exec_server *s)
{
	struct epoll_event ev[EVENTS_AT_ONCE];
	int n = epoll_wait(s->poll_fd, ev, EVENTS_AT_ONCE, 0);

	/* Requests that concern the container come one at a time: none may hide another. */
	for (int i = 0; i < n && !s->stop.is_asked && !s->pause.is_asked && !s->limit.is_asked;
	     i++) {
		struct exec_session *x = ev[i].data.u32 ? find(s, ev[i].data.u32) : NULL;

		if (!ev[i].data.u32)
			session_begin(s);
		else if (ev[i].data.u32 == RETRY_ID)
			retry(s);
		else if (x && x->sock >= 0)
			session_read(s, x);
	}
}

void exec_server_ending(struct exec_server *s, unsigned status, bool by_kernel)
{
	const struct init_event ev = {
		.magic = INIT_MAGIC, .type = EXEC_EV_ENDING, .arg = status, .status = by_kernel};

	for (size_t i = 0; i < s->n; i++) {
		if (s->sessions[i].sock >= 0 && s->sessions[i].spawned)
			(void)fd_try_send(s->sessions[i].sock, &ev, sizeof(ev), NULL, 0, NULL);
	}
}

void exec_server_oom(struct exec_server *s, uint32_t session, bool by_kernel)
{
	const struct init_event ev = {
		.magic = INIT_MAGIC, .type = EXEC_EV_ENDING, .arg = RUN_OOM, .status = by_kernel};
	struct exec_session *x = find(s, session);

	if (x)
		tell(s, x, &ev, -1);
}

void exec_server_event(struct exec_server *s, const struct init_event *ev)
{
	struct exec_session *x = find(s, ev->id);

	if (!x)
		return;
	x->confirmed = true;
	tell(s, x, ev, -1);
	x = find(s, ev->id);
	if (x && ev->type == INIT_EV_SPAWN_EXITED)
		session_remove(s, x);
}

void exec_server_close(struct exec_server *s)
{
	_free_ char *name =
		s->listen_fd >= 0 ? str_printf("%s" EXEC_SOCKET_SUFFIX, s->instance->id) : NULL;

	if (name)
		(void)unlinkat(s->instance->dirfd, name, 0);
	for (size_t i = 0; i < s->n; i++)
		fd_close(&s->sessions[i].sock);
	free(s->sessions);
	s->sessions = NULL;
	s->n = s->cap = 0;
	fd_close(&s->listen_fd);
	fd_close(&s->retry_fd);
	fd_close(&s->poll_fd);
}
