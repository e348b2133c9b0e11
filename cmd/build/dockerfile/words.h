/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_BUILD_DOCKERFILE_WORDS_H
#define CSBX_CMD_BUILD_DOCKERFILE_WORDS_H

/* Splits the text of an instruction into words. Values of variables are not known here. */

#include <stdbool.h>
#include <stddef.h>

#include "runtime/base/str.h"

struct err;

/* Past tab, vertical tab, form feed, carriage return and blank. */
const char *words_skip_blanks(const char *s);
/* To the next of these. */
const char *words_skip_text(const char *s);

/* Takes "--name..." words off the front; returns what follows them. A word "--" ends them. */
const char *words_flags(const char *s, struct strv *flags);

/* Words between blanks, nothing quoted. */
void words_plain(const char *s, struct strv *ret);

/* Words between blanks outside of quotes; quotes and escape characters stay in them. */
void words_quoted(const char *s, char escape, struct strv *ret);

/*
 * Names and values by turns: "A=1 B=2", or "A the rest" as one pair. name: the instruction's, for
 * errors: -EINVAL.
 */
int words_pairs(const char *name, const char *s, char escape, struct strv *ret, struct err *e);

/*
 * A JSON list of strings: 1, or 0 for what is no JSON list at all. -EINVAL for a list of anything
 * else than strings.
 */
int words_json(const char *s, struct strv *ret, struct err *e);

#endif
