/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_EVAL_TEST_INPUT_H
#define CSBX_CMD_EVAL_TEST_INPUT_H

/* The input of the harness: one JSON object (cmd/harness/PROTOCOL.md) in a sealed memfd. */

#include <stdbool.h>

struct err;
struct test_wish;

struct test_input {
	const struct test_wish *wish;
	const char *repo;      /* where it lies inside */
	const char *copy_from; /* whence it is copied there first, or NULL */
	const char
		*clone_from; /* the bare repository that wish->commit is checked out of, or NULL */
	const char *secret;
	bool is_alone; /* one of several containers, for one id: --isolate */
};

/* The descriptor. Reads the patches. */
int test_input_make(const struct test_input *in, struct err *e);

#endif
