/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_EVAL_JOB_LINE_H
#define CSBX_CMD_EVAL_JOB_LINE_H

struct err;
struct eval_job;
struct value;

/*
 * A line of a batch (docs/judging.md) to a job, which starts with what the command line says and
 * borrows from the line. -EINVAL naming the member that is wrong.
 */
int eval_job_from_line(const struct value *line, struct eval_job *job, struct err *e);

#endif
