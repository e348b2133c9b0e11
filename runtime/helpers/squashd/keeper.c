/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The keeper waits for two ends. The pidfd of the main process tells the end of that process.
 * inotify(7) tells the end of the container's root, an overlay of its own: a watch on its root
 * directory does not hold the mount, and says IN_UNMOUNT when the last mount of it goes, with the
 * last process of the container. Only then may the layer be used by the next start: the kernel
 * would let two overlays have one upper directory, and spoil it.
 *
 * If no watch can be had (fs.inotify.max_user_watches), the keeper takes the main process's end for
 * both.
 *
 * All is done by descriptors that were passed: nothing of the host can be named from here. A sync
 * may take seconds, so processes of their own do that (layer.h), and none is waited for.
 */
#include "runtime/helpers/squashd/keeper.h"

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/layer/layer.h"
#include "runtime/helpers/squashd/confine.h"
#include "runtime/helpers/squashd/world.h"
#include "runtime/server/proto.h"

#define SERVER_FD 0
#define EVENTS_AT_ONCE 16

struct kept {
	struct kept *next;
	int fds[SQUASHD_STAND_MAX];
	int watch; /* of the root; -1: none, or unmounted */
	bool main_is_dead;
	bool is_kept;
	char id[16];
};

struct keeping {
	int epoll_fd, inotify_fd;
	bool server_is_gone;
	struct kept *all;
};

struct keeper_order {
	char id[16];
	uint32_t is_kept;
};

/* --- the keeper --------------------------------------------------------------------------- */

static bool wait_for(const struct keeping *k, int fd, void *what)
{
	struct epoll_event ev = {.events = EPOLLIN, .data.ptr = what};

	return epoll_ctl(k->epoll_fd, EPOLL_CTL_ADD, fd, &ev) == 0;
}

static int watch_root(const struct keeping *k, int root)
{
	int watch;

	if (fchdir(root) < 0)
		return -1;
	watch = inotify_add_watch(k->inotify_fd, ".", IN_DELETE_SELF | IN_ONLYDIR);
	if (chdir("/") < 0)
		_exit(1); /* it would hold the mount for ever */
	return watch;
}

/* A connection that was closed without a word is a container less too: no other process says so. */
static void tell_server(struct keeping *k)
{
	if (!k->server_is_gone)
		(void)fd_send(SERVER_FD, "", 1, NULL, 0, NULL);
}

static void release_layer(struct kept *c)
{
	struct layer l = LAYER_INIT;

	fd_close(&c->fds[SQUASHD_STAND_READ_LOCK]);
	if (c->fds[SQUASHD_STAND_LAYER] < 0)
		return;
	l.dir = take_fd(&c->fds[SQUASHD_STAND_LAYER]);
	l.lock = take_fd(&c->fds[SQUASHD_STAND_LAYER_LOCK]);
	l.upper = take_fd(&c->fds[SQUASHD_STAND_UPPER]);
	l.work = take_fd(&c->fds[SQUASHD_STAND_WORK]);
	l.parent = take_fd(&c->fds[SQUASHD_STAND_PARENT]);
	if (c->is_kept) {
		layer_clean_later(&l);
		return;
	}
	l.name = strdup(c->id);
	if (l.name)
		scratch_discard(&l, -1);
	else
		layer_close(&l);
}

static void unlink_record(struct kept *c)
{
	(void)unlinkat(c->fds[SQUASHD_STAND_INSTANCES], c->id, 0);
	fd_close(&c->fds[SQUASHD_STAND_RECORD]);
	fd_close(&c->fds[SQUASHD_STAND_INSTANCES]);
}

static void discard(struct kept *c)
{
	for (int i = 0; i < SQUASHD_STAND_MAX; i++)
		fd_close(&c->fds[i]);
	free(c);
}

/* Ends what has ended, and no more. */
static void look(struct keeping *k, struct kept *c)
{
	struct kept **at = &k->all;

	if (!c->main_is_dead || c->watch >= 0)
		return;
	while (*at != c)
		at = &(*at)->next;
	*at = c->next;
	release_layer(c);
	tell_server(k);
	discard(c);
}

/* Closing is not enough to hear of it no more: a process with a copy keeps it in the epoll set. */
static void main_died(struct keeping *k, struct kept *c)
{
	c->main_is_dead = true;
	(void)epoll_ctl(k->epoll_fd, EPOLL_CTL_DEL, c->fds[SQUASHD_STAND_PIDFD], NULL);
	fd_close(&c->fds[SQUASHD_STAND_PIDFD]);
	unlink_record(c);
	look(k, c);
}

static void read_unmounts(struct keeping *k)
{
	_Alignas(struct inotify_event) char buf[4096];
	ssize_t n = read(k->inotify_fd, buf, sizeof(buf));

	for (ssize_t at = 0; at < n;) {
		const struct inotify_event *ev = (const void *)(buf + at);
		struct kept *next;

		for (struct kept *c = k->all; c && ev->mask & IN_IGNORED; c = next) {
			next = c->next;
			if (c->watch != ev->wd)
				continue;
			c->watch = -1;
			look(k, c);
		}
		at += (ssize_t)sizeof(*ev) + ev->len;
	}
}

/* The root is closed as soon as it is watched: it is what would keep it mounted. */
static void take_one(struct keeping *k)
{
	struct kept *c = calloc(1, sizeof(*c));
	struct keeper_order order;
	ssize_t n;

	if (!c)
		_exit(1);
	n = fd_recv(SERVER_FD, &order, sizeof(order), c->fds, SQUASHD_STAND_MAX, NULL);
	if (n == -EAGAIN) {
		free(c);
		return;
	}
	if (n != sizeof(order)) {
		free(c);
		k->server_is_gone = true;
		(void)epoll_ctl(k->epoll_fd, EPOLL_CTL_DEL, SERVER_FD, NULL);
		return;
	}
	memcpy(c->id, order.id, sizeof(c->id) - 1);
	c->is_kept = order.is_kept;
	c->watch = watch_root(k, c->fds[SQUASHD_STAND_ROOT]);
	fd_close(&c->fds[SQUASHD_STAND_ROOT]);
	c->next = k->all;
	k->all = c;
	if (!wait_for(k, c->fds[SQUASHD_STAND_PIDFD], c))
		main_died(k, c);
}

static void run(struct keeping *k)
{
	struct epoll_event events[EVENTS_AT_ONCE];

	while (!k->server_is_gone || k->all) {
		int n = epoll_wait(k->epoll_fd, events, 1, -1);

		/* One at a time: handling it may free what another one points to. */
		if (n < 0 && errno != EINTR)
			return;
		if (n <= 0)
			continue;
		if (events[0].data.ptr == k)
			take_one(k);
		else if (events[0].data.ptr == &k->inotify_fd)
			read_unmounts(k);
		else
			main_died(k, events[0].data.ptr);
	}
}

static void keeper_main(int sock)
{
	struct keeping k = {.epoll_fd = -1, .inotify_fd = -1};
	sigset_t all;

	(void)prctl(PR_SET_NAME, "csbx-keeper");
	world_drop_host();
	sigfillset(&all);
	if (sigprocmask(SIG_SETMASK, &all, NULL) < 0)
		return;
	/* 1 and 2 stay what they are in the server: a file opened in /dev while that is being made
	 * would keep it from becoming read-only. */
	if (dup2(sock, SERVER_FD) < 0)
		return;
	fd_close_from(3);
	if (confine_keeper(NULL) < 0)
		return;
	k.epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	k.inotify_fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (k.epoll_fd < 0 || !wait_for(&k, SERVER_FD, &k))
		return;
	if (k.inotify_fd >= 0 && !wait_for(&k, k.inotify_fd, &k.inotify_fd))
		return;
	run(&k);
}

/* --- the server's side -------------------------------------------------------------------- */

int keeper_start(struct keeper *k, struct err *e)
{
	int pair[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return err_sys(e, "socketpair");
	pid = fork();
	if (!pid) {
		keeper_main(pair[1]);
		_exit(0);
	}
	close(pair[1]);
	k->sock = pair[0];
	return pid < 0 ? err_sys(e, "fork") : 0;
}

void keeper_take(struct keeper *k, const char *id, bool is_kept, const int *fds)
{
	struct keeper_order order = {.is_kept = is_kept};
	unsigned n = 0;

	memcpy(order.id, id, strnlen(id, sizeof(order.id) - 1));
	while (n < SQUASHD_STAND_MAX && fds[n] >= 0)
		n++;
	if (k->sock >= 0 && n >= SQUASHD_STAND_MIN)
		(void)fd_send(k->sock, &order, sizeof(order), fds, n, NULL);
}

unsigned keeper_ended(struct keeper *k)
{
	char c;

	/* It was killed: the containers that it stood in for stay counted for good. */
	if (fd_recv(k->sock, &c, 1, NULL, 0, NULL) != 1) {
		fd_close(&k->sock);
		return 0;
	}
	return 1;
}
