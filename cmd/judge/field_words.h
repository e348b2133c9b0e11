/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_EVAL_FIELD_WORDS_H
#define CSBX_CMD_EVAL_FIELD_WORDS_H

/*
 * Lines of a batch as the data sets of the field have them: HumanEval (task_id, prompt,
 * entry_point, canonical_solution, test, and a sample's completion) and MBPP (task_id, code,
 * test_list, test_setup_code, test_imports). Members that mean the same as one of ours by another
 * name are in job_line.c; here are those that are made of several.
 */

#include <stdbool.h>

struct err;
struct eval_job;
struct value;

/* Fills what the job lacks, its code and its check. -EINVAL naming the member that is wrong. */
int field_words_take(const struct value *line, struct eval_job *job, struct err *e);

#endif
