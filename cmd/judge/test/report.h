/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_EVAL_TEST_REPORT_H
#define CSBX_CMD_EVAL_TEST_REPORT_H

/*
 * The report of the harness of `csbx test`, record by record (cmd/harness/PROTOCOL.md). Hostile
 * input: csbx checks records against the schema and caps texts and numbers. A second record of a
 * test can make its outcome worse, never better.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/str.h"

struct err;

#define TEST_CASES_MAX 200000u
#define TEST_NOTES_MAX 4096u     /* of each kind */
#define TEST_CHANGED_MAX 100000u /* files that patches touched */
#define TEST_ID_MAX 16384u

enum test_outcome {
	TEST_MISSING,
	TEST_PASSED,
	TEST_FAILED,
	TEST_ERROR,
	TEST_SKIPPED,
	TEST_XFAILED,
	TEST_XPASSED,
};
const char *test_outcome_name(enum test_outcome o); /* "passed", ...; of TEST_MISSING "missing" */

/* In the order of how much worse they are. */
enum test_phase { PHASE_NONE, PHASE_PASSED, PHASE_SKIPPED, PHASE_FAILED };

struct test_case {
	char *id,
		*alt; /* alt: pytest's own node id where that is spelled in another way, or NULL */
	uint8_t setup, call, teardown; /* enum test_phase */
	bool xfail;
	bool shares_alt; /* with another test, so that it is the name of neither */
	uint32_t duration_ms;
};

/* A pair of texts: a file and a remark, a kind and a detail. */
struct test_note {
	char *what, *text;
	unsigned flags;
};
enum { PATCH_APPLIED = 1, PATCH_OF_TESTS = 2 };
enum { CHANGED_BY_TESTS = 1, CHANGED_INSTALLED = 2, CHANGED_SHADOW = 4, CHANGED_NEW = 8 };

struct test_notes {
	struct test_note *items;
	size_t n, cap;
};

struct test_report {
	struct test_case *cases;
	size_t n, cap;
	uint32_t *table; /* of ids and alts: index * 2 + (1 for an alt) + 1, by hash */
	size_t table_size, table_used;
	uint32_t seed;
	struct test_notes patches;        /* name, error or NULL; PATCH_* */
	struct test_notes changed;        /* path; CHANGED_* */
	struct test_notes tamper;         /* kind, detail */
	struct test_notes collect_errors; /* id, message */
	char *runner, *runner_version, *python, *patch_tool;
	char *error_code, *error_message; /* why nothing was run */
	bool is_finished;
	uint64_t status, collected, failed, session_failed; /* with is_finished */
	bool is_full;                                       /* a cap was reached */
	bool has_lost; /* a record before the end could not be kept */
};

void test_report_free(struct test_report *r);

/* The test of that id, made when there is none; NULL: out of memory, or r->is_full. */
struct test_case *test_report_case(struct test_report *r, const char *id, const char *alt);

/* One record (record.c); -EBADMSG when it is malformed, which leaves the report as it was. */
int test_report_add(struct test_report *r, const char *json, size_t len, struct err *e);

/* By id, else by alt where that means this test alone; NULL when there is none. */
const struct test_case *test_report_find(const struct test_report *r, const char *id);

enum test_outcome test_case_outcome(const struct test_case *c);

/* False where a report is missing that the harness sent: such a run has not passed. */
bool test_report_is_whole(const struct test_report *r);

/* Adds to a list, except when it is full or has the pair; -ENOMEM. */
int test_notes_add(struct test_notes *notes, const char *what, const char *text, struct err *e);

/* Adds to a list in any case; -ENOMEM. */
int test_notes_append(struct test_notes *notes, const char *what, const char *text, struct err *e);

#endif
