/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_JUDGE_TEST_TEST_ISOLATE_H
#define CSBX_CMD_JUDGE_TEST_TEST_ISOLATE_H

/*
 * --isolate: each listed test alone, in a container of its own with patches, runner and channel of
 * its own. The report of one container counts for its own test and for no other, so code that one
 * test runs can speak for that test alone.
 */

struct container_spec;
struct err;
struct paths;
struct run_result;
struct test_run;
struct test_wish;

/*
 * As test_execute(); t is prepared, its channel is not used. *result is of the first container that
 * did not end well, else of the last.
 */
int test_isolate_execute(struct test_run *t, const struct test_wish *w,
			 const struct container_spec *spec, const struct paths *paths,
			 struct run_result *result, struct err *e);

#endif
