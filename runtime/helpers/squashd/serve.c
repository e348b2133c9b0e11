/* SPDX-License-Identifier: Apache-2.0 */

/*
 * One thread, one epoll: the FUSE descriptor, the listening socket, the signals, a connection for
 * each container. A connection that has attached is a container; when the last one closes, the
 * server stays for the linger time the latest start asked for and leaves; in a batch step it does
 * not outlive the step so.
 *
 * Leaving: the socket's name goes first, so that no new client finds it; then a client that has
 * connected meanwhile is still let in. A client that comes in between the last look and the exit
 * sees its connection closed and starts over (runtime/server/client.c).
 *
 * SIGTERM, SIGINT and SIGHUP, which a batch system sends to everything it finds, end a server
 * that no client is attached to. One that serves containers remembers them, and leaves with the
 * last of these.
 */
#include "runtime/helpers/squashd/serve.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/clock.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/io.h"
#include "runtime/server/init_file.h"
#include "runtime/helpers/squashd/confine.h"
#include "runtime/helpers/squashd/fuse_serve.h"
#include "runtime/helpers/squashd/janitor.h"
#include "runtime/helpers/squashd/server.h"
#include "runtime/helpers/squashd/image/sqahead.h"
#include "runtime/helpers/squashd/image/sqimage.h"

#define PATIENCE_MS 50 /* for a client that has connected to a leaving server */
#define EVENTS_AT_ONCE 16

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
	return s->signal_fd < 0 ? err_sys(e, "signalfd") : server_watch(s, s->signal_fd, e);
}

static int set_up_fuse(struct server *s, struct err *e)
{
	const struct fuse_policy policy = server_policy(s);

	return fuse_server_new(s->world.fuse_fd, &policy, NULL, &s->fuse, e);
}

static bool has_one_cpu(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) < 0 || CPU_COUNT(&set) < 2;
}

/* Those beside the server are forked while nothing of the image, and no mount of it, is there. */
static int start_others(struct server *s, struct err *e)
{
	int r = keeper_start(&s->keeper, e);

	if (r >= 0)
		r = server_watch(s, s->keeper.sock, e);
	if (r >= 0)
		r = attendant_start(&s->attendant, s->world.uid_map_fd, e);
	fd_close(&s->world.uid_map_fd);
	if (r >= 0)
		r = server_watch(s, s->attendant.sock, e);
	if (r < 0 || !s->boot.wants_net || s->has_one_cpu)
		return r;
	/* In time for the first container, while the server waits for the maps. With one CPU that
	 * is no sooner than the container can make its own. */
	attendant_want(&s->attendant, server_now_ms());
	attendant_ask(&s->attendant, server_now_ms());
	return 0;
}

/* Everything that can be done while the maps of A are being written is done then. */
static int make_world(struct server *s, struct err *e)
{
	const struct squashd_key *key = &s->boot.key;
	int r = world_begin(key, &s->world, e);

	if (r >= 0)
		r = start_others(s, e);
	if (r >= 0)
		r = s->world.init_fd =
			init_file_seal(SQUASHD_FD_AT_START_INIT, &s->world.init_is_file, e);
	if (r >= 0)
		r = watch_signals(s, e);
	if (r >= 0 && key->kind == ROOTFS_SQUASHFS)
		r = set_up_fuse(s, e);
	if (r >= 0)
		r = world_settle(key, &s->world, e);
	if (r >= 0)
		r = world_fill(key, &s->world, e);
	/* Not before it is mounted: until then the descriptor has nothing to wait for. */
	return r < 0 || s->world.fuse_fd < 0 ? r : server_watch(s, s->world.fuse_fd, e);
}

/* With one CPU there is nothing beside which it could run. */
static void start_ahead(struct server *s)
{
	if (s->boot.key.kind == ROOTFS_SQUASHFS && !s->has_one_cpu)
		s->ahead = sqahead_new(confine_reader);
}

static void await_ahead(struct server *s)
{
	if (!s->ahead || sqahead_is_confined(s->ahead))
		return;
	sqahead_free(s->ahead);
	s->ahead = NULL;
}

static int confine(struct server *s, struct err *e)
{
	struct confine_server c = {
		.servers_dirfd = SQUASHD_FD_AT_START_DIR,
	};
	int r;

	if (!confine_has_landlock()) {
		s->janitor_fd = janitor_start(SQUASHD_FD_AT_START_DIR, s->boot.name, e);
		if (s->janitor_fd < 0)
			return s->janitor_fd;
	}
	start_ahead(s);
	if (s->ahead)
		c.reader_tid = sqahead_tid(s->ahead);
	r = confine_server(&c, e);
	await_ahead(s);
	return r;
}

/* The image is opened last: not one byte of it is looked at with any right in hand. */
static int set_up(struct server *s, struct err *e)
{
	bool is_image = s->boot.key.kind == ROOTFS_SQUASHFS;
	struct stat st;
	int r;

	s->pid = getpid();
	s->has_one_cpu = has_one_cpu();
	r = make_world(s, e);
	if (r >= 0 && fstat(s->world.userns_fd, &st) < 0)
		r = err_sys(e, "user namespace");
	if (r < 0)
		return r;
	s->nsfs_dev = st.st_dev;
	close(SQUASHD_FD_AT_START_INIT);
	if (!is_image)
		close(SQUASHD_FD_AT_START_IMAGE);
	r = confine(s, e);
	if (r < 0 || !is_image)
		return r;
	r = sqimage_open(SQUASHD_FD_AT_START_IMAGE, &s->image, e);
	if (r < 0)
		return r;
	sqimage_set_ahead(s->image, s->ahead);
	fuse_server_set_image(s->fuse, s->image);
	return 0;
}

static void handle_signal(struct server *s)
{
	struct signalfd_siginfo info;

	if (read(s->signal_fd, &info, sizeof(info)) == sizeof(info) &&
	    (info.ssi_signo == SIGTERM || info.ssi_signo == SIGINT || info.ssi_signo == SIGHUP))
		s->must_leave = true;
}

static void handle_event(struct server *s, const struct epoll_event *ev)
{
	int fd = ev->data.fd;

	if (fd == s->world.fuse_fd) {
		s->image_is_dead = fuse_server_step(s->fuse) < 0;
	} else if (fd == LISTEN_FD) {
		(void)clients_accept(s);
	} else if (fd == s->signal_fd) {
		handle_signal(s);
	} else if (fd == s->attendant.sock) {
		attendant_answered(&s->attendant);
	} else if (fd == s->step_fd) {
		clients_step_ended(s);
	} else if (fd == s->keeper.sock) {
		for (unsigned n = keeper_ended(&s->keeper); n; n--)
			clients_stood_in_gone(s);
	} else if (!aboves_step(&s->aboves, fd, &s->image_is_dead)) {
		clients_handle(s, fd);
	}
}

static int until(int64_t at_ms)
{
	int64_t left = at_ms - server_now_ms();

	return left <= 0 ? 0 : left > 3600000 ? 3600000 : (int)left;
}

/* Milliseconds to stay, -1 for ever, 0 when it is time to leave. */
static int time_left(const struct server *s)
{
	if (s->containers)
		return -1;
	return s->must_leave ? 0 : until(s->leave_at_ms);
}

/* Of -1, for ever, and milliseconds. */
static int sooner(int a, int b)
{
	return a < 0 || (b >= 0 && b < a) ? b : a;
}

static int time_to_wait(const struct server *s)
{
	int64_t ask_at_ms = s->attendant.ask_at_ms,
		trim_at_ms = attendant_trim_at_ms(&s->attendant, s->containers);
	int left = sooner(time_left(s), ask_at_ms ? until(ask_at_ms) : -1);

	return sooner(left, trim_at_ms ? until(trim_at_ms) : -1);
}

/* True if the server may go: no client is attached and no client waits at the door. */
static bool leave(struct server *s)
{
	server_unlink_socket(s);
	if (!clients_accept(s))
		return true;
	s->must_leave = false;
	s->leave_at_ms = server_now_ms() + PATIENCE_MS;
	return false;
}

static int run(struct server *s)
{
	struct epoll_event events[EVENTS_AT_ONCE];

	for (;;) {
		int n = epoll_wait(s->epoll_fd, events, EVENTS_AT_ONCE, time_to_wait(s));

		if (n < 0 && errno != EINTR)
			return 1;
		for (int i = 0; i < n; i++)
			handle_event(s, &events[i]);
		attendant_ask(&s->attendant, server_now_ms());
		attendant_trim(&s->attendant, s->containers, server_now_ms());
		/* Aborted from outside: the containers are dead, and learn it by our end. */
		if (s->image_is_dead) {
			server_unlink_socket(s);
			return 1;
		}
		if (!n && !time_left(s) && leave(s))
			return 0;
	}
}

static int read_boot(struct squashd_boot *boot, struct err *e)
{
	int r = io_read_exact(SQUASHD_FD_AT_START_BOOT, boot, sizeof(*boot), e);

	if (r < 0)
		return r;
	close(SQUASHD_FD_AT_START_BOOT);
	if (boot->magic != SQUASHD_PROTO_MAGIC || !memchr(boot->name, 0, sizeof(boot->name)) ||
	    !memchr(boot->job, 0, sizeof(boot->job)) || strchr(boot->name, '/'))
		return err_set(e, EPROTO, "started by another version of csbx");
	return 0;
}

int serve(void)
{
	struct server s = {.world = WORLD_INIT,
			   .signal_fd = -1,
			   .next_dev_fd = -1,
			   .next_image_fd = -1,
			   .janitor_fd = -1,
			   .step_fd = -1,
			   .attendant = ATTENDANT_INIT,
			   .keeper = KEEPER_INIT};
	struct err e = ERR_INIT;
	int r = read_boot(&s.boot, &e);

	if (r < 0)
		return 1;
	s.leave_at_ms = server_now_ms() + FIRST_CLIENT_MS;
	/* From now on clients see our pid in SO_PEERCRED, not that of the one who bound. */
	if (listen(LISTEN_FD, SOMAXCONN) < 0)
		return 1;
	(void)fcntl(LISTEN_FD, F_SETFL, O_NONBLOCK);
	s.epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	r = s.epoll_fd < 0 ? err_sys(&e, "epoll") : server_watch(&s, LISTEN_FD, &e);
	if (r >= 0)
		r = set_up(&s, &e);
	if (r < 0) {
		clients_refuse_all(&s, &e);
		return 1;
	}
	r = run(&s);
	aboves_free(&s.aboves);
	fuse_server_free(s.fuse);
	sqahead_free(s.ahead);
	sqimage_close(s.image);
	return r;
}
