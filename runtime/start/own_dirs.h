/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_OWN_DIRS_H
#define CSBX_RUNTIME_OWN_DIRS_H

/*
 * csbx's own directories: state that the user's next start trusts, and sockets. A program inside is
 * the caller to the file system. If a mount showed it one of these, it could plant records, images
 * and configuration, or reach the sockets there. So each is hidden beneath every mount of the host
 * (runtime/child/hide.c).
 */

#include <stdbool.h>

struct err;
struct paths;
struct plan;
struct stat;
struct strv;

/*
 * Appends their paths as they are written, links and missing ones included: those in use, and those
 * that another start of the same user would use with other variables set.
 */
int own_dirs_list(const struct paths *p, struct strv *ret, struct err *e);
/* One that other users use as well: a shared cache, or enroot's configuration for all. */
bool own_dirs_is_site(const char *path, const struct paths *p);
/*
 * stat(2) of one. 1: it is not there, or lies in a directory that is closed to the caller and is
 * root's. -EACCES: another directory on the way is closed, and a program may open it again.
 */
int own_dirs_stat(const char *path, struct stat *ret, struct err *e);
/* -EPERM: the open directory is one of them, or lies in one. path: its name in messages. */
int own_dirs_refuse_in(const struct strv *own, int dir, const char *path, struct err *e);

/*
 * Refuses to make the names `rest` below dir if they would lie in one of them. It knows the
 * directories by their identity and not by their names. path is for the message. -EPERM.
 */
int own_dirs_check_new(const struct paths *p, int dir, const char *rest, const char *path,
		       struct err *e);

struct own_dirs_facts {
	bool has_hooks;   /* which may mount what they like */
	bool can_unmount; /* the program may: it leaves the root by pivot_root(2), and mount points
			   * that hold directories in their places with it */
};

/*
 * Fills in what the OP_HIDE operations need, once the plan's sources are known (op->real). One that
 * is missing is made where a mount of the plan, read-only or not, would show it once it is there;
 * otherwise it is passed over, and so is one that cannot be made. -EPERM for a mount of what lies in
 * one of them, volumes excepted, and with can_unmount for one that shows one and can be written to.
 */
int own_dirs_settle(struct plan *plan, const struct paths *p, struct own_dirs_facts facts,
		    struct err *e);

#endif
