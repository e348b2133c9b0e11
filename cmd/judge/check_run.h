/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_EVAL_CHECK_RUN_H
#define CSBX_CMD_EVAL_CHECK_RUN_H

/* Asserting code against a snippet, each in a container of its own. */

struct eval_container;
struct eval_job;
struct eval_verdict;
struct err;

/* *v is about the snippet's container; v->check says what the asserting code found. */
int eval_run_check(const struct eval_container *container, struct eval_job *job,
		   struct eval_verdict *v, struct err *e);

#endif
