/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_EVAL_BATCH_H
#define CSBX_CMD_EVAL_BATCH_H

/*
 * The room cmd/judge/batch. Many judged runs.
 *
 * In: lines of JSON, and a function that judges one. Out: a record for each.
 *
 *	batch.h, worker.h	the parent, which hands out lines and writes; a line's process
 *	line.h, failed_line.h	reading a line; the record of one that was not run
 *	done.h, seen.h		records that are there already; lines that share an id
 *	order.h			records in the order of lines
 *	progress.h		how far it is, for people
 *
 * Must: write a record whole or not at all.
 * Mustn't: know what a line asks for.
 */

/*
 * Lines in, records out, as they end. Each line is worked on by a process of its
 * own, `jobs` of them at a time; memory is one line and the records under way. A line that cannot
 * be worked on has a record too, and the others go on. Where the work says that a line has left
 * nothing behind in its process, the next line of the slot may have the same process.
 *
 *	{"id": null, "line": 7, "status": "bad_line", "success": false,
 *	 "error": {"code": "bad_line", "stage": "line 7", "message": "..."}}
 *
 * Where csbx or the machine failed before there was a result, status and code are "sandbox_error".
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/str.h"

struct container_spec;
struct err;
struct value;

#define BATCH_LINE_BYTES_MAX (32u << 20)
#define BATCH_JOBS_MAX 1024u

/* A line as it is handed to the callback: an object of JSON. */
struct batch_line {
	uint64_t number;
	const struct value *object;
	const char *label;   /* its "id" as JSON; NULL: it has none */
	unsigned occurrence; /* 2: the second line of that id */
	int end_fd;          /* readable when the line's containers are to end */
	bool *goes_on;       /* set: the process is as it was, and may have another line */
};

struct batch {
	const char *input;                 /* a file, or "-" */
	const char *output;                /* a file that is added to; NULL: standard output */
	const char *report;                /* a file about all records; NULL: none */
	unsigned jobs;                     /* 0: one a CPU */
	bool ordered;                      /* records come in the order of lines */
	const struct container_spec *spec; /* of every line, but for what is its own */
	/*
	 * In a process of its own: adds the record, with its newline. Below 0: a bad line, or by the
	 * code a failure of csbx or the machine; above 0: nothing was run, and the record says why.
	 */
	int (*work)(void *ctx, const struct batch_line *line, struct strbuf *record, struct err *e);
	/*
	 * In this process, before each of these and after it; slot: below slots, of no other that
	 * is under way; left: lines that have no record yet, this one included, where the input is a
	 * file; 0: not known. NULL: nothing is to be done. before: true where ctx is as it was when
	 * the slot had its last line, so that the process of that line may have this one.
	 */
	bool (*before)(void *ctx, unsigned slot, unsigned slots, uint64_t left);
	void (*after)(void *ctx, unsigned slot);
	void *ctx;
};

/*
 * Lines that have a record in the output already, one of a run that came about, are passed over: one
 * of their id, and of their occurrence where lines share an id.
 * A signal ends it, and what was under way has no record. Tells people how far it is, and what
 * became of it. Returns csbx's exit code: 0 where every line has a record of a run.
 */
int batch_run(const struct batch *b, const char *verb);

#endif
