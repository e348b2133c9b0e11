/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_EVAL_TEST_JSON_H
#define CSBX_CMD_EVAL_TEST_JSON_H

/* The members that `csbx test` adds to the result object (docs/result.md, "Tests"). */

struct json_out;

/* run: a struct test_run; the write of struct result_more. */
void test_json_write(void *run, struct json_out *j);

#endif
