/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_LAYER_H
#define CSBX_RUNTIME_LAYER_H

/*
 * The room runtime/layer. The place that a container writes to.
 *
 * In: a name, or a place for what is thrown away. Out: directories for an overlay, locked while
 * they are used.
 *
 *	layer.h			kept and throw-away layers; scratch.c: private places
 *	lower.h			names of lower layers below a root
 *	merged_view.h		all layers as one tree, outside of a running container
 *	diff.h			what was added, changed, deleted
 *
 * Must: hold the lock as long as a mount uses the layer.
 * Mustn't: follow a name in a layer from outside.
 */

/*
 * Writable layers on disk.
 *
 * Kept: $CSBX_LAYER_PATH/NAME/{upper,work,lock}. One start at a time writes to it (write lock on
 * `lock`), or any number read it (read lock).
 * The overlay is mounted `volatile`: a crash of the machine may leave it incomplete. So while it
 * is in use there is a symbolic link `dirty` whose text is the boot id; making it is one metadata
 * operation, which journalling file systems keep in order with all that follow, so nothing is
 * synced at start. A start that finds `dirty` of the same boot goes on (only processes died, the
 * page cache did not) and clears the kernel's own marker; of another boot it is refused with
 * "layer may be incomplete after a crash" unless forced. layer_clean() syncs after the exit;
 * layer_clean_later() has it done by a process of its own, as a busy disk takes seconds for it.
 *
 * Throw-away: $CSBX_SCRATCH_PATH/ID/{upper,work,lock}, held and deleted by its supervisor.
 *
 * Network file systems cannot hold an overlay's upper: refused with a hint.
 *
 * The root is overlay(lower = the image's files with what is read
 * over them, upper, userxattr), `volatile` where the upper
 * layer is on disk. A throw-away upper is on tmpfs where that has user attributes (Linux 6.6), else
 * in scratch. Its size is a quarter of the memory, or 128 MiB more than a memory limit: that tells
 * a program that writes too much from one that fails. --read-only mounts the same overlay read-only
 * after the mount points are made, or no overlay at all (runtime/child/rootfs_direct.c). Files of
 * /etc that csbx makes lie in a throw-away upper layer; over a kept one's image in a lower one on
 * the base tmpfs, for a kept layer never has them.
 *
 * Making files is what a start on disk waits for. So the end of one whose layer goes (docker run
 * --rm) makes an empty layer for the next (ahead.c), when its caller has its answer: directories
 * and lock that no program has seen, in place by one rename.
 *
 *	layer.c			kept layers; scratch.c: throw-away ones; ahead.c: empty ones
 *	diff.c		what a layer changes; merged_view.c: image and layers as one tree
 */

#include <stdbool.h>

struct err;
struct paths;

struct layer {
	int parent, dir, upper, work, lock; /* dirfds; -1 = not open; upper: O_PATH */
	char *name;                         /* within parent */
	char *path;                         /* the directory */
	char *upper_path, *work_path;
	bool was_dirty; /* the last user did not end cleanly (kept layers) */
};
#define LAYER_INIT                                                           \
	{                                                                    \
		.parent = -1, .dir = -1, .upper = -1, .work = -1, .lock = -1 \
	}

enum layer_flag {
	LAYER_FORCE = 1u << 0,
	/* It is deleted after this use: no mark tells that it may be incomplete. */
	LAYER_GOES = 1u << 1,
};

/*
 * Takes the kept layer of a container, making it when missing. -EBUSY: "in use by pid N";
 * -EUCLEAN: may be incomplete after a crash and not forced.
 */
int layer_open(const struct paths *p, const char *name, unsigned flags, struct layer *ret,
	       struct err *e);
/* Syncs the layer, then clears both markers. The payload must be gone. */
int layer_clean(struct layer *l, struct err *e);
/*
 * Lets the layer go; it is synced, and the marks are cleared, in the background a moment later,
 * unless it has been removed or taken by then: a next use makes the mark anew, and so tells itself
 * from this one.
 */
void layer_clean_later(struct layer *l);
/* Lets the layer go as it is; also for a scratch layer that stays with a detached supervisor. */
void layer_close(struct layer *l);

/*
 * Takes a kept layer's lock without using the layer, to delete it: -EBUSY while it is held. If
 * there is none, ret->dir is -1 and all that follows does nothing. layer_close() lets it go.
 */
int layer_hold(const struct paths *p, const char *name, struct layer *ret, struct err *e);
/*
 * Takes a kept layer to read it, which many may do at once; it stays as it is. If there is none,
 * ret->dir is -1 as above. -EBUSY while one writes to it, -EUCLEAN as layer_open().
 */
int layer_read(const struct paths *p, const char *name, struct layer *ret, struct err *e);
/* The same of one that may be in use, and change under the reader's eyes. */
int layer_look(const struct paths *p, const char *name, struct layer *ret, struct err *e);
/*
 * Renames the held layer away, "" in ret_tmp (TEMP_NAME_BYTES) when there is none; the caller
 * deletes it below l->parent and then closes *ret_temp.
 */
int layer_condemn(struct layer *l, char ret_tmp[], int *ret_temp, struct err *e);
/* Of one that was renamed away: true when no program has put anything into it, also if there is none. */
bool layer_drop_unwritten(const struct layer *l);
/* Deletes the held layer: renamed away first, so that it is whole or gone. */
int layer_destroy(struct layer *l, struct err *e);

/* Makes an empty layer for the next one that goes after its use, where none is there yet. */
void layer_make_ahead(const struct layer *l);

/* A throw-away layer; id is the instance's. */
int scratch_create(const struct paths *p, const char *id, struct layer *ret, struct err *e);

/*
 * Renames it away, at once, and deletes it in a detached child, which enters userns_fd (the
 * image server's, -1 = none) first: files in there may belong to the user's other ids.
 */
void scratch_discard(struct layer *l, int userns_fd);

/* The parts that kept and throw-away layers share: names; upper/ and work/ beneath l->dir. */
int layer_set_names(struct layer *l, const char *parent, const char *name, struct err *e);
int layer_open_dirs(struct layer *l, struct err *e);

/* The directory of throw-away layers; caller frees. NULL: out of memory. */
char *scratch_root_path(const struct paths *p);

/* -EOPNOTSUPP with a hint when dirfd lies on a file system that cannot hold an upper. */
int layer_check_fs(int dirfd, const char *path, struct err *e);

#endif
