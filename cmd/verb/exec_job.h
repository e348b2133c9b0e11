/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_EXEC_JOB_H
#define CSBX_CMD_EXEC_JOB_H

/* One exec, from a connection to a request: the part that csbx exec and docker exec share. */

#include <stdbool.h>

#include "runtime/exec/client.h"
#include "runtime/record/instance.h"
#include "runtime/spec/user.h"

struct err;
struct paths;
struct run_opts;

struct exec_job {
	const struct paths *paths;
	struct run_opts *opts; /* spec.proc is filled */
	bool detach;
	const char *term; /* TERM where there is a terminal; NULL: the caller's, else xterm */
	struct instance_record rec;
	struct exec_link link; /* open */
	struct user user;
};

/*
 * Opens the link to j->rec, when the options are known. The process is made ahead where it is as the
 * main one.
 */
int exec_job_open(struct exec_job *j, struct err *e);

/* User, directory, environment and streams. Errors of the user: -ENOENT, -EINVAL. */
int exec_job_fill(struct exec_job *j, int argc, char **argv, struct err *e);

#endif
