/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_GC_JOB_H
#define CSBX_CMD_GC_JOB_H

#include <stdbool.h>

struct cmd;
struct err;
struct gc_report;
struct gc_request;

/*
 * gc --job as a line of slurmd's Epilog, which runs as root: becomes the job's user
 * (SLURM_JOB_UID, SLURM_JOB_GID) for good and sweeps what he has on this node, in each of the
 * places where csbx may have had its runtime directory. A directory that cannot be opened there is
 * warned of, and no error. False: not root, or no such variables.
 */
bool gc_job_is_epilog(void);
int gc_job_epilog(struct cmd *c, const struct gc_request *q, struct gc_report *ret, struct err *e);

#endif
