/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_CHILD_H
#define CSBX_RUNTIME_CHILD_H

/*
 * The room runtime/child. The container's pid 1 before it becomes csbx-init: a copy of the
 * supervisor's memory with the capabilities of the outer user namespace A.
 *
 * In: a plan, descriptors. Out: a root, and csbx-init in it; a failure by the status pipe.
 *
 *	launch.h: what it is started with; child.c: the operations of the plan, one function
 *		each
 *	rootfs.c, rootfs_direct.c, rootfs_seed.c, dev.c: the root and its /dev
 *	apart.h			the mount namespace that it is made in
 *	hide.c			csbx's own directories, hidden
 *	hook.h			programs of the host
 *	init_msg.h		the message for csbx-init
 *
 * Must: build by descriptors only.
 * Mustn't: print, allocate without need, return, or touch a path in an image but by base/path.h.
 */

/*
 * Its mount namespace starts as a copy of the caller's, so host paths still resolve, or of
 * apart.h's.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

#include "runtime/base/str.h"
#include "runtime/child/launch.h"
#include "runtime/layer/lower.h"

struct err;
struct op;
struct plan;
struct container_spec;

#define SEED_NAME_BYTES 256u
#define ROOT_PARTS_MAX 4u

/*
 * The place that the walk of a seed has reached: the same directory in the upper layer and, -1
 * where there is none, in those below it, the lowest first.
 */
struct seed_place {
	int upper, lower[LOWERS_MAX];
	unsigned n;
};

/* The directories that seeds have opened: each lower layer costs messages to the image server. */
struct seed_walk {
	struct seed_place top, first; /* the roots; the directory in them entered last */
	char name[SEED_NAME_BYTES];   /* of that, "": none */
	bool is_below;                /* they go into a layer of their own */
};

struct child {
	const struct container_spec *spec;
	const struct plan *plan;
	int supervisor_pidfd, status_fd, control_fd;
	int msg_fd;                     /* -1: it comes by launch_approve() */
	int init_fd, dev_fd;            /* from the image server */
	const int *image_fds;           /* likewise: the files of the image, the lowest first */
	unsigned n_images;              /* 0 for a directory */
	bool init_is_file;              /* of the host, not a memfd */
	bool tty_takes_stderr;          /* a terminal that is made becomes 2 as well */
	unsigned tty_rows, tty_columns; /* its size; 0: not told */
	int stdio[3];                   /* what becomes 0, 1, 2; -1 keeps the caller's */
	const int *keep_fds;            /* become INIT_FD_FIRST_KEPT and on */
	uint32_t n_keep_fds;
	int helper_cgroup_fd; /* where this process itself is born, -1: where S is */
	int cgroup_fd;        /* of the payload, -1: none */
	bool has_affinity;    /* --cpus chooses CPUs */
	bool is_watched;      /* the supervisor wants to see memory: child_watch() */
	bool is_lane;         /* csbx-init keeps what it needs for INIT_LANE */
	bool is_apart;        /* its mount namespace is a copy of apart.h's */
	bool has_aparts_sys;  /* and its /sys comes from there, with masks */
	bool has_own_unix;    /* its UNIX sockets are of another network namespace */
	bool has_net;         /* the network namespace was made before, lo is up */
	bool net_was_had;     /* and one like this had it before: it is as proc.c makes it */
	/* Filled while the plan runs. */
	unsigned n_lowers; /* lower layers attached so far (runtime/layer/lower.h) */
	struct seed_walk seeds;
	int base_fd, root_fd, proc_fd, clean_proc_fd, sys_fd;
	int part_fds[ROOT_PARTS_MAX]; /* overlays of its own in a root that is none */
	unsigned n_parts;
	int watch_fds[LAUNCH_TMPFS_MAX];
	unsigned n_watch;
	int *source_fds;      /* one for each operation, -1: none; then what is above each */
	struct rlimit nofile; /* the caller's, where it had to be raised */
	bool had_to_raise;
	struct strv hook_env;       /* the environment, where hooks added to it (hook.h) */
	size_t n_done;              /* operations of the plan, those before the one at work */
	bool has_unhidden;          /* what came since may show csbx's own directories (hide.c) */
	struct mount_table *mounts; /* once the user's are there (hide.c) */
	int cover_fd;               /* empty and read-only, for hide.c; 0: not made yet */
	int file_cover_fd;          /* of the next file that is masked; 0: not made yet */
	int dev_top_fd;             /* what is mounted on /dev of the root */
};

/* Remembers a tmpfs of the container for the supervisor's watchdog. */
int child_watch(struct child *c, int fd, struct err *e);

/* Runs the plan and execs csbx-init; on failure sends a struct err on status_fd and exits. */
_Noreturn void child_main(struct child *c);

/*
 * The parts of it for a start in the calling process itself (bare.h), which is in A and in a mount
 * namespace of its own: runs the plan; then becomes csbx-init, alone, with the descriptors that it
 * has as such. The latter returns on failure only.
 */
int child_build(struct child *c, struct err *e);
int child_become_init(struct child *c, struct err *e);

/* The operations, by file: rootfs.c */
int rootfs_base(struct child *c, const struct op *op, struct err *e);
int rootfs_lower_image(struct child *c, const struct op *op, struct err *e);
int rootfs_lower_directory(struct child *c, const struct op *op, struct err *e);
int rootfs_upper_directory(struct child *c, const struct op *op, struct err *e);
int rootfs_seed(struct child *c, const struct op *op, struct err *e); /* rootfs_seed.c */
/* Closes what seeds have opened. */
void rootfs_seeds_end(struct child *c);
/* Files that we make are the main user's; this gives them to root if the map has a root. */
int rootfs_give_to_root(const struct child *c, int fd, struct err *e);
int rootfs_overlay(struct child *c, const struct op *op, struct err *e);
/*
 * Takes the image's own mount as the root (rootfs_direct.c). 1: done, 0: an overlay is needed.
 */
int rootfs_direct(struct child *c, struct err *e);
int rootfs_readonly(struct child *c, const struct op *op, struct err *e);
int rootfs_pivot(struct child *c, const struct op *op, struct err *e);
/* A detached overlay over the directory that source is a detached clone of. */
int rootfs_copy(struct child *c, const struct op *op, int source, struct err *e);
/* Attaches a mount at a directory of the base, the working directory while the plan runs. */
int rootfs_attach_in_base(int fd, const char *name, struct err *e);
/* A directory of the root that must not be a symlink, made when missing; O_PATH. */
int rootfs_own_directory(struct child *c, const char *name, struct err *e);
/* Attaches a mount there. */
int rootfs_attach_own(struct child *c, int fd, const char *name, struct err *e);
/* dev.c */
int dev_template(struct child *c, const struct op *op, struct err *e);
int dev_own(struct child *c, const struct op *op, struct err *e);
int dev_pts(struct child *c, const struct op *op, struct err *e);
int dev_shm(struct child *c, const struct op *op, struct err *e);
int dev_shm_host(struct child *c, const struct op *op, struct err *e);
int dev_mqueue(struct child *c, const struct op *op, struct err *e);
/* proc.c */
int proc_mount(struct child *c, const struct op *op, struct err *e);
int proc_mask(struct child *c, const struct op *op, struct err *e);
int proc_readonly(struct child *c, const struct op *op, struct err *e);
int sysfs_mount(struct child *c, const struct op *op, struct err *e);
int sysfs_mount_host(struct child *c, const struct op *op, struct err *e);
int sysfs_mask(struct child *c, const struct op *op, struct err *e);
/*
 * source.c: clones of what the plan mounts from the host; each is taken once, to be closed. They are
 * made in pid 1, or before it is (launch.h), which needs the memory for them made ready.
 */
bool sources_prepare(struct child *c);
int sources_clone(struct child *c, struct err *e);
void sources_close(struct child *c);
int source_take(struct child *c, const struct op *op);
/* The directory that a volume lies in, where it is one of csbx's own. */
int source_take_above(struct child *c, const struct op *op);
/* The caller's limit of open files, for what is exec'd: many sources need a higher one. */
void sources_restore_limit(const struct child *c);
/* mount.c */
int mount_bind(struct child *c, const struct op *op, struct err *e);
/* copy_up.c: fills an empty volume, which volume is a clone of. */
int mount_copy_up(struct child *c, const struct op *op, int volume, struct err *e);
int mount_device(struct child *c, const struct op *op, struct err *e);
int mount_tmpfs(struct child *c, const struct op *op, struct err *e);
int mount_copy(struct child *c, const struct op *op, struct err *e);
int mount_self(struct child *c, const struct op *op, struct err *e);
/* hide.c */
int hide_own_directory(struct child *c, const struct op *op, struct err *e);
/* All of them, beneath what is mounted by now. */
int hide_so_far(struct child *c, struct err *e);
/* hook.c */
int hooks_run(struct child *c, const struct op *op, struct err *e);
/* net.c */
int net_loopback(struct child *c, const struct op *op, struct err *e);
int net_hostname(struct child *c, const struct op *op, struct err *e);
/* landlock.c */
int landlock_apply(struct child *c, const struct op *op, struct err *e);
int unix_sockets_filter(struct child *c, const struct op *op, struct err *e); /* unix_sockets.c */

#endif
