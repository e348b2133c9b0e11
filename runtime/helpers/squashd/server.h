/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_SQUASHD_SERVER_H
#define CSBX_SQUASHD_SERVER_H

/* Private to serve.c, the life of a server, and clients.c, what it does for its clients. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "runtime/helpers/squashd/attendant.h"
#include "runtime/helpers/squashd/keeper.h"
#include "runtime/helpers/squashd/world.h"
#include "runtime/server/squashd_proto.h"

#define LISTEN_FD SQUASHD_FD_AT_START_LISTEN
#define FIRST_CLIENT_MS 1000 /* for the client that started us, who may be dead */

struct err;

/* A connection. */
struct client {
	bool is_attached;
	bool is_outside; /* it has shown the user namespace of the key */
	int mounts_fd;   /* mount namespace to take down after it, or -1 */
};

struct server {
	struct squashd_boot boot;
	struct world world;
	struct sqimage *image;
	struct sqahead *ahead; /* or NULL */
	struct fuse_server *fuse;
	int epoll_fd, signal_fd;
	int next_dev_fd, next_image_fd; /* clones for the next container, or -1 */
	int32_t pid;
	dev_t nsfs_dev;         /* that descriptors of namespaces are of */
	struct client *clients; /* by descriptor */
	size_t n_slots;
	uint32_t containers, linger_ms;
	int64_t leave_at_ms; /* while nobody is attached */
	int janitor_fd;      /* who unlinks the socket; -1: the server itself */
	struct attendant attendant;
	int step_fd; /* pidfd of the batch step the latest client is in, or -1 */
	struct keeper keeper;
	bool is_unlinked, must_leave, image_is_dead;
	bool has_one_cpu; /* nothing is done beside the rest, and little ahead */
};

int64_t server_now_ms(void);
int server_watch(struct server *s, int fd, struct err *e);
/* From now on new clients do not find this server. */
void server_unlink_socket(struct server *s);

/* Lets one client in that waits at the door. Our uid as seen in A is the main user's. */
bool clients_accept(struct server *s);
/* The step has ended: nobody will want a server that lingers. */
void clients_step_ended(struct server *s);
/* A connection that can be read: serves the request or drops the client. */
void clients_handle(struct server *s, int fd);
/* One that was stood in for has ended. */
void clients_stood_in_gone(struct server *s);
/* Setting up failed: tells those who wait, and waits for the one who started us. */
void clients_refuse_all(struct server *s, const struct err *e);

#endif
