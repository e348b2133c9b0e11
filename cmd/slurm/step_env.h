/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_STEP_ENV_H
#define CSBX_STEP_ENV_H

/*
 * A task's environment in its step's container. As with pyxis: the job's, and over it the
 * container's, but for the variables the user named; the locale is the image's alone. The variables
 * of SLURM and its process managers differ from task to task and are never the container's. Pure.
 */

struct err;
struct strv;

int step_env_merge(char *const *task, const struct strv *container, const struct strv *keep,
		   struct strv *ret, struct err *e);

#endif
