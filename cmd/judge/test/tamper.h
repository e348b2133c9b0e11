/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_EVAL_TEST_TAMPER_H
#define CSBX_CMD_EVAL_TEST_TAMPER_H

/*
 * Finds what looks like tampering with the tests, from what was said before any code of the
 * repository ran (the files that patches touch) and from counts that disagree. The findings of the
 * harness inside pytest's process are in the list already, under the same kinds (docs/judging.md).
 */

struct err;
struct test_lists;
struct test_report;

int test_tamper_look(struct test_report *r, const struct test_lists *lists, struct err *e);

#endif
