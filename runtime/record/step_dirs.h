/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_STEP_DIRS_H
#define CSBX_STEP_DIRS_H

/*
 * The holders of SLURM steps (cmd/slurm) keep here what later steps of the user believe:
 * DIR/UID/JOB.STEP.NODE/ and DIR/UID/job-ID. DIR is root's, and the plugin's to choose.
 */

#include <stdbool.h>

#define STEP_DIRS_USUAL "/run/csbx-steps"

/* The plugin tells a task another one by it (docs/spank.md, runtime_path). */
#define STEP_DIRS_VARIABLE "SPANK_CSBX_STEPS"

/* The other one; NULL: the usual one, or something that is no path. */
const char *step_dirs_told(void);

/* True when a path, relative to DIR, is the one file there that a container is shown. */
bool step_file_is(const char *below_steps);

#endif
