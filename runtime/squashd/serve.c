/* SPDX-License-Identifier: Apache-2.0 */

/*
 * One thread, one epoll: the FUSE descriptor, the listening socket, the signals, a connection for
 * each container. A connection that has attached is a container; when the last one closes, the
 * server stays for the linger time the latest start asked for and leaves.
 *
 * Leaving: the socket's name goes first, so that no new client finds it; then whoever has
 * connected meanwhile is still let in. A client that comes in between the last look and the exit
 * sees its connection closed and starts over (runtime/squashd_client.c).
 *
 * SIGTERM, SIGINT and SIGHUP, which a batch system sends to everything it finds, end a server
 * only when nobody is attached.
 */
#include "runtime/squashd/serve.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mount.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/squashd/confine.h"
#include "runtime/squashd/fuse_serve.h"
#include "runtime/squashd/sqimage.h"
#include "runtime/squashd/world.h"
#include "runtime/squashd_proto.h"

#define FIRST_CLIENT_MS 1000 /* for the client that started us, who may be dead */
#define PATIENCE_MS 50        /* for a client that has connected to a leaving server */
#define EVENTS_AT_ONCE 16
#define LISTEN_FD SQUASHD_FD_AT_START_LISTEN

struct server {
	struct squashd_boot boot;
	struct world world;
	struct sqimage *image;
	struct fuse_server *fuse;
	int epoll_fd, signal_fd;
	int next_dev_fd, next_image_fd; /* clones for the next container, or -1 */
	int32_t pid;
	bool *attached; /* by descriptor */
	size_t n_slots;
	uint32_t containers, linger_ms;
	int64_t leave_at_ms; /* while nobody is attached */
	bool may_unlink, is_unlinked, must_leave, image_is_dead;
};

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int watch(struct server *s, int fd, struct err *e)
{
	struct epoll_event ev = {.events = EPOLLIN, .data.fd = fd};

	return epoll_ctl(s->epoll_fd, EPOLL_CTL_ADD, fd, &ev) < 0 ? err_sys(e, "epoll") : 0;
}

static int watch_signals(struct server *s, struct err *e)
{
	sigset_t set;

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGQUIT);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	if (sigprocmask(SIG_SETMASK, &set, NULL) < 0)
		return err_sys(e, "signal mask");
	s->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return s->signal_fd < 0 ? err_sys(e, "signalfd") : watch(s, s->signal_fd, e);
}

static int set_up_image(struct server *s, struct err *e)
{
	const struct squashd_key *key = &s->boot.key;
	struct fuse_policy policy = {
		.one_id = id_map_is_one(&key->map),
		.uid = key->uid,
		.gid = key->gid,
		.has_user_xattrs = key->has_user_xattrs,
	};
	int r = fuse_server_new(s->world.fuse_fd, s->image, &policy, &s->fuse, e);

	return r < 0 ? r : watch(s, s->world.fuse_fd, e);
}

static int set_up(struct server *s, struct err *e)
{
	bool is_image;
	int r;

	s->pid = getpid();
	/* The image first: a file that is none needs no namespaces to be told so. */
	is_image = s->boot.key.kind == ROOTFS_SQUASHFS;
	r = is_image ? sqimage_open(SQUASHD_FD_AT_START_IMAGE, &s->image, e) : 0;
	if (r >= 0)
		r = world_seal_init(SQUASHD_FD_AT_START_INIT, &s->world, e);
	if (r >= 0)
		r = world_make(&s->boot.key, &s->world, e);
	if (r >= 0 && is_image)
		r = set_up_image(s, e);
	if (r >= 0)
		r = watch_signals(s, e);
	if (r < 0)
		return r;
	close(SQUASHD_FD_AT_START_INIT);
	if (!is_image)
		close(SQUASHD_FD_AT_START_IMAGE);
	return confine_server(&(struct confine_server){.servers_dirfd = SQUASHD_FD_AT_START_DIR,
						       .image_fd = s->world.image_fd,
						       .dev_fd = s->world.dev_fd},
			      &s->may_unlink, e);
}

static void fail_reply(struct squashd_reply *reply, const struct err *e)
{
	reply->code = e->code;
	snprintf(reply->msg, sizeof(reply->msg), "%.*s", (int)sizeof(reply->msg) - 1, e->msg);
}

static int clone_tree(int fd, unsigned flags, struct err *e)
{
	int tree = open_tree(fd, "", AT_EMPTY_PATH | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | flags);

	return tree < 0 ? err_sys(e, "clone mount") : tree;
}

/*
 * A fresh clone for each container: a detached tree can be attached only once. They are made
 * ahead, while the container before starts, off the path of the next one.
 */
static int make_clones(struct server *s, struct err *e)
{
	if (s->next_dev_fd < 0)
		s->next_dev_fd = clone_tree(s->world.dev_fd, AT_RECURSIVE, e);
	if (s->next_dev_fd >= 0 && s->next_image_fd < 0 && s->world.image_fd >= 0)
		s->next_image_fd = clone_tree(s->world.image_fd, 0, e);
	if (s->next_dev_fd < 0)
		return s->next_dev_fd;
	return s->world.image_fd >= 0 && s->next_image_fd < 0 ? s->next_image_fd : 0;
}

static int send_attached(struct server *s, int fd, struct squashd_reply *reply, struct err *e)
{
	bool is_image = s->world.image_fd >= 0;
	int fds[SQUASHD_FD_MAX], r = make_clones(s, e);

	if (r < 0)
		return r;
	fds[SQUASHD_FD_USERNS] = s->world.userns_fd;
	fds[SQUASHD_FD_INIT] = s->world.init_fd;
	fds[SQUASHD_FD_DEV] = s->next_dev_fd;
	fds[SQUASHD_FD_IMAGE] = s->next_image_fd;
	r = fd_send(fd, reply, sizeof(*reply), fds, is_image ? SQUASHD_FD_MAX : SQUASHD_FD_IMAGE, e);
	if (r < 0)
		return r;
	fd_close(&s->next_dev_fd);
	fd_close(&s->next_image_fd);
	return 0;
}

static void fill_reply(struct server *s, struct squashd_reply *reply)
{
	*reply = (struct squashd_reply){
		.magic = SQUASHD_PROTO_MAGIC,
		.containers = s->containers,
		.init_is_file = s->world.init_is_file,
		.server_pid = s->pid,
		.fuse_requests = s->fuse ? fuse_server_requests(s->fuse) : 0,
	};
}

static int attach(struct server *s, int fd, const struct squashd_request *q, struct err *e)
{
	struct squashd_reply reply;
	int r;

	if (s->attached[fd])
		return err_set(e, EINVAL, "attached already");
	if (memcmp(&q->key, &s->boot.key, sizeof(q->key)) != 0)
		return err_set(e, EEXIST, "another image server has the same name");
	fill_reply(s, &reply);
	reply.containers++;
	r = send_attached(s, fd, &reply, e);
	if (r < 0)
		return r;
	s->attached[fd] = true;
	s->containers++;
	s->linger_ms = q->linger_ms;
	return 0;
}

/* Returns false when the connection is to be closed. */
static bool handle_request(struct server *s, int fd)
{
	struct squashd_request q;
	struct squashd_reply reply;
	struct err e = ERR_INIT;
	ssize_t n = fd_recv(fd, &q, sizeof(q), NULL, 0, &e);

	if (n == -EAGAIN)
		return true;
	if (n != (ssize_t)sizeof(q) || q.magic != SQUASHD_PROTO_MAGIC)
		return false;
	if (q.type == SQUASHD_ATTACH) {
		if (attach(s, fd, &q, &e) >= 0) {
			(void)make_clones(s, NULL);
			return true;
		}
		fill_reply(s, &reply);
		fail_reply(&reply, &e);
	} else {
		fill_reply(s, &reply);
		if (q.type == SQUASHD_QUIT)
			s->must_leave = true;
		else if (q.type != SQUASHD_STATUS)
			reply.code = EPROTO;
	}
	(void)fd_send(fd, &reply, sizeof(reply), NULL, 0, NULL);
	return false;
}

static void drop_client(struct server *s, int fd)
{
	close(fd);
	if (!s->attached[fd])
		return;
	s->attached[fd] = false;
	if (!--s->containers)
		s->leave_at_ms = now_ms() + s->linger_ms;
}

static bool has_slot(struct server *s, int fd)
{
	size_t n = s->n_slots;
	bool *grown;

	while (n <= (size_t)fd)
		n = n ? n * 2 : 64;
	if (n == s->n_slots)
		return true;
	grown = realloc(s->attached, n * sizeof(*grown));
	if (!grown)
		return false;
	memset(grown + s->n_slots, 0, (n - s->n_slots) * sizeof(*grown));
	s->attached = grown;
	s->n_slots = n;
	return true;
}

/* Our uid as seen in A is the main user's. Returns true if somebody was let in. */
static bool accept_client(struct server *s)
{
	_close_ int fd = accept4(LISTEN_FD, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	socklen_t len = sizeof(struct ucred);
	struct ucred peer;

	if (fd < 0 || getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) < 0)
		return false;
	if (peer.uid != s->boot.key.uid || !has_slot(s, fd) || watch(s, fd, NULL) < 0)
		return false;
	take_fd(&fd);
	return true;
}

static void handle_signal(struct server *s)
{
	struct signalfd_siginfo info;

	if (read(s->signal_fd, &info, sizeof(info)) == sizeof(info) &&
	    (info.ssi_signo == SIGTERM || info.ssi_signo == SIGINT || info.ssi_signo == SIGHUP) &&
	    !s->containers)
		s->must_leave = true;
}

static void handle_event(struct server *s, const struct epoll_event *ev)
{
	int fd = ev->data.fd;

	if (fd == s->world.fuse_fd) {
		s->image_is_dead = fuse_server_step(s->fuse) < 0;
	} else if (fd == LISTEN_FD) {
		(void)accept_client(s);
	} else if (fd == s->signal_fd) {
		handle_signal(s);
	} else if (!handle_request(s, fd)) {
		drop_client(s, fd);
	}
}

/* Milliseconds to wait, -1 for ever, 0 when it is time to leave. */
static int time_left(const struct server *s)
{
	int64_t left;

	if (s->containers)
		return -1;
	if (s->must_leave)
		return 0;
	left = s->leave_at_ms - now_ms();
	return left <= 0 ? 0 : left > 3600000 ? 3600000 : (int)left;
}

static void unlink_socket(struct server *s)
{
	if (!s->is_unlinked && s->may_unlink)
		(void)unlinkat(SQUASHD_FD_AT_START_DIR, s->boot.name, 0);
	s->is_unlinked = true;
}

/* True if the server may go: nobody is attached and nobody waits at the door. */
static bool leave(struct server *s)
{
	unlink_socket(s);
	if (!accept_client(s))
		return true;
	s->must_leave = false;
	s->leave_at_ms = now_ms() + PATIENCE_MS;
	return false;
}

static int run(struct server *s)
{
	struct epoll_event events[EVENTS_AT_ONCE];

	for (;;) {
		int wait = time_left(s), n;

		n = epoll_wait(s->epoll_fd, events, EVENTS_AT_ONCE, wait);
		if (n < 0 && errno != EINTR)
			return 1;
		for (int i = 0; i < n; i++)
			handle_event(s, &events[i]);
		/* Aborted from outside: the containers are dead, and learn it by our end. */
		if (s->image_is_dead) {
			unlink_socket(s);
			return 1;
		}
		if (!n && !time_left(s) && leave(s))
			return 0;
	}
}

/*
 * Nobody reads our stderr: the reason goes to every client that waits. Clients that come after
 * the last look start another server and hear it from that one.
 */
static int tell_failure(const struct squashd_boot *boot, const struct err *e)
{
	struct squashd_reply reply = {.magic = SQUASHD_PROTO_MAGIC};
	struct squashd_request q;
	int fd;

	fail_reply(&reply, e);
	(void)unlinkat(SQUASHD_FD_AT_START_DIR, boot->name, 0);
	(void)fcntl(LISTEN_FD, F_SETFL, O_NONBLOCK);
	while ((fd = accept4(LISTEN_FD, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
		struct timeval patience = {.tv_sec = 1};

		(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
		if (fd_recv(fd, &q, sizeof(q), NULL, 0, NULL) > 0)
			(void)fd_send(fd, &reply, sizeof(reply), NULL, 0, NULL);
		close(fd);
	}
	return 1;
}

static int read_boot(struct squashd_boot *boot, struct err *e)
{
	int r = io_read_exact(SQUASHD_FD_AT_START_BOOT, boot, sizeof(*boot), e);

	if (r < 0)
		return r;
	close(SQUASHD_FD_AT_START_BOOT);
	if (boot->magic != SQUASHD_PROTO_MAGIC || !memchr(boot->name, 0, sizeof(boot->name)) ||
	    strchr(boot->name, '/'))
		return err_set(e, EPROTO, "started by another version of csbx");
	return 0;
}

int serve(void)
{
	struct server s = {
		.world = WORLD_INIT, .signal_fd = -1, .next_dev_fd = -1, .next_image_fd = -1};
	struct err e = ERR_INIT;
	int r = read_boot(&s.boot, &e);

	if (r < 0)
		return 1;
	s.leave_at_ms = now_ms() + FIRST_CLIENT_MS;
	/* From now on clients see our pid in SO_PEERCRED, not that of the one who bound. */
	if (listen(LISTEN_FD, SOMAXCONN) < 0)
		return 1;
	(void)fcntl(LISTEN_FD, F_SETFL, O_NONBLOCK);
	s.epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	r = s.epoll_fd < 0 ? err_sys(&e, "epoll") : watch(&s, LISTEN_FD, &e);
	if (r >= 0)
		r = set_up(&s, &e);
	if (r < 0)
		return tell_failure(&s.boot, &e);
	r = run(&s);
	fuse_server_free(s.fuse);
	sqimage_close(s.image);
	return r;
}
