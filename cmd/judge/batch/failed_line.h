/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_JUDGE_BATCH_FAILED_LINE_H
#define CSBX_CMD_JUDGE_BATCH_FAILED_LINE_H

/*
 * The record of a line that was not run: status "bad_line" where the line is wrong, "sandbox_error"
 * where csbx or the machine failed, which says nothing about the line. The error's code decides.
 */

#include <stdbool.h>
#include <stdint.h>

struct err;
struct strbuf;

/*
 * label: its "id" as JSON, NULL or "": it has none; occurrence: of that id in the batch, from 1.
 * Returns whether the line is to blame.
 */
bool batch_failed_line(uint64_t line, const char *label, unsigned occurrence, const struct err *why,
		       struct strbuf *out);

#endif
