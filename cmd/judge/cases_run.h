/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_EVAL_CASES_RUN_H
#define CSBX_CMD_EVAL_CASES_RUN_H

/* Puts cases to a judged function, over the channel to its container. */

struct eval_container;
struct eval_job;
struct eval_verdict;
struct err;

/*
 * Fills job->cases and *v. A container that ends with cases left, after at least one was put to it,
 * is followed by another: one case that takes all memory says nothing of the next.
 */
int eval_run_cases(const struct eval_container *container, struct eval_job *job,
		   struct eval_verdict *v, struct err *e);

#endif
