/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_EVAL_EVAL_BATCH_H
#define CSBX_CMD_EVAL_EVAL_BATCH_H

#include <stdbool.h>

struct batch;
struct container_spec;
struct eval_job;
struct paths;

/*
 * `csbx eval --batch`: each line becomes a job that starts with what `job` has. *b says what is
 * read and where records go; has_lanes: lanes.h. Returns csbx's exit code.
 */
int eval_batch_run(const struct paths *paths, const struct container_spec *spec,
		   struct eval_job *job, bool has_lanes, struct batch *b);

#endif
