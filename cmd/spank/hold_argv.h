/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_SPANK_HOLD_ARGV_H
#define CSBX_SPANK_HOLD_ARGV_H

/*
 * From what was asked to the command line and the environment of the program that makes and holds a
 * step's container (cmd/slurm/hold.h). Pure.
 */

#include <stdbool.h>
#include <stdint.h>

struct err;
struct spank_options;
struct spank_plugstack;
struct strv;

/* slurm.h: steps that srun did not make. */
#define SPANK_STEP_EXTERN 0xfffffffcu
#define SPANK_STEP_BATCH 0xfffffffbu
#define SPANK_STEP_INTERACTIVE 0xfffffffau

struct spank_step {
	const char *dir; /* where the step's tasks find their container */
	uint32_t job, step, node, tasks;
	bool is_over; /* remove what a killed holder has left */
};

int spank_hold_argv(const struct spank_plugstack *site, const struct spank_options *o,
		    const struct spank_step *step, struct strv *ret, struct err *e);

/*
 * The job's environment without what names a single task, what steers the dynamic loader, and what
 * the site decides (enroot's directories); PATH is a fixed one.
 */
int spank_hold_env(char *const *job_env, struct strv *ret, struct err *e);

/* "JOB.STEP.NODE", what a step's directory is called; steps without a number by SLURM's words. */
void spank_step_name(const struct spank_step *s, char ret[64]);

#endif
