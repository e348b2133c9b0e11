/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_BATCH_STEP_H
#define CSBX_RUNTIME_BATCH_STEP_H

/*
 * The batch step we run in. SLURM kills what it finds in a step when the step ends; what it cannot
 * find, because nothing but descent leads to it (proctrack/linuxproc) and a parent is gone, ends by
 * itself: supervisors and image servers watch the step's keeper.
 */

/*
 * A pidfd of slurmstepd, which is there as long as the step is: the parent of the task that
 * SLURM_TASK_PID names. Readable when it has ended. -1: not in a step, or it cannot be seen.
 */
int batch_step_open(void);

#endif
