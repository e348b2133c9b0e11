/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_EVAL_BATCH_BAD_LINE_H
#define CSBX_CMD_EVAL_BATCH_BAD_LINE_H

/* The record of a line that cannot be worked on. */

#include <stddef.h>
#include <stdint.h>

struct err;
struct strbuf;

/* label: its "id" as JSON, NULL or "": it has none */
void batch_bad_line(uint64_t line, const char *label, const struct err *why, struct strbuf *out);
/* The id of a line that is too long to be read, where that is what it begins with. */
void batch_find_label(const char *text, size_t len, struct strbuf *ret);

#endif
