/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_EVAL_TEST_ARGS_H
#define CSBX_CMD_EVAL_TEST_ARGS_H

/* The arguments of `csbx test`, and what one run and a batch make of them. */

#include "cmd/judge/test/run.h"
#include "cmd/options/run_opts.h"

struct batch_line;
struct cmd;
struct subject;

struct test_args {
	struct run_opts run;
	const char *image, *repo, *repo_in_image, *test_patch, *python, *clone, *commit;
	struct strv patches, fail_to_pass, pass_to_pass;
	const char *batch, *output, *report;
	uint64_t jobs;
	int runner;
	bool strict, isolate, copy, ordered;
};

/* Refuses a run that lacks what it needs, or has it twice; of a batch each line is asked. */
int test_check_args(const struct test_args *a, struct err *e);

/* The spec of a->run and t are ready to be executed. */
int test_make_ready(struct cmd *c, struct test_args *a, const struct test_wish *w,
		    struct subject *subject, struct test_run *t, struct err *e);

/* Executes; a run that did not come about is a result too. */
void test_execute_always(struct test_run *t, const struct test_wish *w, const struct test_args *a,
			 const struct paths *paths, struct run_result *result);

/* --batch. Returns csbx's exit code. */
int test_batch(struct cmd *c, struct test_args *a, int argc, char **argv);

#endif
