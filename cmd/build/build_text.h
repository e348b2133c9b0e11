/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_BUILD_TEXT_H
#define CSBX_CMD_BUILD_TEXT_H

/* The text of a build on standard error while it goes on, as docker's with --progress=plain. */

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/str.h"

struct err;

struct build_text {
	bool quiet;
	bool muted;           /* of what is told now another process has told */
	bool is_opened;       /* the step's name is said */
	atomic_uint *numbers; /* of steps, where several processes tell of them; NULL: one */
	bool is_stream; /* build_stream.h: steps and output alone, in the classic builder's words */
	unsigned n;     /* of the step that goes on */
	uint64_t began_ns;  /* likewise */
	struct strbuf line; /* output that has no newline yet */
	struct strbuf tail; /* the last of its output, for a step that fails */
	char *name;
};

/* Before this build becomes several processes. */
int build_text_share(struct build_text *p, struct err *e);

/* A step; its name is said when there is more to say of it. */
void build_text_prepare(struct build_text *p, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* It goes on: says the name. */
void build_text_open(struct build_text *p);
/* The same for an instruction, which number `at` of `all` in its file: to a stream. */
void build_text_step(struct build_text *p, size_t at, size_t all, const char *text);
/* It is done, and what follows it has this key. */
void build_text_stepped(struct build_text *p, const char *key);
/* Output of the step's program; a line that has no end yet waits for it. */
void build_text_output(struct build_text *p, const char *data, size_t len);
void build_text_cached(struct build_text *p);
/* The step is not to be mentioned. */
void build_text_skip(struct build_text *p);
/* It was ended because another one failed. */
void build_text_cancelled(struct build_text *p);
void build_text_done(struct build_text *p);
/* The step failed: says so, and shows the end of its output again, as docker does. */
void build_text_failed(struct build_text *p, const char *why);
void build_text_free(struct build_text *p);

#endif
