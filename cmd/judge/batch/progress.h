/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_EVAL_BATCH_PROGRESS_H
#define CSBX_CMD_EVAL_BATCH_PROGRESS_H

/* The progress of a batch, told while it runs on a terminal, and at its end. */

#include <stdbool.h>
#include <stdint.h>

struct strbuf;

struct batch_progress {
	uint64_t total;       /* lines to be done, without blank ones; 0: not known */
	uint64_t done;        /* have a record, by this run or one before */
	uint64_t passed_over; /* of these, by one before */
	uint64_t wrong;       /* of these, lines that could not be worked on */
	uint64_t failed;      /* of these, lines whose container csbx could not start or keep */
	uint64_t begin_ns;

	bool is_terminal, is_drawn;
	uint64_t drawn_ns;
};

/* in_fd: lines of a regular file are counted from where it stands, which stays. */
void batch_progress_begin(struct batch_progress *p, int in_fd);

/* Redraws the line where the last time is long ago. */
void batch_progress_draw(struct batch_progress *p);
/* Removes it: something else is about to be written. */
void batch_progress_clear(struct batch_progress *p);

/* "154 of 2,000 lines done, 12.3 a second, 2 min 30 s left". Pure. */
void batch_progress_add_line(const struct batch_progress *p, uint64_t now_ns, struct strbuf *out);
/*
 * The outcome of the batch in a sentence: "154 of 2,000 lines were done in 13 s". Pure. False: a
 * program that reads the output does not need it, as every line is done and none was wrong.
 */
bool batch_progress_add_end(const struct batch_progress *p, uint64_t now_ns, struct strbuf *out);

#endif
