/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The warm path is one connect, one message each way: nothing is opened but the socket and
 * /proc/self/cgroup. Only when nobody answers are the directory, the image and csbx-init opened
 * and a server started (runtime/squashd_start.c).
 */
#include "runtime/squashd_client.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/num.h"
#include "runtime/base/str.h"
#include "runtime/paths.h"
#include "runtime/squashd_key.h"
#include "runtime/squashd_start.h"

#define LINGER_DEFAULT_MS 60000u
#define GIVE_UP_MS 5000
#define START_TRIES 4 /* servers of ours that may die before it is an error */

struct attach {
	const struct paths *paths;
	const struct container_spec *spec;
	_Alignas(8) struct squashd_boot boot;
	struct squashd_request request;
	char *servers; /* path of the directory */
	char *init;
	int started; /* how many servers this call has started */
	int64_t deadline_ms;
};

void squashd_link_close(struct squashd_link *l)
{
	fd_close(&l->sock);
	fd_close(&l->userns_fd);
	fd_close(&l->init_fd);
	fd_close(&l->dev_fd);
	fd_close(&l->image_fd);
}

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int linger_ms(uint32_t *ret, struct err *e)
{
	const char *v = getenv("CSBX_LINGER");
	uint64_t ms = LINGER_DEFAULT_MS;

	if (v && *v && (num_parse_duration(v, &ms) < 0 || ms > UINT32_MAX))
		return err_set(e, EINVAL, "CSBX_LINGER: '%s' is not a duration", v);
	*ret = (uint32_t)ms;
	return 0;
}

/* -EPIPE means the server closed the connection without an answer: it was leaving, or it died. */
static int exchange(int sock, const struct squashd_request *q, struct squashd_reply *ret, int *fds,
		    size_t n_fds, struct err *e)
{
	ssize_t n;
	int r = fd_send(sock, q, sizeof(*q), NULL, 0, e);

	if (r == -EPIPE || r == -ECONNRESET)
		return err_set(e, EPIPE, "the image server went away");
	if (r < 0)
		return r;
	n = fd_recv(sock, ret, sizeof(*ret), fds, n_fds, e);
	if (n == 0 || n == -ECONNRESET)
		return err_set(e, EPIPE, "the image server went away");
	if (n == -EAGAIN) {
		struct ucred peer = {.pid = 0};
		socklen_t len = sizeof(peer);

		(void)getsockopt(sock, SOL_SOCKET, SO_PEERCRED, &peer, &len);
		return err_set(e, ETIMEDOUT, "the image server (pid %d) does not answer: stopped?",
			       peer.pid);
	}
	if (n < 0)
		return (int)n;
	if (n != (ssize_t)sizeof(*ret) || ret->magic != SQUASHD_PROTO_MAGIC)
		return err_set(e, EPROTO, "the image server speaks another protocol");
	ret->msg[sizeof(ret->msg) - 1] = 0;
	return ret->code ? err_set(e, ret->code, "%s", ret->msg) : 0;
}

/* One request on a fresh connection; sock is taken over on success. */
static int request(struct attach *a, int *sock, struct squashd_link *ret, struct err *e)
{
	size_t want = a->boot.key.kind == ROOTFS_SQUASHFS ? SQUASHD_FD_MAX : SQUASHD_FD_IMAGE;
	struct squashd_link l = SQUASHD_LINK_INIT;
	struct squashd_reply reply;
	int fds[SQUASHD_FD_MAX] = {-1, -1, -1, -1};
	int r = exchange(*sock, &a->request, &reply, fds, SQUASHD_FD_MAX, e);

	l.userns_fd = fds[SQUASHD_FD_USERNS];
	l.init_fd = fds[SQUASHD_FD_INIT];
	l.dev_fd = fds[SQUASHD_FD_DEV];
	l.image_fd = fds[SQUASHD_FD_IMAGE];
	if (r >= 0 && (fds[want - 1] < 0 || (want < SQUASHD_FD_MAX && l.image_fd >= 0)))
		r = err_set(e, EPROTO, "the image server sent the wrong descriptors");
	if (r < 0) {
		squashd_link_close(&l);
		return r;
	}
	l.sock = take_fd(sock);
	l.init_is_file = reply.init_is_file;
	l.started = a->started > 0;
	l.containers = reply.containers;
	l.server_pid = reply.server_pid;
	l.fuse_requests = reply.fuse_requests;
	*ret = l;
	return 0;
}

static int open_image(const struct rootfs_spec *rootfs, struct err *e)
{
	int flags = rootfs->kind == ROOTFS_DIRECTORY ? O_PATH | O_DIRECTORY : O_RDONLY | O_NONBLOCK;
	_close_ int fd = open(rootfs->path, flags | O_CLOEXEC | O_NOCTTY);
	struct image_id id;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return err_sys(e, "open");
	if (rootfs->kind == ROOTFS_SQUASHFS && !S_ISREG(st.st_mode))
		return err_set(e, EINVAL, "not a regular file");
	id = image_id_of(&st);
	if (!image_id_equal(&id, &rootfs->id))
		return err_set(e, ESTALE, "changed or replaced since it was pinned");
	return take_fd(&fd);
}

/* Starts the server unless somebody else has, or is just about to: then 0, and the caller looks
 * again. */
static int start(struct attach *a, struct err *e)
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
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
		return 0;
	}
	if (lock < 0)
		return lock;
	sock = squashd_connect(a->servers, dirfd, a->boot.name, e);
	if (sock >= 0)
		return 0;
	if (sock != -ENOENT && sock != -ECONNREFUSED)
		return sock;
	if (a->started >= START_TRIES)
		return err_set(e, EIO, "the image server ended before it answered");
	program = paths_helper(a->paths, "csbx-squashd");
	if (!program)
		return err_set(e, ENOMEM, "out of memory");
	image = open_image(&a->spec->rootfs, e);
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

/* Connect and ask; start a server where nobody listens; again when it left between the two. */
static int attach_loop(struct attach *a, struct squashd_link *ret, struct err *e)
{
	for (;;) {
		_close_ int sock = squashd_connect(a->servers, -1, a->boot.name, e);
		int r = sock;

		if (sock == -ENAMETOOLONG) {
			_close_ int dirfd = paths_open(a->paths->runtime, "servers", e);

			if (dirfd < 0)
				return dirfd;
			r = sock = squashd_connect(a->servers, dirfd, a->boot.name, e);
		}
		if (sock >= 0) {
			r = request(a, &sock, ret, e);
			if (r != -EPIPE)
				return r;
		} else if (r == -ENOENT || r == -ECONNREFUSED) {
			r = start(a, e);
			if (r < 0)
				return r;
		} else {
			return r;
		}
		if (now_ms() > a->deadline_ms)
			return err_set(e, ETIMEDOUT, "no image server could be started");
	}
}

int squashd_attach(const struct paths *paths, const struct container_spec *spec,
		   const struct id_map *map, struct squashd_link *ret, struct err *e)
{
	struct attach a = {.paths = paths, .spec = spec, .deadline_ms = now_ms() + GIVE_UP_MS};
	_free_ char *servers = str_printf("%s/servers", paths->runtime);
	_free_ char *init = paths_helper(paths, "csbx-init");
	int r;

	*ret = (struct squashd_link)SQUASHD_LINK_INIT;
	if (!servers || !init)
		return err_set(e, ENOMEM, "out of memory");
	a.servers = servers;
	a.init = init;
	a.boot.magic = a.request.magic = SQUASHD_PROTO_MAGIC;
	a.request.type = SQUASHD_ATTACH;
	r = linger_ms(&a.request.linger_ms, e);
	if (r >= 0)
		r = squashd_key_fill(&a.boot.key, spec, map, init, e);
	if (r >= 0) {
		squashd_key_name(&a.boot.key, a.boot.name);
		a.request.key = a.boot.key;
		r = attach_loop(&a, ret, e);
	}
	return r < 0 ? err_wrap(e, "image %s", spec->rootfs.path) : 0;
}

int squashd_ask(int servers_dirfd, const char *name, enum squashd_request_type type,
		struct squashd_reply *ret, struct err *e)
{
	struct squashd_request q = {.magic = SQUASHD_PROTO_MAGIC, .type = type};
	_close_ int sock = squashd_connect(NULL, servers_dirfd, name, e);

	if (sock < 0)
		return sock;
	return exchange(sock, &q, ret, NULL, 0, e);
}
