/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_JUDGE_REPORT_ROWS_H
#define CSBX_CMD_JUDGE_REPORT_ROWS_H

/* Records as the rows of a report. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/str.h"

struct err;
struct value;

enum report_verdict {
	REPORT_PASSED,
	REPORT_FAILED,
	REPORT_ERROR, /* no verdict: a bad line, or csbx failed */
	REPORT_VERDICTS,
};

/* A test of a repository. */
struct report_test {
	char *id, *outcome;
	double duration_s;
};

struct report_row {
	char *name, *status;
	bool has_id;
	uint64_t occurrence; /* of that id in the batch */
	enum report_verdict verdict;
	double wall_s, memory_bytes; /* below 0: not known */
	struct report_test *tests;
	size_t n_tests;
	struct strbuf why, output; /* lines, of a row that has not passed */
};

struct report_rows {
	struct report_row *items;
	size_t n, cap;
};

const char *report_verdict_name(enum report_verdict v);
/* Of rows of one id keeps the last: it is the last try. */
int report_rows_settle(struct report_rows *rows, struct err *e);
int report_rows_add(struct report_rows *rows, const struct value *record, const char *name,
		    struct err *e);
void report_rows_free(struct report_rows *rows);

/* html.c, junit.c */
void report_html(const struct report_rows *rows, const char *verb, struct strbuf *out);
void report_junit(const struct report_rows *rows, struct strbuf *out);

#endif
