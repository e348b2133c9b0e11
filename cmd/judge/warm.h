/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_EVAL_WARM_H
#define CSBX_CMD_EVAL_WARM_H

/*
 * An interpreter that has been started once, for many snippets of a batch: each has a container of
 * its own as ever, and in it csbx-thaw (runtime/thaw) takes the place of the interpreter, which
 * takes longer to start than all the rest. No run depends on it: if it cannot be had, or does not
 * fit a run, csbx starts the interpreter.
 */

#include <stdbool.h>

#include "cmd/judge/container.h"
#include "runtime/base/str.h"

struct file_spec;

struct eval_warm {
	int fd; /* its memory, sealed; below 0: there is none */
	struct strbuf program;
	int harness_fds[EVAL_HARNESSES];
};
#define EVAL_WARM_INIT                                      \
	{                                                   \
		.fd = -1, .harness_fds = { -1, -1, -1, -1 } \
	}

#define EVAL_WARM_ADOPT_FDS (1 + EVAL_HARNESSES)

/* Words in front of the command of a run, and where the program lies in its container. */
#define EVAL_WARM_PROGRAM "csbx/thaw"
#define EVAL_WARM_WORDS 2u

/*
 * Starts an interpreter in a container like that of a run, and tries what came of it, in a process
 * of its own: waits for it, for some 0.1 s where all is well and for seconds at most. The container is
 * that of the batch, without it.
 */
void eval_warm_make(struct eval_warm *w, const struct eval_container *container);
/* One that another process has made: takes the descriptors, its memory and the harnesses in order. */
int eval_warm_adopt(struct eval_warm *w, const struct paths *paths, int fds[EVAL_WARM_ADOPT_FDS],
		    struct err *e);
void eval_warm_free(struct eval_warm *w);

/* The program, as it is put into a container; borrows. */
struct file_spec eval_warm_program(const struct eval_warm *w);

/* True where this run may begin from it: it reads the harness, and nothing but it. */
bool eval_warm_fits(const struct eval_container *container, const struct eval_start *s);

#endif
