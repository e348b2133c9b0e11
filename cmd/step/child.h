/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_STEP_CHILD_H
#define CSBX_STEP_CHILD_H

/* The holder does its work by csbx's own commands: one a child process, as a user would. */

#include <sys/types.h>

struct err;
struct strbuf;
struct strv;

struct step_child {
	const char *program; /* NULL: csbx itself */
	const struct strv *argv;
	const struct strv *env;    /* added to the environment; NULL: nothing */
	int in_fd, out_fd, err_fd; /* in_fd -1: /dev/null */
};

int step_child_start(const struct step_child *c, pid_t *ret, struct err *e);

/*
 * Runs it to its end. What it says on stderr goes into said, without colours; a failure is
 * -ECANCELED with its last line. With out, stdout goes there, at most 64 KiB of it.
 */
int step_child_run(struct step_child *c, struct strbuf *out, struct strbuf *said, struct err *e);

#endif
