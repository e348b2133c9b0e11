/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_SQUASHD_PROTO_H
#define CSBX_RUNTIME_SQUASHD_PROTO_H

/*
 * Between csbx and its image server, over one SOCK_SEQPACKET unix socket. Both sides check the
 * peer's uid (SO_PEERCRED). The socket lies at $CSBX_RUNTIME_PATH/servers/<key hash>.sock.
 *
 * A program in a container has the same uid. So the first request on a connection brings a
 * descriptor of the client's user namespace, which must be the one of the key: code inside cannot
 * get it (runtime/kernel/peer.h). The client sends it to no process inside a container, and
 * believes an answer only with an A that is a child of its own user namespace and a csbx-init that
 * is the installed one, byte for byte.
 *
 * csbx binds and listens, then starts `csbx-squashd --serve` with these descriptors, so a request
 * can be queued at once and there is no wait for readiness:
 *
 *	3  the listening socket
 *	4  a pipe with one struct squashd_boot
 *	5  the image: the file O_RDONLY, or the directory O_PATH
 *	6  csbx-init, O_RDONLY
 *	7  dirfd of servers/, to unlink the socket on leaving
 *	8  with id ranges: a socket to who makes A (userns/maker.h)
 *
 * 0, 1 and 2 are /dev/null: a server must not keep a caller's pipe open.
 *
 * The server answers SQUASHD_ATTACH with one reply and descriptors; the connection then stays
 * open as long as the container lives: a closed connection is a container less, a closed server
 * end is a dead image. A server that is leaving closes connections without a reply: the client
 * connects again and, if no process is there, starts the next server.
 */

#include <errno.h>
#include <stdint.h>

#include "runtime/kernel/net_traces.h"
#include "runtime/spec/spec.h"
#include "runtime/userns/userns.h"

/*
 * In a reply: images cannot be mounted here, whatever the reason. No other failure has this code.
 */
#define SQUASHD_NO_FUSE ENOMEDIUM

#define SQUASHD_PROTO_MAGIC 0x43505153u /* "SQPC" */
#define SQUASHD_DOMAIN_MAX 512
#define SQUASHD_NAME_MAX 32 /* "0123456789abcdef.sock" */
#define SQUASHD_JOB_MAX 32

#define SQUASHD_FD_AT_START_LISTEN 3
#define SQUASHD_FD_AT_START_BOOT 4
#define SQUASHD_FD_AT_START_IMAGE 5
#define SQUASHD_FD_AT_START_INIT 6
#define SQUASHD_FD_AT_START_DIR 7
#define SQUASHD_FD_AT_START_MAKER 8
#define SQUASHD_FDS_AT_START_MAX 6

/*
 * The key of a server. Two starts share one only if every byte is equal, so a key is zeroed
 * before it is filled.
 */
struct squashd_key {
	uint32_t caller_uid, caller_gid;
	uint32_t kind; /* enum rootfs_kind */
	uint32_t has_user_xattrs;
	struct image_id image;
	struct image_id init;            /* csbx-init: an upgrade gets a new server */
	uint32_t uid, gid;               /* main user inside */
	struct id_map map;               /* A's map; one extent of count 1 = one-id mode */
	uint64_t userns_ino;             /* the caller's user namespace */
	char domain[SQUASHD_DOMAIN_MAX]; /* sharing domain, NUL-padded */
};

struct squashd_boot {
	uint32_t magic;
	uint32_t wants_net;          /* the first ATTACH will */
	char name[SQUASHD_NAME_MAX]; /* of the socket in servers/ */
	char job[SQUASHD_JOB_MAX];   /* id of the batch job that started it, "" = none */
	struct squashd_key key;
};

enum squashd_request_type {
	SQUASHD_ATTACH =
		1, /* may bring, second, a pidfd of the batch step, whose end ends a linger */
	SQUASHD_STATUS = 2, /* reply without descriptors, connection closes */
	SQUASHD_QUIT = 3,   /* likewise; leave as soon as no container is attached */
	SQUASHD_KEEP = 4,   /* on an attached connection, no reply: a mount namespace to keep until
			     * the   connection closes, so that somebody else takes it down */
	SQUASHD_APART = 8,  /* likewise: the mount namespace of apart.h, for later containers of
			     * apart_id, and the network namespace of its /sys, to be kept along */
	SQUASHD_TAKEN = 9, /* on a connection that is attached for a spare: that is a container from
			     * now on; a reply without descriptors */
	SQUASHD_LEFT = 7,  /* likewise: what a container has left that has ended (`left`): the
			     * mount namespace as with KEEP, and a network namespace of A with lo up
			     * for the next one, if its files show no use (net_traces.h) */
	SQUASHD_ADD = 6,   /* one more file to serve; on a connection that is not attached yet, with
			  * enum squashd_add; a reply without descriptors */
	SQUASHD_STAND_IN = 5, /* likewise; the peer goes away by execve(2), the container does not:
			       * the server keeps its descriptors (enum squashd_stand_in) */
};

/*
 * Descriptors of a STAND_IN. The container counts until its root is unmounted, that is, until the
 * last process that has it is gone. Its record goes when the main process does.
 */
enum squashd_stand_in {
	SQUASHD_STAND_PIDFD,     /* of the main process */
	SQUASHD_STAND_ROOT,      /* a directory of a file system of its own, to see it unmounted */
	SQUASHD_STAND_INSTANCES, /* directory of its record */
	SQUASHD_STAND_RECORD,    /* the record, whose lock that is */
	/* The lock of a kept layer that is read; of one that reads none the pidfd once more. */
	SQUASHD_STAND_READ_LOCK,
	SQUASHD_STAND_LAYER, /* with a layer on disk, and the four below: its directory */
	SQUASHD_STAND_LAYER_LOCK,
	SQUASHD_STAND_UPPER,
	SQUASHD_STAND_WORK,
	SQUASHD_STAND_PARENT, /* of the layer's directory, where a thrown-away one is q.id */
	SQUASHD_STAND_MAX,
};
#define SQUASHD_STAND_MIN SQUASHD_STAND_LAYER /* without one */

/* One bit for each descriptor of a LEFT; those from SQUASHD_LEFT_NET on are struct net_traces. */
enum squashd_left {
	SQUASHD_LEFT_MOUNTS,
	SQUASHD_LEFT_NET,
	SQUASHD_LEFT_TRACES,
	SQUASHD_LEFT_MAX = SQUASHD_LEFT_TRACES + NET_TRACES,
};

struct squashd_request {
	uint32_t magic, type;
	uint32_t linger_ms; /* ATTACH: how long to stay after the last container; the latest
			     * counts */
	uint32_t wants_net; /* ATTACH: 1 for a network namespace, if one is ready */
	char id[16];        /* STAND_IN: of the instance */
	uint32_t is_kept;   /* STAND_IN: a layer is synced at the end, not deleted */
	uint32_t left;      /* LEFT: bits of enum squashd_left, in the order of the descriptors */
	/*
	 * ATTACH: the files of a stack over that of the key, the lowest first; ADD: that file.
	 */
	uint32_t n_above;
	uint32_t is_spare; /* ATTACH: no container yet; the server does not stay for it */
	/* ATTACH: the caller's mount namespace, for one that was made in it; 0: none is wanted */
	uint64_t apart_id;
	uint32_t place; /* ADD: the number of the directory in the server's root with its mount */
	struct image_id above[SPEC_STACK_MAX - 1];
	struct squashd_key key; /* must equal the server's; STATUS and QUIT ignore it */
};

/* Descriptors of an ADD. */
enum squashd_add {
	SQUASHD_ADD_FUSE,  /* /dev/fuse, opened in A */
	SQUASHD_ADD_MOUNT, /* its mount, attached in the server's mount namespace */
	SQUASHD_ADD_FILE,  /* the squashfs, O_RDONLY */
	SQUASHD_ADD_LAST,  /* fuse_held_last() of the first; may be missing */
	SQUASHD_ADD_MAX,
};

/*
 * Descriptors of an ATTACH reply, in this order; a directory root sends no SQUASHD_FD_IMAGE, a
 * stack the same of each file above, the lowest first. With has_net one more: a network namespace
 * of A with lo up, for this container alone, in which nothing has been used; and behind it, if a
 * container has had it, those of its files that net_traces says. With has_apart one more, the last:
 * the mount namespace that SQUASHD_APART has brought.
 *
 * With `lacks` nothing is attached yet: the files above that bits are set for have to be added
 * first, and the descriptors are A's and the server's mount namespace, in which that is done.
 */
enum squashd_fd {
	SQUASHD_FD_USERNS, /* nsfs fd of A */
	SQUASHD_FD_INIT,   /* sealed memfd holding csbx-init */
	SQUASHD_FD_DEV,    /* detached open_tree of the /dev template, read-only tmpfs */
	SQUASHD_FD_IMAGE,  /* detached open_tree of the image mount */
	SQUASHD_FD_MAX,
	SQUASHD_FD_MNTNS = SQUASHD_FD_INIT, /* with lacks */
};
#define SQUASHD_FDS_MAX (SQUASHD_FD_MAX + SPEC_STACK_MAX + 1 + NET_TRACES)

struct squashd_reply {
	uint32_t magic;
	int32_t code;          /* 0, or a positive errno with msg */
	uint32_t containers;   /* attached now, this one included */
	uint32_t init_is_file; /* no memfd: init is the installed file (degraded: init_writable) */
	int32_t server_pid;    /* in the server's pid namespace */
	uint32_t uid, gid;     /* main user */
	uint32_t has_net;
	uint32_t lacks_xattrs; /* tmpfs has no user attributes: it cannot be an upper layer */
	uint32_t lacks;        /* bit i: above[i] is not served yet */
	uint32_t gone_place;   /* ADD: not 0: the mount there is not wanted (any more) */
	uint32_t has_apart;
	uint32_t wants_apart; /* there is none for apart_id, and room for one */
	uint32_t net_traces;  /* bit i: with the namespace come its files, enum net_trace */
	struct image_id image;
	char job[SQUASHD_JOB_MAX]; /* "" = none */
	uint64_t fuse_requests;    /* served so far, forgets not counted: for tests and doctor */
	char msg[448];
};

#endif
