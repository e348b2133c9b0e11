/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_BASE_PATH_H
#define CSBX_BASE_PATH_H

/*
 * Paths inside a tree that someone else controls. Every function takes the tree's root as a
 * dirfd and resolves with openat2(2) RESOLVE_IN_ROOT|RESOLVE_NO_MAGICLINKS: symlinks, absolute
 * ones too, and ".." stay inside. If the kernel has no openat2 the call is -ENOSYS: refused, never
 * emulated.
 */

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct err;
struct stat;
struct strbuf;

/* open(2) flags as usual, O_CLOEXEC added. */
int path_open_in_root(int rootfd, const char *path, int flags, mode_t mode, struct err *e);

/* The same by no symbolic link: -ELOOP. Nothing is made. */
int path_open_no_links(int rootfd, const char *path, int flags, struct err *e);

/* The same in the mount of rootfd alone: -EXDEV where another one is on the way. */
int path_open_no_mounts(int rootfd, const char *path, int flags, struct err *e);

/*
 * Opens (O_PATH) the directory at path and makes what is missing of it, mode 0755. Each step is
 * resolved in the root again, so a component that is swapped meanwhile stays inside all the same.
 * The target of a dangling link is made too, inside.
 */
int path_mkdirs_in_root(int rootfd, const char *path, struct err *e);

/* The same for a regular file; parents are made as directories. An existing file is not touched. */
int path_touch_in_root(int rootfd, const char *path, struct err *e);

/* True for an absolute path without "." or ".." components. */
bool path_is_clean_absolute(const char *path);
/* True for dir itself and what is below it, by the text of two such paths; dir is not "/". */
bool path_is_within(const char *path, const char *dir);

/* Removes a tree beneath dirfd without following links; missing is fine. Iterative. */
int path_remove_tree_at(int dirfd, const char *name, struct err *e);

/*
 * --- path_trust.c: the one rule of which symbolic links are followed ---------------------------
 *
 * What may be told to csbx by a link, from the least to the most. Each function below says which it
 * wants; what hides csbx's own directories from a program goes by all that one of those follows
 * (runtime/start/own_dirs_walk.c).
 */
enum path_trust {
	PATH_TRUST_NONE, /* another user's, in a directory with the sticky bit that all may write to */
	PATH_TRUST_GROUP, /* the same of a group: what the caller names, to be read or mounted */
	PATH_TRUST_PLACE, /* in a directory whose users say what its names mean: configuration */
	PATH_TRUST_OWN,   /* root's or ours: where csbx keeps what it makes */
};
enum path_trust path_trust_link(const struct stat *link, const struct stat *dir);

/*
 * Whether a name that is csbx's choice, and not the caller's, leads to what the caller has there: in a
 * directory with the sticky bit it may be another user's, who was there first, and in one without it
 * that all may write to, any user's. A link counts as what it is. name: for the message. -EPERM.
 */
int path_trust_name(const struct stat *st, const struct stat *dir, const char *name, struct err *e);

/*
 * --- path_private.c: directories of our own, in a tree that others may write to ----------------
 */

/*
 * Opens, and makes when missing (0700), a directory that must be ours and not writable for others.
 * A symbolic link of another user leads nowhere: on the way and at the end, only links that are
 * PATH_TRUST_OWN are followed. A directory that is there already keeps its mode: it may be readable
 * to others, so the caller's files in it must be private by themselves, or lie in a
 * path_open_private_at().
 * -ELOOP: somebody else's link; -EPERM: somebody else's directory, or open to others.
 */
int path_open_private_dir(const char *path, struct err *e);

/*
 * The same for one name in such a directory; no link is followed, and others may not even read.
 * where: the name of dirfd in messages.
 */
int path_open_private_at(int dirfd, const char *where, const char *name, struct err *e);

/*
 * --- path_output.c: files that the caller names, where another user may have been first ----------
 */

/* Directories that a program in a container may change. */
struct path_place {
	dev_t dev;
	ino_t ino;
};

struct path_places {
	struct path_place *items;
	size_t n;
};

/*
 * The nanoseconds of the time of change of a symbolic link that `cp` brought out of a container: the
 * program has made it, and it may lead anywhere. None of what follows here goes by one. (The time in
 * a tar has none, and other links have it once in 1,000 million.) Where a file system keeps no
 * nanoseconds the seconds are this number, in the year 1976.
 */
#define PATH_COPIED_LINK_NS 206158433
bool path_is_copied_link(const struct stat *st);

/*
 * How the name of such a link begins until it has its time: a `cp` that is killed leaves one. None of
 * what follows here goes by a link of such a name either, whatever its time is.
 */
#define PATH_NEW_LINK_PREFIX ".csbx-link-"

/*
 * open(2) of a path that the caller gave, as if fs.protected_symlinks and its kin were set: in a
 * directory with the sticky bit that others may write to no link (below PATH_TRUST_PLACE), file or
 * FIFO of another user is used, nor a file with a second name. Nor is a link, FIFO or socket in or
 * below one of programs (NULL: none is known). Flags as of open(2), O_CLOEXEC and O_NOCTTY added. -ELOOP, -EPERM, -EMLINK.
 */
int path_open_output(const char *path, int flags, mode_t mode, const struct path_places *programs,
		     struct err *e);

/*
 * open(2) of a file or directory to be read; links as of path_open_source(), and no link or FIFO in
 * or below one of programs. flags: O_RDONLY and what changes how it is read, or O_PATH. Without
 * programs, and with no link on the way, it is one system call.
 */
int path_open_input(const char *path, int flags, const struct path_places *programs, struct err *e);

/* Reads a regular file, whole; more than max bytes is -EFBIG. Never waits. */
int path_read_input(const char *path, size_t max, struct strbuf *out, struct err *e);

/*
 * open(2) and the reading of what csbx believes though this command does not name it: configuration.
 * Links must be PATH_TRUST_PLACE, and the last so many names as path_trust_name() has it.
 */
int path_open_believed(const char *path, unsigned names, int flags, struct err *e);
int path_read_believed(const char *path, size_t max, struct strbuf *out, struct err *e);

/*
 * The path without links of what was opened by the name shown, the caller's to free. NULL: see e; a
 * pipe has none.
 */
char *path_of_open(int fd, const char *shown, struct err *e);

/* The directory (O_PATH) that a new file is put into; links as above. */
int path_open_output_dir(const char *path, const struct path_places *programs, struct err *e);

/*
 * Opens a path to be read or mounted (O_PATH and flags: O_DIRECTORY, O_NOFOLLOW). Links must be
 * PATH_TRUST_GROUP, about as fs.protected_symlinks has it: in a directory with the sticky bit that
 * all may write to, only links of the caller, of root and of the directory's owner are followed.
 */
int path_open_source(const char *path, int flags, struct err *e);

/* The last directory on the way that exists, as path_open_source(); the rest is names to make. */
int path_open_nearest(const char *path, char ret_rest[PATH_MAX], struct err *e);

#endif
