/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The warm path is one connect, one message each way: nothing is opened but the socket and
 * /proc/self/cgroup. Only when no server answers are the directory, the image and csbx-init opened
 * and a server started (runtime/server/start.c). Between the two messages the caller has
 * other things to do, and a new server has all of its set-up to do.
 */
#include "runtime/server/client.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/clock.h"
#include "runtime/cgroup/batch_step.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/str.h"
#include "runtime/cgroup/parent.h"
#include "runtime/server/image_file.h"
#include "runtime/settings/bundle_self.h"
#include "runtime/settings/paths.h"
#include "runtime/kernel/peer.h"
#include "runtime/server/init_file.h"
#include "runtime/server/key.h"
#include "runtime/server/start.h"
#include "runtime/spec/image_id.h"
#include "runtime/server/stack_add.h"

#define GIVE_UP_MS 5000
#define ADD_TRIES 4   /* others may have more files served meanwhile than there is room for */
#define START_TRIES 4 /* servers of ours that may die before it is an error */

struct squashd_attach {
	const struct paths *paths;
	const struct rootfs_spec *rootfs;
	struct squashd_boot boot;
	struct squashd_request request;
	int sock;      /* the request is on its way */
	int userns_fd; /* the caller's own */
	int step_fd;   /* batch_step.h, or -1 */
	char *servers; /* path of the directory */
	char *init;
	int started; /* how many servers this call has started */
	uint64_t deadline_ms;
};

void squashd_link_close(struct squashd_link *l)
{
	fd_close(&l->sock);
	fd_close(&l->userns_fd);
	fd_close(&l->init_fd);
	fd_close(&l->dev_fd);
	for (unsigned i = 0; i < SPEC_STACK_MAX; i++)
		fd_close(&l->image_fds[i]);
	net_traces_close(&l->net);
	fd_close(&l->apart_fd);
}

static int went_away(struct err *e)
{
	return err_from(ERR_IMAGE_SERVER, e, err_set(e, EPIPE, "the image server went away"));
}

/* -EPIPE means the server closed the connection without an answer: it was leaving, or it died. */
static int send_request(int sock, const struct squashd_request *q, int userns_fd, int step_fd,
			struct err *e)
{
	const int fds[] = {userns_fd, step_fd};
	int r = fd_send_patient(sock, q, sizeof(*q), fds, step_fd >= 0 ? 2 : 1, e);

	return r == -EPIPE || r == -ECONNRESET ? went_away(e) : r;
}

static int receive_reply(int sock, struct squashd_reply *ret, int *fds, size_t n_fds, struct err *e)
{
	ssize_t n = fd_recv(sock, ret, sizeof(*ret), fds, n_fds, e);
	struct ucred peer = {.pid = 0};
	socklen_t len = sizeof(peer);

	if (n == 0 || n == -ECONNRESET)
		return went_away(e);
	if (n == -EAGAIN) {
		(void)getsockopt(sock, SOL_SOCKET, SO_PEERCRED, &peer, &len);
		*ret = (struct squashd_reply){.code = ETIMEDOUT, .server_pid = peer.pid};
		return err_from(ERR_IMAGE_SERVER, e,
				err_set(e, ETIMEDOUT,
					"the image server (pid %d) does not answer: stopped? (kill "
					"-CONT %d "
					"wakes it, csbx gc --servers ends an idle one)",
					peer.pid, peer.pid));
	}
	if (n < 0)
		return (int)n;
	if (n != (ssize_t)sizeof(*ret) || ret->magic != SQUASHD_PROTO_MAGIC)
		return err_from(ERR_IMAGE_SERVER, e,
				err_set(e, EPROTO, "the image server speaks another protocol"));
	ret->msg[sizeof(ret->msg) - 1] = 0;
	return ret->code ? err_set(e, ret->code, "%s", ret->msg) : 0;
}

/*
 * Two things that a server sends decide over the host: the user namespace that is entered, and the
 * program that is executed.
 */
static int not_trusted(struct err *e)
{
	return err_from(ERR_IMAGE_SERVER, e, err_wrap(e, "what the image server sent"));
}

int squashd_link_check_init(const struct squashd_link *l, const struct paths *paths, struct err *e)
{
	_free_ char *installed = paths_helper(paths, "csbx-init");

	if (!installed)
		return err_oom(e);
	return init_file_check(l->init_fd, installed, e) < 0 ? not_trusted(e) : 0;
}

/* Has the server serve what it lacks, and asks again: -EAGAIN, so that its answer is awaited. */
static int add_files(struct squashd_attach *a, uint32_t lacks, int fds[SQUASHD_FDS_MAX],
		     struct err *e)
{
	const struct stack_add where = {.sock = a->sock,
					.userns_fd = fds[SQUASHD_FD_USERNS],
					.mntns_fd = fds[SQUASHD_FD_MNTNS],
					.key = &a->boot.key};
	int r = peer_check_child(where.userns_fd, a->userns_fd, e);

	for (unsigned i = 0; r >= 0 && i < a->request.n_above; i++) {
		const struct rootfs_part file = rootfs_part_at(a->rootfs, i + 1);

		if (lacks & 1u << i)
			r = stack_add(&where, &file, e);
	}
	for (unsigned i = 0; i < SQUASHD_FDS_MAX; i++)
		fd_close(&fds[i]);
	if (r >= 0)
		r = send_request(a->sock, &a->request, a->userns_fd, a->step_fd, e);
	return r < 0 ? r : -EAGAIN;
}

/* How many descriptors that was. */
static unsigned take_net(const struct squashd_reply *reply, const int *fds, struct net_traces *ret)
{
	unsigned n = 0;

	ret->ns_fd = fds[n++];
	for (unsigned i = 0; i < NET_TRACES; i++) {
		if (reply->net_traces & 1u << i)
			ret->fds[i] = fds[n++];
	}
	return n;
}

static int receive_link(struct squashd_attach *a, struct squashd_link *ret, struct err *e)
{
	const unsigned n_images = a->boot.key.kind == ROOTFS_SQUASHFS ? 1 + a->request.n_above : 0;
	struct squashd_link l = SQUASHD_LINK_INIT;
	int fds[SQUASHD_FDS_MAX];
	struct squashd_reply reply;
	bool has_images = true;
	unsigned n;
	int r;

	for (int i = 0; i < SQUASHD_FDS_MAX; i++)
		fds[i] = -1;
	r = receive_reply(a->sock, &reply, fds, SQUASHD_FDS_MAX, e);
	if (r >= 0 && reply.lacks)
		return add_files(a, reply.lacks, fds, e);

	l.userns_fd = fds[SQUASHD_FD_USERNS];
	l.init_fd = fds[SQUASHD_FD_INIT];
	l.dev_fd = fds[SQUASHD_FD_DEV];
	for (unsigned i = 0; i < n_images; i++) {
		l.image_fds[i] = fds[SQUASHD_FD_IMAGE + i];
		has_images &= l.image_fds[i] >= 0;
	}
	l.n_images = n_images;
	n = SQUASHD_FD_IMAGE + n_images;
	if (r >= 0 && reply.has_net)
		n += take_net(&reply, fds + n, &l.net);
	if (r >= 0 && reply.has_apart)
		l.apart_fd = fds[n++];
	l.apart_id = a->request.apart_id;
	l.wants_apart = reply.wants_apart;
	if (r >= 0 &&
	    (l.dev_fd < 0 || !has_images || fds[n - 1] < 0 || (n < SQUASHD_FDS_MAX && fds[n] >= 0)))
		r = err_from(ERR_IMAGE_SERVER, e,
			     err_set(e, EPROTO, "the image server sent the wrong descriptors"));
	if (r >= 0 && peer_check_child(l.userns_fd, a->userns_fd, e) < 0)
		r = not_trusted(e);
	if (r < 0) {
		squashd_link_close(&l);
		return r;
	}
	l.sock = take_fd(&a->sock);
	l.init_is_file = reply.init_is_file;
	l.lacks_xattrs = reply.lacks_xattrs;
	l.started = a->started > 0;
	l.containers = reply.containers;
	l.server_pid = reply.server_pid;
	memcpy(l.server, a->boot.name, sizeof(l.server));
	l.fuse_requests = reply.fuse_requests;
	*ret = l;
	return 0;
}

static int open_image(const struct rootfs_spec *rootfs, struct err *e)
{
	int flags = rootfs->kind == ROOTFS_DIRECTORY ? O_PATH | O_DIRECTORY : O_RDONLY | O_NONBLOCK;
	const struct rootfs_part lowest = rootfs_part_at(rootfs, 0);
	_close_ int fd = open(lowest.path, flags | O_CLOEXEC | O_NOCTTY);
	struct image_id id;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return err_sys(e, "open");
	if (rootfs->kind == ROOTFS_SQUASHFS && !S_ISREG(st.st_mode))
		return err_set(e, EINVAL, "not a regular file");
	image_id_from_stat(&id, &st);
	if (!image_id_same(&id, &lowest.id))
		return err_set(e, ESTALE, "changed or replaced since it was pinned");
	return take_fd(&fd);
}

/* For a socket whose maker was killed before its server listens, and for the next look. */
static int wait_a_little(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	return -EPIPE;
}

/* Starts the server unless somebody else has, or is just about to: then 0, and the caller looks
 * again. */
static int start(struct squashd_attach *a, struct err *e)
{
	_close_ int dirfd = -1, lock = -1, sock = -1, image = -1, init = -1;
	_free_ char *program = NULL;
	struct squashd_start s;
	int r;

	dirfd = paths_open(a->paths->runtime, "servers", e);
	if (dirfd < 0)
		return dirfd;
	lock = squashd_lock(dirfd, e);
	if (lock == -EAGAIN) {
		(void)wait_a_little();
		return 0;
	}
	if (lock < 0)
		return lock;
	sock = squashd_connect(a->servers, dirfd, a->boot.name, e);
	if (sock >= 0 || sock == -ESRCH)
		return 0;
	if (sock != -ENOENT && sock != -ECONNREFUSED)
		return sock;
	if (a->started >= START_TRIES)
		return err_from(ERR_IMAGE_SERVER, e,
				err_set(e, EIO, "the image server ended before it answered"));
	program = paths_helper(a->paths, "csbx-squashd");
	if (!program)
		return err_oom(e);
	image = open_image(a->rootfs, e);
	if (image < 0)
		return image;
	init = open(a->init, O_RDONLY | O_CLOEXEC);
	if (init < 0)
		return err_sys(e, "open %s", a->init);
	s = (struct squashd_start){.dirfd = dirfd,
				   .program = program,
				   .boot = &a->boot,
				   .image_fd = image,
				   .init_fd = init};
	r = squashd_spawn(&s, e);
	if (r >= 0)
		a->started++;
	return r;
}

static int connect_server(struct squashd_attach *a, struct err *e)
{
	int sock = squashd_connect(a->servers, -1, a->boot.name, e);
	_close_ int dirfd = -1;

	if (sock != -ENAMETOOLONG)
		return sock;
	dirfd = paths_open(a->paths->runtime, "servers", e);
	return dirfd < 0 ? dirfd : squashd_connect(a->servers, dirfd, a->boot.name, e);
}

/* Until the request is on its way: a server is started where no process listens. */
static int ask_server(struct squashd_attach *a, struct err *e)
{
	for (;;) {
		int r;

		fd_close(&a->sock);
		a->sock = r = connect_server(a, e);
		if (r >= 0)
			r = send_request(a->sock, &a->request, a->userns_fd, a->step_fd, e);
		else if (r == -ENOENT || r == -ECONNREFUSED)
			r = start(a, e) < 0 ? -e->code : -EPIPE;
		else if (r == -ESRCH)
			r = wait_a_little();
		if (r != -EPIPE)
			return r;
		if (clock_monotonic_ms() > a->deadline_ms)
			return err_from(ERR_IMAGE_SERVER, e,
					err_set(e, ETIMEDOUT, "no image server could be started"));
	}
}

static int attach_new(const struct paths *paths, const struct container_spec *spec,
		      const struct id_map *map, struct squashd_attach **ret, struct err *e)
{
	struct squashd_attach *a = calloc(1, sizeof(*a));
	int r;

	*ret = a;
	if (!a)
		return err_oom(e);
	a->sock = -1;
	a->step_fd = batch_step_open();
	a->userns_fd = peer_own_userns(e);
	if (a->userns_fd < 0)
		return a->userns_fd;
	a->paths = paths;
	a->rootfs = &spec->rootfs;
	a->deadline_ms = clock_monotonic_ms() + GIVE_UP_MS;
	a->servers = str_printf("%s/servers", paths->runtime);
	a->init = paths_helper(paths, "csbx-init");
	if (!a->servers || !a->init)
		return err_oom(e);
	r = squashd_key_fill(&a->boot.key, spec, map, a->init, a->userns_fd, e);
	if (r < 0)
		return r;
	/*
	 * Each run of a bundle makes a file of its own for init: its source is the same.
	 */
	if (paths->bundle)
		a->boot.key.init = paths->bundle->id;
	squashd_key_name(&a->boot.key, a->boot.name);
	if (cgroup_batch_job())
		snprintf(a->boot.job, sizeof(a->boot.job), "%s", cgroup_batch_job());
	a->boot.magic = a->request.magic = SQUASHD_PROTO_MAGIC;
	a->request.type = SQUASHD_ATTACH;
	a->request.linger_ms = paths->linger_ms;
	a->boot.wants_net = a->request.wants_net = spec->ns.net == NET_NONE;
	a->request.key = a->boot.key;
	if (spec_shows_nothing_of_host(spec))
		a->request.apart_id = peer_own_mounts_id();
	for (size_t i = 1; spec->rootfs.kind == ROOTFS_SQUASHFS && i <= spec->rootfs.n_lowers; i++)
		a->request.above[a->request.n_above++] = rootfs_part_at(&spec->rootfs, i).id;
	return 0;
}

void squashd_attach_cancel(struct squashd_attach **ap)
{
	struct squashd_attach *a = *ap;

	*ap = NULL;
	if (!a)
		return;
	fd_close(&a->sock);
	fd_close(&a->step_fd);
	fd_close(&a->userns_fd);
	free(a->servers);
	free(a->init);
	free(a);
}

int squashd_attach_begin(const struct paths *paths, const struct container_spec *spec,
			 const struct id_map *map, bool is_spare, struct squashd_attach **ret,
			 struct err *e)
{
	struct err local = ERR_INIT;
	int r;

	if (!e)
		e = &local;
	r = attach_new(paths, spec, map, ret, e);
	if (r >= 0)
		(*ret)->request.is_spare = is_spare;
	if (r >= 0)
		r = ask_server(*ret, e);
	if (r >= 0)
		return 0;
	squashd_attach_cancel(ret);
	return err_wrap(e, "image %s", spec->rootfs.path);
}

int squashd_attach_finish(struct squashd_attach **ap, struct squashd_link *ret, struct err *e)
{
	struct squashd_attach *a = *ap;
	struct err local = ERR_INIT;
	int r, added = 0;

	if (!e)
		e = &local;
	*ret = (struct squashd_link)SQUASHD_LINK_INIT;
	do {
		r = receive_link(a, ret, e);
	} while ((r == -EAGAIN && ++added < ADD_TRIES) ||
		 (r == -EPIPE && clock_monotonic_ms() < a->deadline_ms &&
		  (r = ask_server(a, e)) >= 0));
	if (r == -EAGAIN)
		r = err_from(ERR_IMAGE_SERVER, e,
			     err_set(e, EBUSY, "the image server has too many files to serve"));
	if (r < 0)
		(void)err_wrap(e, "image %s", a->rootfs->path);
	squashd_attach_cancel(ap);
	return r;
}

int squashd_attach(const struct paths *paths, const struct container_spec *spec,
		   const struct id_map *map, struct squashd_link *ret, struct err *e)
{
	struct squashd_attach *a;
	int r = squashd_attach_begin(paths, spec, map, false, &a, e);

	*ret = (struct squashd_link)SQUASHD_LINK_INIT;
	return r < 0 ? r : squashd_attach_finish(&a, ret, e);
}

int squashd_ask(int servers_dirfd, const char *name, enum squashd_request_type type,
		struct squashd_reply *ret, struct err *e)
{
	struct squashd_request q = {.magic = SQUASHD_PROTO_MAGIC, .type = type};
	_close_ int sock = squashd_connect(NULL, servers_dirfd, name, e), userns = -1;
	int r = sock;

	if (r >= 0)
		r = userns = peer_own_userns(e);
	if (r >= 0)
		r = send_request(sock, &q, userns, -1, e);
	return r < 0 ? r : receive_reply(sock, ret, NULL, 0, e);
}
