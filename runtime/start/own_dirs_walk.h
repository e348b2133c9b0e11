/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_OWN_DIRS_WALK_H
#define CSBX_RUNTIME_OWN_DIRS_WALK_H

/*
 * The way to one of csbx's own directories, followed name by name: a program that has a mount of a
 * directory on it may put something else into the place of a name there, by the caller's id or by a
 * subordinate one.
 */

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

struct err;
struct stat;
struct strv;

struct own_walk {
	char at[PATH_MAX];   /* without links; "" is the root */
	char rest[PATH_MAX]; /* still to go */
	unsigned links;
	bool is_missing; /* at exists, the first name of rest does not */
	bool is_foreign; /* it has come to a link that csbx reads nothing by, the last of links */
	struct strv *names; /* if not NULL: all that is on the way, each as it is found, is added */
};

/*
 * Follows an absolute path by hand, and each link by which csbx reads anything. links: the symbolic links on the way, and the directories that
 * ".." leaves again. 0 or -errno, where at is then the directory that it happened in; e is set for
 * what is no matter of the file system (too long, too many links).
 */
int own_walk(const char *path, struct own_walk *w, struct strv *links, struct err *e);
/* The next name of rest, which then begins behind it; 0 at the end. */
size_t own_walk_next_name(const struct own_walk *w, const char **ret);
/*
 * Most directories need no walk: the path is as it is written. 0: it is. -ENOENT: as far as it
 * exists, that is; -EAGAIN: it has to be walked.
 */
int own_walk_look_plainly(const char *path);
/*
 * No program has such an id: it is root's, another user's, subordinate to one, or none here. Another
 * one without a name may be subordinate to the caller: a program has given the directory away.
 */
bool own_walk_is_of_others(const struct stat *st);
/* Whether a program may have the link's id, and so change whose it is. */
bool own_walk_may_be_given_away(const char *link);
/* Whether a program could put another thing into the link's place. A directory is kept otherwise. */
bool own_walk_may_be_replaced(const char *link);
/*
 * Whether a program could make the name once its owner has removed it: in a directory with the sticky
 * bit that the caller may write to, another user's, and not root's.
 */
bool own_walk_may_be_given_up(const char *name);
/*
 * Of a path without links: no name of it could be a program's to move away, or to put another into
 * its place. In a directory with the sticky bit the owner of a name could give it up, unless that is
 * root. by_its_owner: the owner keeps it, as the site's configuration says.
 */
bool own_walk_is_kept(const char *path, bool by_its_owner);
/*
 * A directory that exists, and that another user or root guards: the caller can neither write to it
 * nor put another thing into the place of a name on the way.
 */
bool own_walk_is_guarded(const char *path);

#endif
