/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_EVAL_TEST_TAMPER_H
#define CSBX_CMD_EVAL_TEST_TAMPER_H

/*
 * What looks like tampering with the tests, from what was said before any code of the repository
 * ran (the files that patches touch) and from counts that disagree. What the harness found inside
 * pytest's process is in the list already, under the same kinds (docs/judging.md).
 */

struct err;
struct test_lists;
struct test_report;

int test_tamper_look(struct test_report *r, const struct test_lists *lists, struct err *e);

#endif
