/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_SQUASHD_ABOVE_H
#define CSBX_SQUASHD_ABOVE_H

/*
 * The files that lie over the server's image in the stacks that share it. Clients have mounted them
 * in the server's mount namespace (runtime/server/stack_add.h); the server opens and serves them as
 * it does its image. At most ABOVE_MAX are kept: the one not asked for the longest then goes; the
 * process that added another removes its mount, and it is served until no container has it any
 * more.
 *
 * In: a FUSE descriptor, its mount and the file. Out: clones of the mount; whose request it was
 * that could be read.
 * Mustn't: be asked before the image itself is served.
 */

#include <stdbool.h>
#include <stdint.h>

#include "runtime/server/proto.h"

struct err;
struct fuse_policy;
struct fuse_server;

#define ABOVE_MAX 256

struct above;
struct aboves {
	struct above *first; /* the last asked for first */
	unsigned n;          /* without those that are going */
};

/*
 * Takes the three descriptors of enum squashd_add, of the mount in the directory `place`.
 * *ret_gone, if not 0: the place of a mount that is to go; that is `place` itself where the file is
 * served already. ret_fuse_fd: to be watched.
 */
int aboves_add(struct aboves *a, const struct image_id *id, uint32_t place,
	       int fds[SQUASHD_ADD_MAX], const struct fuse_policy *policy,
	       struct fuse_server *lowest, int *ret_fuse_fd, uint32_t *ret_gone, struct err *e);

/* The mount of a file, which is the last asked for from now on; -1: it is not served. */
int aboves_mount(struct aboves *a, const struct image_id *id);

/* Serves a request if fuse_fd is that of one of them. False: it is not. *ret_dead: out of turn. */
bool aboves_step(struct aboves *a, int fuse_fd, bool *ret_dead);

/* Requests answered so far. */
uint64_t aboves_requests(const struct aboves *a);

void aboves_free(struct aboves *a);

#endif
