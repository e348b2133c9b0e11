/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_STEP_STATE_H
#define CSBX_STEP_STATE_H

/*
 * The words of the tasks of a SLURM step and the holder of their container to each other, in a
 * directory of the user's that is closed to others (RUNTIME/UID/JOB.STEP.NODE):
 *
 *	alive	write-locked by the holder to its end (hold_dir.c)
 *	lock	write-locked by the holder until it has written one of the next two
 *	state	the container runs: a line "KEY VALUE" each of what a task must know
 *	error	it does not: the text for the user
 *	log	what the image's entry point has printed
 *	joined	one byte a task that went in
 *	own	the name of a container that was made for the step alone
 *
 * A lock goes with its process, so a holder that was killed leaves no task waiting.
 */

#include <stdbool.h>
#include <sys/types.h>

#include "runtime/base/str.h"

struct err;

struct step_state {
	pid_t pid;        /* of a process in the container */
	char *runtime;    /* $CSBX_RUNTIME_PATH of its starter */
	char *workdir;    /* NULL: where the container's own process is */
	struct strv keep; /* variables whose value outside wins */
	bool shows_log;
};

void step_state_free(struct step_state *s);
int step_state_write(int dirfd, const struct step_state *s, struct err *e);
/* Pure; -EBADMSG. */
int step_state_parse(const char *text, size_t len, struct step_state *ret, struct err *e);

/*
 * Waits until the container runs and reads what it is like. -ENOENT: there is no such step here;
 * -ECANCELED: it did not come about, e is the first line of why and text, where not NULL, all of
 * it.
 */
int step_state_wait(int dirfd, struct step_state *ret, struct strbuf *text, struct err *e);

/* The step's directory, which must be the caller's own. */
int step_dir_open(const char *path, struct err *e);

#endif
