/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_JUDGE_REPORT_H
#define CSBX_CMD_JUDGE_REPORT_H

/*
 * The room cmd/judge/report. What became of judged runs, in a file for people or for CI.
 *
 * In: records, the JSON that eval and test write. Out: one file.
 *
 *	report.h	records become rows; the file
 *	rows.h		a row; the texts of its failures
 *	html.c		a page with plots that needs no other file
 *	junit.c		JUnit's XML, of test
 *	markup.h	foreign text in either
 *
 * Must: take every text of a record for foreign.
 * Mustn't: judge; a verdict is the record's.
 */

#include <stdbool.h>
#include <stddef.h>

#include "cmd/judge/report/rows.h"

struct container_spec;
struct err;
struct result_more;
struct run_result;

/* A report that is under way. */
struct report {
	const char *path; /* NULL: none is asked for, and all of the calls below do nothing */
	const char *verb;
	bool is_junit;
	int dir_fd; /* where the file will be */
	struct report_rows rows;
};
#define REPORT_INIT          \
	{                    \
		.dir_fd = -1 \
	}

/*
 * Before anything has run. The name's end says what is written: .html, or of test .xml too.
 * spec: of the runs; no link is followed where their programs may write.
 */
int report_open(struct report *r, const char *path, const char *verb,
		const struct container_spec *spec, struct err *e);
/*
 * name: of a run that has no id of its own; NULL: the record's.
 * A text that is no object is passed over; an object that cannot be read is a row that says so.
 */
int report_add(struct report *r, const char *text, size_t len, const char *name, struct err *e);
/* One run, as a whole report. */
int report_run(struct report *r, const struct container_spec *spec, const struct run_result *result,
	       const struct result_more *more, const char *name, struct err *e);
/* All records of a regular file, from its beginning; of two of one id the later one. */
int report_add_file(struct report *r, int fd, struct err *e);
/* Writes the file: it is whole, or as it was. */
int report_write(struct report *r, struct err *e);
void report_free(struct report *r);

#endif
