/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_SQUASHD_SERVER_H
#define CSBX_SQUASHD_SERVER_H

/*
 * The room runtime/helpers/squashd. csbx-squashd, the image server: it owns the user namespace A
 * and serves one image to all containers of one sharing domain, in a mount namespace with the
 * image, a template of /dev and nothing of the host. The declarations private to its files are
 * below.
 *
 * In: a boot message and a listening socket (server/start.h), then requests (server/proto.h).
 * Out: for each container descriptors of A, of csbx-init in a sealed memfd, of clones of the
 * image's mounts and of /dev, a network namespace, and a mount namespace to be made in, which a
 * client has brought (runtime/child/apart.h) and the server itself never enters.
 *
 * 	main.c, serve.c		its life: set up, confine, loop, leave
 * 	server.c		its clock, its poll set, its socket
 * 	world.c, devtree.c	namespaces and mounts it has
 * 	confine.c, filter.c	what it gives up before it reads the image
 * 	clients.c, refuse.c	what it does for its clients; why there are none
 * 	fuse_serve.c, image/	requests of the kernel, answered from the squashfs file
 *	attendant.c		a fork that never sees the image: makes network namespaces
 *				ahead, takes down mounts of containers that have ended
 * 	keeper.c, janitor.c	a fork that stands in where a container has no supervisor (bare.h)
 * 	unpack.c		`--unpack`: the image as a directory, where FUSE cannot be had
 *
 * A first start waits for it, so the slow steps go side by side. With id ranges a process of its
 * own makes A (userns/maker.h) before the server is executed; the attendant makes the first network
 * namespace; the keeper detaches the host's tree, for umount2(2) waits for RCU. If it may use more
 * than one CPU a thread decompresses the next blocks (image/sqahead.h); with one CPU nothing is
 * made ahead.
 *
 * FUSE: open, opendir and, unless the image has user.* attributes, getxattr are answered ENOSYS, so
 * the kernel stops asking; names, attributes, links and directories are cached for ever. A warm
 * start costs one request. The files that every start reads are not compressed in images that csbx
 * made (start_files.h): such a block goes from the file straight into the answer.
 *
 * Must: leave by itself (CSBX_LINGER after the last container); end at SIGTERM only when no
 * container is attached. Mustn't: keep anything of the caller's, read the image before it is
 * confined, allocate by what an image says without a limit.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "runtime/helpers/squashd/above.h"
#include "runtime/helpers/squashd/attendant.h"
#include "runtime/helpers/squashd/keeper.h"
#include "runtime/helpers/squashd/world.h"
#include "runtime/server/proto.h"

#define LISTEN_FD SQUASHD_FD_AT_START_LISTEN
#define APARTS_MAX 8
#define FIRST_CLIENT_MS 1000 /* for the client that started us, who may be dead */

struct err;

/* A connection. */
struct client {
	bool is_attached;
	bool is_spare;    /* and not counted as a container: SQUASHD_TAKEN comes first */
	bool is_outside;  /* it has shown the user namespace of the key */
	struct left left; /* to be taken down after it */
};

/*
 * A mount namespace that a client has made, the network namespace that its /sys is of, and the id of
 * the mount namespace that it was made from.
 */
struct apart {
	int fd, net_fd;
	uint64_t id;
};

struct server {
	struct squashd_boot boot;
	struct world world;
	struct sqimage *image;
	struct sqahead *ahead; /* or NULL */
	struct fuse_server *fuse;
	struct aboves aboves; /* over the image in stacks */
	int epoll_fd, signal_fd;
	int next_dev_fd, next_image_fd;  /* clones for the next container, or -1 */
	struct apart aparts[APARTS_MAX]; /* what containers are made in, one for each */
	unsigned n_aparts;               /* mount namespace of callers */
	int32_t pid;
	dev_t nsfs_dev;         /* that descriptors of namespaces are of */
	struct client *clients; /* by descriptor */
	size_t n_slots;
	uint32_t containers, linger_ms;
	int64_t leave_at_ms; /* while no client is attached */
	int janitor_fd;      /* who unlinks the socket; -1: the server itself */
	struct attendant attendant;
	int step_fd; /* pidfd of the batch step the latest client is in, or -1 */
	struct keeper keeper;
	bool is_unlinked, must_leave, image_is_dead;
	bool has_one_cpu; /* nothing is done beside the rest, and little ahead */
};

int64_t server_now_ms(void);
int server_watch(struct server *s, int fd, struct err *e);
struct fuse_policy server_policy(const struct server *s);
/* From now on new clients do not find this server. */
void server_unlink_socket(struct server *s);

/* Lets one client in that waits at the door. Our uid as seen in A is the main user's. */
bool clients_accept(struct server *s);
/* The step has ended: no process will want a server that lingers. */
void clients_step_ended(struct server *s);
/* A connection that can be read: serves the request or drops the client. */
void clients_handle(struct server *s, int fd);
/* One that was stood in for has ended. */
void clients_stood_in_gone(struct server *s);
/* Setting up failed: tells those who wait, and waits for the one who started us. */
void clients_refuse_all(struct server *s, const struct err *e);

#endif
