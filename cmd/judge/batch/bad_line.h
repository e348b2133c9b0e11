/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_EVAL_BATCH_BAD_LINE_H
#define CSBX_CMD_EVAL_BATCH_BAD_LINE_H

/* The record of a line that cannot be worked on. */

#include <stdint.h>

struct err;
struct strbuf;

/* label: its "id" as JSON, NULL or "": it has none; occurrence: of that id in the batch, from 1. */
void batch_bad_line(uint64_t line, const char *label, unsigned occurrence, const struct err *why,
		    struct strbuf *out);

#endif
