/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_EVAL_TEST_IDS_H
#define CSBX_CMD_EVAL_TEST_IDS_H

/*
 * Test ids as they are given: ID, or @FILE with one in each line or a JSON array of strings. An id
 * may have blanks, brackets and any UTF-8; blanks around a line of a file are not part of it.
 */

struct container_spec;
struct err;
struct strv;

int test_ids_read(const struct strv *given, const struct container_spec *run, struct strv *ret,
		  struct err *e);

/* -EINVAL for what no test can be called. */
int test_id_check(const char *id, struct err *e);

#endif
