/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_TREE_UNPACK_H
#define CSBX_IMAGE_TREE_UNPACK_H

/*
 * A tar into a directory that somebody else may change at the same time. Every member is made in
 * its parent directory's descriptor, under a name of one component that is never followed, and the
 * parent is found by openat2(2) anew:
 *
 *	TREE_IN_ROOT	links are followed and end inside the root, as for a process in there
 *	TREE_BENEATH	no link is followed
 *
 * Files that are there are replaced, directories merged. A directory in the place of anything else,
 * or anything else in the place of a directory, is -EEXIST. Devices are -EOPNOTSUPP.
 */

#include <stdbool.h>
#include <sys/types.h>

struct err;

enum tree_resolve { TREE_IN_ROOT, TREE_BENEATH };

/* Which files keep set-user-ID and set-group-ID. */
enum tree_set_ids {
	TREE_SET_IDS_OF_ALL,
	TREE_SET_IDS_OF_OWN, /* set-user-ID where the user comes out, set-group-ID where the group does */
	TREE_SET_IDS_OF_NONE,
};

struct tree_unpack {
	int root_fd;
	const char *base; /* directory of the members, seen from the root */
	enum tree_resolve resolve;
	/*
	 * The archive's first component, and what it becomes: rename `from` to `to`. NULL: members
	 * keep their names. Members that do not begin with `from` are then an error.
	 */
	const char *from, *to;
	bool keep_owner; /* the archive's ids where they exist here, else user and group 0 */
	enum tree_set_ids set_ids;
	uid_t own_uid; /* TREE_SET_IDS_OF_OWN: the archive's ids of what is made here as ours */
	gid_t own_gid;
	/*
	 * Out of a container: `to` itself becomes no link by which the next copy could write
	 * elsewhere (-EPERM), and each link that is made has the mark of PATH_COPIED_LINK_NS.
	 */
	bool refuse_way_out;
	/*
	 * The tar is a layer of an image: its whiteouts take files away (whiteout.h), a file of any
	 * type takes the place of one of any other, and base gets the attributes of the layer's
	 * root.
	 */
	bool is_layer;
};

int tree_unpack(const struct tree_unpack *u, int tar_fd, struct err *e);

#endif
