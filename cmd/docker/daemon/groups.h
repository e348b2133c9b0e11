/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_GROUPS_H
#define CSBX_CMD_DOCKER_GROUPS_H

/* Users and groups as docker gives them: --user, --group-add of names in the image's /etc/group and
 * of numbers, and the main group, which is among the supplementary ones. */

#include "runtime/base/str.h"

struct container_spec;
struct docker_fault;
struct err;
struct process_spec;
struct strv;
struct user_db;

/*
 * Adds them to the supplementary groups of a specification whose user is known. 400: a name that
 * is not there, a number that no process here can have.
 */
int docker_groups_add(const struct strv *asked, const struct user_db *db, struct container_spec *s,
		      struct docker_fault *f);

int docker_groups_add_main(struct process_spec *p, struct err *e);

/*
 * --user as csbx takes it: NULL, the image's, for none; docker's ":" is no user of its own: root.
 */
static inline const char *docker_user(const char *user)
{
	if (!user || !*user)
		return NULL;
	return str_eq(user, ":") ? "0" : user;
}

#endif
