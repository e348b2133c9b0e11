/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_EVAL_LINT_H
#define CSBX_CMD_EVAL_LINT_H

struct eval_container;
struct eval_job;
struct eval_verdict;
struct err;

/*
 * --deny-import, --deny-call, --allow-command: a look at the snippet's syntax tree, in a container
 * in which it does not run. 1: *v is a policy_violation, with a sentence for each; 0: nothing was
 * found.
 */
int eval_lint(const struct eval_container *container, const struct eval_job *job,
	      struct eval_verdict *v, struct err *e);

#endif
