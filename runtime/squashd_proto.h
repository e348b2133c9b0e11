/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_SQUASHD_PROTO_H
#define CSBX_RUNTIME_SQUASHD_PROTO_H

/*
 * Between csbx and its image server, over one SOCK_SEQPACKET unix socket. Both sides check the
 * peer's uid (SO_PEERCRED). The socket lies at $CSBX_RUNTIME_PATH/servers/<key hash>.sock.
 *
 * csbx binds and listens, then starts `csbx-squashd --serve` with these descriptors, so a request
 * can be queued at once and there is no wait for readiness:
 *
 *	3  the listening socket
 *	4  a sealed memfd: flat record of struct squashd_key (SQUASHD_KEY_MAGIC)
 *	5  the image: the file O_RDONLY, or the directory O_PATH
 *	6  csbx-init, O_RDONLY
 *	7  dirfd of servers/, to unlink the socket on leaving
 *
 * The server answers SQUASHD_ATTACH with one reply and descriptors; the connection then stays
 * open as long as the container lives: a closed connection is a container less, a closed server
 * end is a dead image.
 */

#include <stdint.h>

#include "runtime/spec.h"

#define SQUASHD_KEY_MAGIC 0x314b4353u /* "CSK1" */
#define SQUASHD_KEY_VERSION 1u
#define SQUASHD_PROTO_MAGIC 0x31505153u /* "SQP1" */
#define SQUASHD_EXTENTS_MAX 3
#define SQUASHD_DOMAIN_MAX 512

/* One line of an id map: `inside` of A = `outside` of the caller's user namespace. */
struct id_extent {
	uint32_t inside, outside, count;
};

struct id_map {
	uint32_t n_uid, n_gid;
	struct id_extent uid[SQUASHD_EXTENTS_MAX], gid[SQUASHD_EXTENTS_MAX];
};

/* Who may share a server. Two starts share one only if every field is equal. */
struct squashd_key {
	uint32_t caller_uid, caller_gid;
	uint32_t kind; /* enum rootfs_kind */
	uint32_t has_user_xattrs;
	struct image_id image;
	uint32_t uid, gid;	   /* main user inside */
	struct id_map map;	   /* A's map; one extent of count 1 = one-id mode */
	uint64_t userns_ino;	   /* the caller's user namespace */
	uint32_t linger_ms;
	uint32_t pad;
	char domain[SQUASHD_DOMAIN_MAX]; /* sharing domain, NUL-padded */
};

enum squashd_request_type {
	SQUASHD_ATTACH = 1,
	SQUASHD_STATUS = 2, /* reply without descriptors, connection closes */
	SQUASHD_QUIT = 3,   /* leave as soon as no container is attached */
};

struct squashd_request {
	uint32_t magic, type;
	struct squashd_key key; /* must equal the server's; STATUS and QUIT ignore it */
};

/* Descriptors of an ATTACH reply, in this order; a directory root sends no SQUASHD_FD_IMAGE. */
enum squashd_fd {
	SQUASHD_FD_USERNS, /* nsfs fd of A */
	SQUASHD_FD_INIT,   /* sealed memfd holding csbx-init */
	SQUASHD_FD_DEV,	   /* detached open_tree of the /dev template, read-only tmpfs */
	SQUASHD_FD_IMAGE,  /* detached open_tree of the image mount */
	SQUASHD_FD_MAX,
};

struct squashd_reply {
	uint32_t magic;
	int32_t code;	      /* 0, or a positive errno with msg */
	uint32_t containers;  /* attached now */
	uint32_t init_is_file; /* no memfd: init is the installed file (degraded: init_writable) */
	int32_t server_pid;   /* as the server sees itself outside, 0 unknown */
	uint32_t pad;
	uint64_t fuse_requests; /* served so far, for tests and doctor */
	char msg[448];
};

#endif
