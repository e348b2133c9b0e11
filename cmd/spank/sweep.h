/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_SPANK_SWEEP_H
#define CSBX_SPANK_SWEEP_H

/*
 * With control groups v2 slurmstepd has a group of its own, STEP/slurm, beside STEP/user, where the
 * tasks are. The holder is started before there is a task, and so it is in the daemon's, with all
 * it runs for the user: entry points, hooks, the image server. SLURM kills what is in the tasks'
 * group alone.
 *
 * As root, when the step is over: kills what is not root's in this process's own group, where that
 * is such a group. Everywhere else it does nothing.
 */
void spank_sweep(void);

#endif
