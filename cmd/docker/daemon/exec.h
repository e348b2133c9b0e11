/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_DAEMON_EXEC_H
#define CSBX_CMD_DOCKER_DAEMON_EXEC_H

/* A further process in a container that runs. */

#include <stdbool.h>
#include <stdint.h>

#include "runtime/base/str.h"

struct detach_keys;
struct docker_fault;
struct docker_target;
struct exec_watch;
struct paths;

struct docker_exec_args {
	struct strv argv, env;          /* env: "K=V", or "K": the caller's value */
	const char *user, *workdir;     /* NULL or "": the container's */
	bool tty, interactive;          /* interactive: it has an input */
	const char *detach_keys;        /* NULL or "": docker's own */
	uint32_t tty_rows, tty_columns; /* of its terminal at first; 0: not told */
};
void docker_exec_args_done(struct docker_exec_args *a);

struct docker_exec_how {
	const struct detach_keys *keys; /* NULL: the caller's terminal has none to leave it by */
	const struct exec_watch *watch; /* runtime/exec/client.h; NULL: no caller looks */
	/*
	 * of the Engine API's record; NULL: it has none. One that has goes on without its client.
	 */
	const char *id;
};

/*
 * Runs it with descriptors 0 to 2 as its streams, and returns its exit code. 404, 409: there is no
 * such container, it does not run, or it is paused. A process that was not made, in the words of
 * docker's runtime: f->exit_code is 126 or 127, and docker's command line has them on its output.
 * -ECANCELED: the user has left it by how->keys; it goes on, and a process that returns here a
 * second time when it has ended, without the caller's streams, stays with it.
 */
int docker_exec(const struct paths *p, const char *operand, const struct docker_exec_args *a,
		const struct docker_exec_how *how, struct docker_fault *f);
/* The message of docker's command line about an exec that its user has left by the keys. */
#define DOCKER_LEFT_BY_KEYS "read escape sequence"

/* The action of an event of it: "exec_start: ls -l". */
void docker_exec_words(const struct docker_exec_args *a, const char *action, struct strbuf *out);

/* The first half alone: whether a process could be made in it now. */
int docker_exec_check(const struct paths *p, struct docker_target *t, struct docker_fault *f);

#endif
