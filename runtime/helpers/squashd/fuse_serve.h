/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_SQUASHD_FUSE_SERVE_H
#define CSBX_SQUASHD_FUSE_SERVE_H

/* The FUSE side of the image server: answers the kernel's requests from a squashfs image. */

#include <stdbool.h>
#include <stdint.h>

struct err;
struct fuse_server;
struct sqimage;

struct fuse_policy {
	bool one_id; /* every file is reported as uid:gid; else as stored */
	uint32_t uid, gid;
	bool has_user_xattrs; /* else the kernel is told once that there are none */
};

/*
 * fuse_fd is that of the mount and stays the caller's; must not block. lends: another server, which
 * outlives this one, whose buffers it uses; NULL: it gets its own.
 */
int fuse_server_new(int fuse_fd, const struct fuse_policy *policy, struct fuse_server *lends,
		    struct fuse_server **ret, struct err *e);
/* Sets the image that is served; before the first step. */
void fuse_server_set_image(struct fuse_server *s, struct sqimage *img);
/* Does what the first request would do, sooner. */
void fuse_server_get_ready(struct fuse_server *s);
void fuse_server_free(struct fuse_server *s);

/* Takes one request off the descriptor and answers it. 0, or -ENODEV when the mount is gone. */
int fuse_server_step(struct fuse_server *s);

/* Requests answered so far, forgets not counted. */
uint64_t fuse_server_requests(const struct fuse_server *s);

#endif
