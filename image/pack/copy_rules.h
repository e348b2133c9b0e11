/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_IMAGE_COPY_RULES_H
#define CSBX_IMAGE_COPY_RULES_H

/*
 * The destination of a copy: the rules of `docker cp`
 * (docs.docker.com/reference/cli/docker/container/cp) as a pure function of the two paths as they
 * were written and of what is there.
 *
 *	source		destination		result
 *	file		nothing, no slash	it has that name
 *	file		nothing, "name/"	-ENOENT: no such directory
 *	file		a file			replaced; "file/" is -ENOTDIR
 *	any		a directory		goes into it under its own name
 *	directory	nothing			made, has the source's content
 *	directory	a file			-EISDIR: cannot copy directory
 *	"directory/."	a directory		its content goes into it
 */

#include <stdbool.h>

struct copy_source {
	const char *path; /* as written */
	bool is_directory;
};

struct copy_target {
	const char *path; /* as written, not empty */
	bool exists, is_directory;
};

/* The archive's only top member is member; it is unpacked in the directory parent. */
struct copy_plan {
	char *parent; /* absolute or relative as the target is */
	char *member; /* as the source's path has it: its last component, or "." */
	char *name;   /* what becomes of the member: a component, or "" for parent itself */
};

/* -errno as above; nothing is allocated then. -ENOMEM. */
int copy_plan_make(const struct copy_source *s, const struct copy_target *t, struct copy_plan *ret);
void copy_plan_free(struct copy_plan *p);

/* "a/b/.", "a/b/" and ".": the path asks for a directory. Pure. */
bool copy_path_wants_directory(const char *path);
/* "a/b/.": the path means what is in the directory. */
bool copy_path_is_content(const char *path);

#endif
