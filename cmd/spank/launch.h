/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_SPANK_LAUNCH_H
#define CSBX_SPANK_LAUNCH_H

/*
 * Runs csbx as the job's user, out of a process that is root's. Between fork and exec the child
 * makes system calls only (slurmstepd has threads), and it looks back at every one of them: user
 * and group ids in all three forms, groups, capabilities, that there is no way back. Not before
 * all of that is gone does it touch anything of the user's.
 */

#include <sys/types.h>

struct err;

struct spank_user {
	uid_t uid;
	gid_t gid;
	const gid_t *groups; /* supplementary */
	size_t n_groups;
};

struct spank_launch {
	struct spank_user user;
	const char *path; /* absolute */
	char *const *argv, *const *env;
	int out_fd;  /* stdout and stderr; also takes the text of a failure before the exec */
	int life_fd; /* becomes descriptor 3; -1: none */
};

#define SPANK_LIFE_FD 3
#define SPANK_LAUNCH_FAILED 125

/*
 * Starts it; stdin is /dev/null, everything but 0 to 3 is closed, signals are as for a fresh
 * program, oom_score_adj is 0. Returns 0 and the child, -errno when there is none.
 */
int spank_launch(const struct spank_launch *l, pid_t *ret_pid, struct err *e);

#endif
