/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_EVAL_BATCH_H
#define CSBX_CMD_EVAL_BATCH_H

/*
 * Many judged runs: lines in, records out, as they end. Each line is worked on by a process of its
 * own, `jobs` of them at a time; memory is one line and the records under way. A line that cannot
 * be worked on has a record too, and the others go on.
 *
 *	{"id": null, "line": 7, "status": "bad_line", "success": false,
 *	 "error": {"code": "bad_line", "stage": "line 7", "message": "..."}}
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/str.h"

struct err;
struct value;

#define BATCH_LINE_BYTES_MAX (32u << 20)
#define BATCH_JOBS_MAX 1024u

/* A line as it is handed to the callback: an object of JSON. */
struct batch_line {
	uint64_t number;
	const struct value *object;
	const char *label; /* its "id" as JSON; NULL: it has none */
};

struct batch {
	const char *input;  /* a file, or "-" */
	const char *output; /* a file that is added to; NULL: standard output */
	unsigned jobs;      /* 0: one a CPU */
	/* In a process of its own: adds the record, with its newline. Below 0: a bad line. */
	int (*work)(void *ctx, const struct batch_line *line, struct strbuf *record, struct err *e);
	/* In this process, before each of these; NULL: nothing is to be done. */
	void (*before)(void *ctx);
	void *ctx;
};

/*
 * 0: every line has a record; above 0: a signal, by that number, ended it, and what was under way
 * has no record. Lines whose id has a record in the output already, one of a run that came about,
 * are passed over.
 */
int batch_run(const struct batch *b, struct err *e);

#endif
