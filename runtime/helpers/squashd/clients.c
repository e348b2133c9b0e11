/* SPDX-License-Identifier: Apache-2.0 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/helpers/squashd/fuse_serve.h"
#include "runtime/helpers/squashd/server.h"

#define ADD_MS 1000 /* for a client that has a file added */
#define START_MS 20 /* the next network namespace is not made while a start needs the CPUs */

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
 * ahead, while the container before starts, off the path of the next one; not where that would only
 * take the CPU from this one.
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

/* -1: none was made from that one. */
static int apart_of(const struct server *s, uint64_t id)
{
	for (unsigned i = 0; i < s->n_aparts; i++) {
		if (s->aparts[i].id == id)
			return s->aparts[i].fd;
	}
	return -1;
}

static int send_descriptors(struct server *s, int fd, struct squashd_reply *reply,
			    const struct squashd_request *q, const int *above, struct err *e)
{
	size_t n = s->world.image_fd >= 0 ? SQUASHD_FD_MAX : SQUASHD_FD_IMAGE;
	int fds[SQUASHD_FDS_MAX], r = make_clones(s, e);
	struct net_traces net = NET_TRACES_INIT;

	if (r < 0)
		return r;
	if (reply->has_net)
		net = attendant_take_net(&s->attendant);
	fds[SQUASHD_FD_USERNS] = s->world.userns_fd;
	fds[SQUASHD_FD_INIT] = s->world.init_fd;
	fds[SQUASHD_FD_DEV] = s->next_dev_fd;
	fds[SQUASHD_FD_IMAGE] = s->next_image_fd;
	for (unsigned i = 0; i < q->n_above; i++)
		fds[n++] = above[i];
	if (reply->has_net)
		fds[n++] = net.ns_fd;
	for (unsigned i = 0; i < NET_TRACES; i++) {
		if (net.fds[i] < 0)
			continue;
		reply->net_traces |= 1u << i;
		fds[n++] = net.fds[i];
	}
	if (reply->has_apart)
		fds[n++] = apart_of(s, q->apart_id);
	r = fd_send(fd, reply, sizeof(*reply), fds, n, e);
	if (r < 0) {
		attendant_put_net(&s->attendant, &net);
		return r;
	}
	net_traces_close(&net);
	fd_close(&s->next_dev_fd);
	fd_close(&s->next_image_fd);
	return 0;
}

static int send_attached(struct server *s, int fd, struct squashd_reply *reply,
			 const struct squashd_request *q, struct err *e)
{
	int clones[SPEC_STACK_MAX - 1], r = 0;
	unsigned n = 0;

	while (r >= 0 && n < q->n_above) {
		r = clone_tree(aboves_mount(&s->aboves, &q->above[n]), 0, e);
		if (r >= 0)
			clones[n++] = r;
	}
	if (r >= 0)
		r = send_descriptors(s, fd, reply, q, clones, e);
	while (n)
		close(clones[--n]);
	return r;
}

static void fill_reply(struct server *s, struct squashd_reply *reply)
{
	*reply = (struct squashd_reply){
		.magic = SQUASHD_PROTO_MAGIC,
		.containers = s->containers,
		.init_is_file = s->world.init_is_file,
		.server_pid = s->pid,
		.uid = s->boot.key.uid,
		.gid = s->boot.key.gid,
		.image = s->boot.key.image,
		.lacks_xattrs = s->world.lacks_xattrs,
		.fuse_requests =
			s->fuse ? fuse_server_requests(s->fuse) + aboves_requests(&s->aboves) : 0,
	};
	memcpy(reply->job, s->boot.job, sizeof(reply->job));
}

/* The client has a copy, which would keep it in the epoll set, and the number may be another's. */
static void forget_step(struct server *s)
{
	if (s->step_fd >= 0)
		(void)epoll_ctl(s->epoll_fd, EPOLL_CTL_DEL, s->step_fd, NULL);
	fd_close(&s->step_fd);
}

void clients_step_ended(struct server *s)
{
	forget_step(s);
	s->linger_ms = 0;
	s->leave_at_ms = server_now_ms();
}

/* The clients of a server are of one step, or one of them is of none: the latest counts. */
static void watch_step(struct server *s, int *fd)
{
	forget_step(s);
	if (*fd < 0 || server_watch(s, *fd, NULL) < 0)
		return;
	s->step_fd = take_fd(fd);
}

/* By the raw call: the filter has no other than fstat(2). */
static bool is_callers_userns(const struct server *s, int fd)
{
	struct stat st;

	return fd >= 0 && syscall(SYS_fstat, fd, &st) == 0 && st.st_dev == s->nsfs_dev &&
	       st.st_ino == s->boot.key.userns_ino;
}

static void turn_away(int fd)
{
	const struct squashd_reply reply = {
		.magic = SQUASHD_PROTO_MAGIC,
		.code = EPERM,
		.msg = "the image server serves only processes of its caller's user namespace",
	};

	(void)fd_send(fd, &reply, sizeof(reply), NULL, 0, NULL);
}

/* One bit for each of the files above that this server does not serve. */
static uint32_t lacks(struct server *s, const struct squashd_request *q)
{
	uint32_t bits = 0;

	for (unsigned i = 0; i < q->n_above; i++) {
		if (aboves_mount(&s->aboves, &q->above[i]) < 0)
			bits |= 1u << i;
	}
	return bits;
}

/* The place where a file is added is told instead of an answer. */
static int ask_for_files(struct server *s, int fd, const struct squashd_reply *reply, struct err *e)
{
	const int fds[] = {
		[SQUASHD_FD_USERNS] = s->world.userns_fd, [SQUASHD_FD_MNTNS] = s->world.mntns_fd};

	/* It may be that no client is attached yet: the one that is about to be is waited for. */
	if (s->leave_at_ms < server_now_ms() + ADD_MS)
		s->leave_at_ms = server_now_ms() + ADD_MS;
	return fd_send(fd, reply, sizeof(*reply), fds, 2, e);
}

static void add(struct server *s, const struct squashd_request *q, int *fds,
		struct squashd_reply *reply)
{
	const struct fuse_policy policy = server_policy(s);
	struct err e = ERR_INIT;
	int r, fuse_fd = -1;

	if (!s->image || q->n_above != 1)
		r = err_set(&e, EPROTO, "no file can be added to this server");
	else
		r = aboves_add(&s->aboves, &q->above[0], q->place, fds, &policy, s->fuse, &fuse_fd,
			       &reply->gone_place, &e);
	if (fuse_fd >= 0 && server_watch(s, fuse_fd, &e) < 0)
		r = -e.code;
	if (r < 0)
		fail_reply(reply, &e);
}

static int attach(struct server *s, int fd, const struct squashd_request *q, int *step_fd,
		  struct err *e)
{
	struct squashd_reply reply;
	int r;

	if (s->clients[fd].is_attached)
		return err_set(e, EINVAL, "attached already");
	if (memcmp(&q->key, &s->boot.key, sizeof(q->key)) != 0)
		return err_set(e, EEXIST, "another image server has the same name");
	if (q->n_above >= SPEC_STACK_MAX || (q->n_above && !s->image))
		return err_set(e, EPROTO, "too many files");
	if (s->attendant.is_asked) /* it may just have got ready */
		attendant_answered(&s->attendant);
	fill_reply(s, &reply);
	reply.lacks = lacks(s, q);
	if (reply.lacks)
		return ask_for_files(s, fd, &reply, e);
	reply.containers += !q->is_spare;
	reply.has_net = q->wants_net && s->attendant.n_nets;
	reply.has_apart = q->apart_id && apart_of(s, q->apart_id) >= 0;
	reply.wants_apart = q->apart_id && !reply.has_apart && s->n_aparts < APARTS_MAX;
	r = send_attached(s, fd, &reply, q, e);
	if (r < 0)
		return r;
	s->clients[fd].is_attached = true;
	s->clients[fd].is_spare = q->is_spare;
	if (q->is_spare)
		return 0;
	s->containers++;
	attendant_count(&s->attendant, s->containers, server_now_ms());
	s->linger_ms = q->linger_ms;
	watch_step(s, step_fd);
	if (q->wants_net)
		attendant_want(&s->attendant, server_now_ms() + START_MS);
	return 0;
}

static bool keep(struct client *c, int *fd)
{
	if (!c->is_attached || c->left.mounts_fd >= 0 || *fd < 0)
		return false;
	c->left.mounts_fd = take_fd(fd);
	return true;
}

static bool take_left(struct client *c, const struct squashd_request *q, int *passed)
{
	int all[SQUASHD_LEFT_MAX];
	unsigned n = 0;

	if (!c->is_attached || c->left.mounts_fd >= 0 || c->left.net.ns_fd >= 0)
		return false;
	for (unsigned i = 0; i < SQUASHD_LEFT_MAX; i++)
		all[i] = q->left & 1u << i ? take_fd(&passed[n++]) : -1;
	c->left.mounts_fd = all[SQUASHD_LEFT_MOUNTS];
	c->left.net.ns_fd = all[SQUASHD_LEFT_NET];
	for (unsigned i = 0; i < NET_TRACES; i++)
		c->left.net.fds[i] = all[SQUASHD_LEFT_TRACES + i];
	return true;
}

/* The first one stays: two starts that found none may have made one each. */
static bool take_apart(struct server *s, const struct client *c, const struct squashd_request *q,
		       int *fds)
{
	if (!c->is_attached || fds[0] < 0 || fds[1] < 0 || !q->apart_id)
		return false;
	if (s->n_aparts < APARTS_MAX && apart_of(s, q->apart_id) < 0)
		s->aparts[s->n_aparts++] = (struct apart){
			.fd = take_fd(&fds[0]), .net_fd = take_fd(&fds[1]), .id = q->apart_id};
	return true;
}

/*
 * The container goes on without its connection. Should the keeper be gone, it is counted for good:
 * better a server too many than a container without its image.
 */
static bool stand_in(struct server *s, struct client *c, const struct squashd_request *q,
		     const int *fds)
{
	if (!c->is_attached || c->is_spare || !memchr(q->id, 0, sizeof(q->id)))
		return false;
	c->is_attached = false;
	keeper_take(&s->keeper, q->id, q->is_kept, fds);
	return true;
}

/* A server that leaves does not answer any more. */
static int take_spare(struct server *s, struct client *c, const struct squashd_request *q,
		      struct err *e)
{
	if (!c->is_attached || !c->is_spare)
		return err_set(e, EPROTO, "no spare");
	c->is_spare = false;
	s->containers++;
	s->linger_ms = q->linger_ms;
	return 0;
}

/* As below; of the descriptors what is needed is taken. */
static bool answer(struct server *s, int fd, const struct squashd_request *q, int *passed)
{
	struct squashd_reply reply;
	struct err e = ERR_INIT;

	if (!s->clients[fd].is_outside && !is_callers_userns(s, passed[0])) {
		turn_away(fd);
		return false;
	}
	s->clients[fd].is_outside = true;
	if (q->type == SQUASHD_KEEP)
		return keep(&s->clients[fd], &passed[0]);
	if (q->type == SQUASHD_LEFT)
		return take_left(&s->clients[fd], q, passed);
	if (q->type == SQUASHD_APART)
		return take_apart(s, &s->clients[fd], q, passed);
	if (q->type == SQUASHD_STAND_IN)
		return stand_in(s, &s->clients[fd], q, passed);
	if (q->type == SQUASHD_ATTACH) {
		if (attach(s, fd, q, &passed[1], &e) >= 0) {
			if (!s->has_one_cpu)
				(void)make_clones(s, NULL);
			if (s->fuse)
				fuse_server_get_ready(s->fuse);
			return true;
		}
		fill_reply(s, &reply);
		fail_reply(&reply, &e);
	} else {
		fill_reply(s, &reply);
		if (q->type == SQUASHD_ADD)
			add(s, q, passed, &reply);
		else if (q->type == SQUASHD_TAKEN && take_spare(s, &s->clients[fd], q, &e) < 0)
			fail_reply(&reply, &e);
		else if (q->type == SQUASHD_QUIT)
			s->must_leave = true;
		else if (q->type != SQUASHD_STATUS && q->type != SQUASHD_TAKEN)
			reply.code = EPROTO;
	}
	(void)fd_send(fd, &reply, sizeof(reply), NULL, 0, NULL);
	/* A container asks whether we are well; its connection stays. */
	return q->type == SQUASHD_ADD || ((q->type == SQUASHD_STATUS || q->type == SQUASHD_TAKEN) &&
					  s->clients[fd].is_attached);
}

/* Returns false when the connection is to be closed. */
static bool handle_request(struct server *s, int fd)
{
	int passed[SQUASHD_STAND_MAX];
	struct squashd_request q;
	struct err e = ERR_INIT;
	ssize_t n = fd_recv(fd, &q, sizeof(q), passed, SQUASHD_STAND_MAX, &e);
	bool stays;

	if (n == -EAGAIN)
		return true;
	if (n < 0)
		return false;
	stays = n == (ssize_t)sizeof(q) && q.magic == SQUASHD_PROTO_MAGIC &&
		answer(s, fd, &q, passed);
	for (int i = 0; i < SQUASHD_STAND_MAX; i++)
		fd_close(&passed[i]);
	return stays;
}

/*
 * Makes the next container's network namespace now, while no start needs the CPUs. Not with one CPU
 * only, which the caller that waits for this end needs, and not if the server leaves too.
 */
static void end_container(struct server *s)
{
	int64_t now_ms = server_now_ms();

	if (!--s->containers)
		s->leave_at_ms = now_ms + s->linger_ms;
	attendant_count(&s->attendant, s->containers, now_ms);
	if (!s->has_one_cpu && (s->containers || s->linger_ms))
		attendant_hurry(&s->attendant, now_ms);
}

static void drop(struct server *s, int fd)
{
	struct client *c = &s->clients[fd];

	close(fd);
	if (!c->is_attached)
		return;
	c->is_attached = false;
	attendant_take_down(&s->attendant, &c->left);
	if (!c->is_spare)
		end_container(s);
}

void clients_stood_in_gone(struct server *s)
{
	end_container(s);
}

static bool has_slot(struct server *s, int fd)
{
	size_t n = s->n_slots;
	struct client *grown;

	while (n <= (size_t)fd)
		n = n ? n * 2 : 64;
	if (n == s->n_slots)
		return true;
	grown = realloc(s->clients, n * sizeof(*grown));
	if (!grown)
		return false;
	s->clients = grown;
	for (; s->n_slots < n; s->n_slots++)
		grown[s->n_slots] = (struct client){.left = LEFT_INIT};
	return true;
}

bool clients_accept(struct server *s)
{
	_close_ int fd = accept4(LISTEN_FD, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	socklen_t len = sizeof(struct ucred);
	struct ucred peer;

	if (fd < 0 || getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) < 0)
		return false;
	if (peer.uid != s->boot.key.uid || !has_slot(s, fd) || server_watch(s, fd, NULL) < 0)
		return false;
	s->clients[fd].is_outside = false;
	take_fd(&fd);
	return true;
}

void clients_handle(struct server *s, int fd)
{
	if (!handle_request(s, fd))
		drop(s, fd);
}
