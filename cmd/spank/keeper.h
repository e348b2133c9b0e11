/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_SPANK_KEEPER_H
#define CSBX_SPANK_KEEPER_H

/*
 * slurmstepd's side of the program that makes and holds the step's container, "csbx __hold"
 * (cmd/slurm/hold.h): started by user_init and not waited for, so that a long import delays the
 * tasks and not the daemon. A socket ties the two together. The program says one byte when the
 * tasks may look for it. The daemon says 's' when all tasks have ended, and closes; the program
 * then does what is to be done at the end, says 'd', or 'f' where that went wrong, and closes. When
 * slurmstepd is killed the program learns it as the end of the file; when the program is, the
 * daemon sees an end without 'd'.
 */

#include <stdbool.h>
#include <sys/types.h>

struct err;
struct spank_launch;

struct spank_keeper {
	int life_fd, out_fd, pidfd; /* -1: none */
	off_t shown;                /* how much of out_fd has been printed */
};
#define SPANK_KEEPER_INIT                                \
	{                                                \
		.life_fd = -1, .out_fd = -1, .pidfd = -1 \
	}

/* l->out_fd and l->life_fd are filled in here. On failure out_fd may hold the reason's lines. */
int spank_keeper_start(struct spank_keeper *k, struct spank_launch *l, struct err *e);

/*
 * All tasks have ended: the program saves, where asked to, removes what is the step's alone, and
 * ends. Waits for that, an hour for a save, else 30 s, then SIGKILL. -ECANCELED when the
 * program had failed, which out_fd tells; 1 when it was killed before it had done any of that.
 */
int spank_keeper_finish(struct spank_keeper *k, bool saves, struct err *e);

/* Runs a program to its end, a minute at most, and shows what it prints. -ECANCELED: it failed. */
int spank_keeper_run(struct spank_launch *l, void (*show)(const char *line), struct err *e);

/* Hands every new line that the program has printed to show(). */
void spank_keeper_show(struct spank_keeper *k, void (*show)(const char *line));
void spank_keeper_close(struct spank_keeper *k);

#endif
