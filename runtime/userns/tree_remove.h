/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_TREE_REMOVE_H
#define CSBX_RUNTIME_TREE_REMOVE_H

/*
 * Deletes the files that a container wrote. If the user has id ranges, directories in an upper
 * layer may belong to his other ids, and only root of a user namespace that maps those ids can
 * empty them. So: try as ourselves, then from inside such a namespace, in a child.
 */

struct err;

/* Missing is fine. Not for a process with threads: it may fork. */
int tree_remove(int dirfd, const char *name, struct err *e);

/*
 * The same in a detached process that outlives the caller and holds hold_fd (-1 = none) until it
 * is done. userns_fd (-1 = none): a user namespace to enter first.
 */
void tree_remove_detached(int dirfd, const char *name, int userns_fd, int hold_fd);

#endif
