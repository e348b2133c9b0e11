/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_BUILD_TEXT_H
#define CSBX_CMD_BUILD_TEXT_H

/* What a build says on standard error while it goes on, as docker does with --progress=plain. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/str.h"

struct build_text {
	bool quiet;
	bool is_stream; /* build_stream.h: steps and output alone, in the classic builder's words */
	unsigned n;     /* of the step that goes on */
	uint64_t began_ns;  /* likewise */
	struct strbuf line; /* output that has no newline yet */
	struct strbuf tail; /* the last of its output, for a step that fails */
	char *name;
};

void build_text_begin(struct build_text *p, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* The same for an instruction, which number `at` of `all` in its file: to a stream. */
void build_text_step(struct build_text *p, size_t at, size_t all, const char *text);
/* It is done, and what follows it has this key. */
void build_text_stepped(struct build_text *p, const char *key);
/* Output of the step's program; a line that has no end yet waits for it. */
void build_text_output(struct build_text *p, const char *data, size_t len);
void build_text_cached(struct build_text *p);
void build_text_done(struct build_text *p);
/* The step failed: says so, and shows the end of its output again, as docker does. */
void build_text_failed(struct build_text *p, const char *why);
void build_text_free(struct build_text *p);

#endif
