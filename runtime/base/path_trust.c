/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Theory. A link has its maker as owner, and who may put names into its directory decides what the
 * link is worth. In a directory with the sticky bit each name is its owner's: a link of another user
 * was put there by that user alone. Without the bit, those who may write to the directory put what
 * they like into the place of any name, a directory of theirs too: to look at links would help
 * little, and what csbx reads there is theirs to say. What csbx makes and sweeps is not: the place of
 * a directory of our own may lie in one that everybody writes to, /tmp say. There another user can
 * make the name first, as a link to a directory that is ours. The owner is then right, and we would
 * sweep and write in what was never meant. A directory needs no such care: others can neither make
 * one that is ours nor move one of ours to where they want it.
 *
 * fs.protected_symlinks is not there on every machine, and knows only a part of this.
 */
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/err.h"
#include "runtime/base/path.h"

#define OVERFLOW_UID 65534u /* users without a number in a user namespace, user_namespaces(7) */

/* Only its owner, root or ourselves, puts names into it. */
static bool is_closed(const struct stat *dir)
{
	return !(dir->st_mode & 0022) &&
	       (!dir->st_uid || dir->st_uid == geteuid() || dir->st_uid == OVERFLOW_UID);
}

/* In a directory that is open to others a link may be a second name of one made elsewhere, link(2). */
static bool is_own(const struct stat *link, const struct stat *dir)
{
	if (is_closed(dir))
		return !link->st_uid || link->st_uid == geteuid() || link->st_uid == OVERFLOW_UID;
	return (!link->st_uid || link->st_uid == geteuid()) && link->st_nlink == 1;
}

enum path_trust path_trust_link(const struct stat *link, const struct stat *dir)
{
	if (is_own(link, dir))
		return PATH_TRUST_OWN;
	if (!(dir->st_mode & S_ISVTX) || !link->st_uid || link->st_uid == geteuid() ||
	    link->st_uid == dir->st_uid)
		return PATH_TRUST_PLACE;
	if (dir->st_mode & 0002)
		return PATH_TRUST_NONE;
	return dir->st_mode & 0020 ? PATH_TRUST_GROUP : PATH_TRUST_PLACE;
}

int path_trust_name(const struct stat *st, const struct stat *dir, const char *name, struct err *e)
{
	if (dir->st_mode & 0002 && !(dir->st_mode & S_ISVTX))
		return err_set(e, EPERM,
			       "anyone may put another thing in the place of '%s' (its directory "
			       "has mode %04o: chmod o-w it)",
			       name, dir->st_mode & 07777);
	if (dir->st_mode & 0022 && path_trust_link(st, dir) < PATH_TRUST_PLACE)
		return err_set(e, EPERM,
			       "'%s' belongs to user %u, in a directory that others may write to",
			       name, st->st_uid);
	return 0;
}

bool path_is_copied_link(const struct stat *st)
{
	return st->st_mtim.tv_nsec == PATH_COPIED_LINK_NS ||
	       st->st_mtim.tv_sec == PATH_COPIED_LINK_NS;
}
