/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_SQUASHD_CLIENT_H
#define CSBX_RUNTIME_SQUASHD_CLIENT_H

/*
 * The room runtime/server. The client's side of the image server (proto.h): find the server of an
 * image, start one where there is none, and take the descriptors a container is made of.
 *
 * In: a spec's root. Out: one container's hold on a server.
 *
 * 	image_file.c		what the user named: a squashfs file or a directory
 * 	key.c		which containers share a server
 * 	client.c, hold.c	ask; tell it something later; start.c: start one; kill.c: end one
 * 	init_file.c, user_files.c	the program csbx-init; passwd and group for the id map
 * 	image_meta.c, meta_cache.c, meta.c	the record of an image that a start reads
 * 	unpacked.c		the tree of an image that cannot be served
 * 	list.c, hung.c	which servers are there; one that does not answer
 *
 * Those share a server who have the same caller, image (device, inode, size, time), csbx-init, main
 * user and id map, user namespace of the caller, and sharing domain: in a batch job the cgroup path
 * cut at the step, else the caller's own cgroup and the job's ids. They live and die together.
 *
 * The id map of A depends on the main user U:G (`--user`, else the image's USER, else 0). With one
 * id U is the caller and there is no other; the server reports every file as U:G. With ranges U is
 * the caller, and all other ids come from /etc/subuid and /etc/subgid, up to three extents; ids are
 * reported as stored. B is the identity over the same extents.
 *
 * csbx-meta reads the image's configuration, /etc/passwd, /etc/group and enroot's four files, each
 * at most 1 MiB, and prints one flat record; create keeps it with the container, meta/ in the cache
 * for image files. A start reads that record and never the image.
 *
 * If /dev/fuse cannot be used, the confined reader unpacks the image once into
 * $CSBX_CACHE_PATH/unpacked. A start holds a shared lock on the tree; gc removes one that is not in
 * use when its image is gone or has changed, or after 30 days.
 *
 * Must: check who answers (peer.h) and that csbx-init is what it should be. Mustn't: read an image.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "runtime/kernel/net_traces.h"
#include "runtime/server/proto.h"

struct err;
struct paths;
struct strbuf;

/* One container's hold on its image server. Empty: every descriptor -1. */
struct squashd_link {
	int sock;      /* open as long as the container lives; readable = the server is gone */
	int userns_fd; /* A */
	int init_fd;   /* what is csbx-init, says the server: squashd_link_check_init() */
	int dev_fd;    /* detached tree of /dev (tmpfs, read-only), for move_mount */
	/* Detached trees of the image's files, the lowest first; none for a directory root. */
	int image_fds[SPEC_STACK_MAX];
	unsigned n_images;
	/* A network namespace for this container, lo up; ns_fd -1: it makes its own. With files:
	 * a container has had it before, and its files come along. */
	struct net_traces net;
	int apart_fd;      /* runtime/child/apart.h; -1: there is none yet, or none is wanted */
	uint64_t apart_id; /* the caller's mount namespace; 0: none is wanted */
	bool wants_apart;  /* the server has none for it, and would keep one */
	bool init_is_file;
	bool lacks_xattrs; /* tmpfs cannot be an upper layer */
	bool started;      /* this call started the server */
	uint32_t containers;
	int32_t server_pid;
	char server[SQUASHD_NAME_MAX]; /* name of its socket */
	uint64_t fuse_requests;
};
#define SQUASHD_LINK_INIT                                                              \
	{                                                                              \
		.sock = -1, .userns_fd = -1, .init_fd = -1, .dev_fd = -1,              \
		.image_fds = {-1, -1, -1, -1, -1, -1, -1, -1}, .net = NET_TRACES_INIT, \
		.apart_fd = -1                                                         \
	}

/*
 * Attaches one container. The image at spec->rootfs.path must still be the one of
 * spec->rootfs.id: -ESTALE otherwise. The server's set-up errors come back as they are; one that
 * does not answer within 5 s is -ETIMEDOUT; -SQUASHD_NO_FUSE: images cannot be mounted on this
 * machine for whatever reason (the text says which), so the image must be unpacked.
 */
int squashd_attach(const struct paths *paths, const struct container_spec *spec,
		   const struct id_map *map, struct squashd_link *ret, struct err *e);

/*
 * The same in two halves, for a caller with other things to do meanwhile: after begin the request
 * is on its way to a server that works on it, or comes up, by itself. paths and spec must live
 * until finish or cancel, which release *a in any case. is_spare: it is no container yet, and the
 * server does not stay for it (start/spare.h).
 */
struct squashd_attach;
int squashd_attach_begin(const struct paths *paths, const struct container_spec *spec,
			 const struct id_map *map, bool is_spare, struct squashd_attach **ret,
			 struct err *e);
int squashd_attach_finish(struct squashd_attach **a, struct squashd_link *ret, struct err *e);
void squashd_attach_cancel(struct squashd_attach **a);
void squashd_link_close(struct squashd_link *l);

/*
 * -EPERM unless init_fd is csbx-init and stays so (init_file.h). To be called before that is
 * executed, and apart from the rest for it takes longer than all of it.
 */
int squashd_link_check_init(const struct squashd_link *l, const struct paths *paths, struct err *e);

/*
 * Gives the server what it had none of: runtime/child/apart.h, made by the caller of l, and the
 * network namespace of its /sys.
 */
void squashd_lend_apart(const struct squashd_link *l, const int fds[2]);

/*
 * SIGKILL for a server that does not answer and holds up the death of a container. By pidfd: while
 * our connection sock is open the pid is the server's.
 */
void squashd_kill(int sock, pid_t pid);

/*
 * A spare's connection becomes a container's: the question, and the answer, which a server that
 * leaves does not give.
 */
int squashd_take_spare(int sock, uint32_t linger_ms, struct err *e);
int squashd_spare_is_taken(int sock, struct err *e);

/*
 * Has the server keep a mount namespace a moment longer than the container, and take it down beside
 * whatever comes next. If it cannot, the end of pid 1 waits for it.
 */
void squashd_keep_mounts(int sock, int mounts_fd);

/*
 * The same of a container that has ended; and its network namespace goes to the next container of the
 * server if its files show no use. mounts_fd -1, net NULL: of those there is none to leave.
 */
void squashd_leave(int sock, int mounts_fd, const struct net_traces *net);

/*
 * Leaves to the server what outlives this process's execve (enum squashd_stand_in); n is
 * SQUASHD_STAND_MIN or _MAX. The server's own copies are meant: the caller's may be closed.
 */
int squashd_stand_in(int sock, const char *id, bool is_kept, const int *fds, unsigned n,
		     struct err *e);

/*
 * Asks the server behind servers/<name>; SQUASHD_STATUS or SQUASHD_QUIT. If a server does not
 * answer (-ETIMEDOUT), ret has code and server_pid alone.
 */
int squashd_ask(int servers_dirfd, const char *name, enum squashd_request_type type,
		struct squashd_reply *ret, struct err *e);

/*
 * Runs the confined reader on an image file (O_RDONLY) or directory and returns its flat record
 * (image_meta.h). At most 10 s and 16 MiB.
 */
int squashd_read_meta(const struct paths *paths, int image_fd, struct strbuf *record,
		      struct err *e);

/*
 * Unpacks an image file beneath an empty directory, confined. No time limit. lies_above: it is one
 * of a stack, and what it hides stays marked as in an overlay's upper directory.
 */
int squashd_unpack(const struct paths *paths, int image_fd, int dirfd, bool lies_above,
		   struct err *e);

#endif
