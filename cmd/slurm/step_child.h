/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_STEP_CHILD_H
#define CSBX_STEP_CHILD_H

/*
 * The holder does its work by csbx's own commands: one a child process, as a user would. Each is
 * the leader of a process group, so that what it has started ends with it.
 */

#include <sys/types.h>

struct err;
struct strbuf;
struct strv;

struct step_child {
	const char *program; /* NULL: csbx itself */
	const struct strv *argv;
	const struct strv *env;    /* added to the environment; NULL: nothing */
	int in_fd, out_fd, err_fd; /* in_fd -1: /dev/null */
	int stop_fd; /* something to read, or its end, ends the child; 0: nothing does */
};

int step_child_start(const struct step_child *c, pid_t *ret, struct err *e);

/* Waits for its end, and kills what of its group is left in the background. The child's status. */
int step_child_reap(pid_t pid);

/*
 * 1 when fd, or stop_fd, where not 0, has something to read. The step is over where that is
 * stop_fd: -ECANCELED. 0 after the time, none where that is negative.
 */
int step_child_poll(int fd, int stop_fd, int timeout_ms, struct err *e);

/*
 * Runs it to its end. Its text on stderr goes into said, without colours; a failure is
 * -ECANCELED with its last line, or when it was ended. With out, stdout goes there, at most 64 KiB
 * of it.
 */
int step_child_run(struct step_child *c, struct strbuf *out, struct strbuf *said, struct err *e);

#endif
