/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_BUILD_DOCKERFILE_LINES_H
#define CSBX_CMD_BUILD_DOCKERFILE_LINES_H

/*
 * Physical lines become logical ones. A line that begins with "#", blanks before it allowed, is a
 * comment, also between continued lines; an empty line there is passed over too. A line that ends
 * with one escape character goes on in the next; two of them are text.
 */

#include <stddef.h>

#include "cmd/build/dockerfile/dockerfile.h"
#include "runtime/base/str.h"

struct err;

struct line_reader {
	const char *p, *end;
	unsigned line; /* how many were read */
	char escape;
};

struct logical_line {
	unsigned line, end_line;
	struct strbuf text; /* without newline, blanks before it gone */
};

/* Reads the directives into d (d->escape is set in any case). */
int lines_begin(struct line_reader *r, const char *text, size_t len, struct dockerfile *d,
		struct err *e);

/* 1 and a line that is not empty, 0 at the end, -EINVAL with out->line for one that is too long. */
int lines_next(struct line_reader *r, struct logical_line *out, struct err *e);

/* The body of a here-document, read from where the reader stands. */
int lines_heredoc(struct line_reader *r, struct dockerfile_heredoc *h, struct err *e);

#endif
