/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_BATCH_STEP_H
#define CSBX_RUNTIME_BATCH_STEP_H

/*
 * The batch step we run in. SLURM kills the processes that it finds in a step when the step ends.
 * It cannot find a process to which only descent leads (proctrack/linuxproc) and whose parent is
 * gone. Such a process ends by itself: supervisors and image servers watch the step's keeper.
 */

/*
 * A pidfd of slurmstepd, which is there as long as the step is: the parent of the task that
 * SLURM_TASK_PID names. Readable when it has ended. -1: not in a step, or it cannot be seen.
 */
int batch_step_open(void);

#endif
