/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_SPANK_SCOPE_H
#define CSBX_SPANK_SCOPE_H

/* The reach of a flag: the steps that have a container, and the containers that go with the job. */

#include <stdbool.h>

struct err;
struct spank_handle; /* spank_t of <slurm/spank.h> */
struct spank_plugstack;

/* The batch script only where the site lets it; the step that merely holds the allocation never. */
bool spank_scope_has_tasks(struct spank_handle *sp, const struct spank_plugstack *site);

/*
 * In the epilog of a job, as root: removes, as the job's user, the containers that the job named
 * and whatever its steps left in runtime_path. A job that left nothing is no error.
 */
int spank_scope_end_job(struct spank_handle *sp, const struct spank_plugstack *site,
			void (*show)(const char *line), struct err *e);

#endif
