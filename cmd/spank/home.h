/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_SPANK_HOME_H
#define CSBX_SPANK_HOME_H

#include <sys/types.h>

struct err;

/*
 * The home of a user as the node itself knows it: an epilog has only the user's number, and a step
 * that was submitted with --export=NONE has no HOME. *ret_assignment is "HOME=DIR", the caller's to
 * free.
 */
int spank_home(uid_t uid, char **ret_assignment, gid_t *ret_gid, struct err *e);

#endif
