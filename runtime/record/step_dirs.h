/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_STEP_DIRS_H
#define CSBX_STEP_DIRS_H

/*
 * The holders of SLURM steps (cmd/slurm) keep here what later steps of the user believe:
 * DIR/UID/JOB.STEP.NODE/ and DIR/UID/job-ID. DIR is root's, and the plugin's to choose.
 */

#include <stdbool.h>

#define STEP_DIRS_USUAL "/run/csbx-steps"

/* Where DIR is another one: root's link to it, for starts that the plugin does not tell. */
#define STEP_DIRS_OTHER STEP_DIRS_USUAL "/other"

/* The plugin tells a task another one by it (docs/spank.md, runtime_path). */
#define STEP_DIRS_VARIABLE "SPANK_CSBX_STEPS"

/* The other one; NULL: the usual one, or something that is no path. */
const char *step_dirs_told(void);

/* True of the two that root alone makes. */
bool step_dirs_is_roots(const char *path);

/* True when a path, relative to DIR, is the one file there that a container is shown. */
bool step_file_is(const char *below_steps);

#endif
