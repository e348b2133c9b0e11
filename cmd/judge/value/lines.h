/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_EVAL_LINES_H
#define CSBX_CMD_EVAL_LINES_H

/* Reads lines from a descriptor in bounded memory. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/str.h"

struct err;

struct lines {
	int fd;
	size_t max;
	struct strbuf buf;
	size_t off;
	bool is_impatient; /* never waits for text to come */
	bool at_end, is_skipping;
	size_t looked;               /* bytes of the line that have no newline */
	uint64_t number, begin, end; /* of the line: its number, its bytes in the file */
};

/*
 * 1: a line, without its newline, valid until the next call; its text is cut off after `max` bytes
 * and *ret_too_long says so. 0: there are no more. A last line without a newline counts. -EAGAIN,
 * without a text in *e: is_impatient, and no whole line is there.
 */
int lines_next(struct lines *l, const char **ret, size_t *ret_len, bool *ret_too_long,
	       struct err *e);
void lines_free(struct lines *l);

#endif
