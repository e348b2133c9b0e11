/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_EVAL_TEST_VERDICT_H
#define CSBX_CMD_EVAL_TEST_VERDICT_H

/*
 * From a report to a verdict, by the rules of SWE-bench: a fail-to-pass test must have passed (or
 * have failed as expected), a pass-to-pass test may be skipped too, an id that was not reported has
 * failed, and an id that ends in the middle of its parameters stands for all that begin so. Pure.
 */

#include <stdbool.h>

#include "runtime/base/str.h"

struct err;
struct test_report;

enum test_list { LIST_FAIL_TO_PASS, LIST_PASS_TO_PASS };

struct test_verdict {
	struct strv success[2], failure[2]; /* by enum test_list */
	bool has_lists;
	bool completed; /* the runner came to its end and said so */
	bool has_patches, patch_applied;
	bool all_passed; /* every test that was reported, and there was one */
	bool resolved;   /* with lists */
	bool is_none;    /* nothing was run: the image or the host is at fault */
};

struct test_lists {
	struct strv ids[2]; /* by enum test_list */
};

/* strict: any tampering makes it unresolved. Lists what disagrees into report->tamper first. */
int test_verdict_reach(struct test_report *report, const struct test_lists *lists, bool strict,
		       struct test_verdict *ret, struct err *e);
void test_verdict_free(struct test_verdict *v);

/* True when an id ends in the middle of its parameters: "t.py::f[a" */
bool test_id_is_truncated(const char *id);

#endif
