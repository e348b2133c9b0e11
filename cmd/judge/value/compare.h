/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_EVAL_COMPARE_H
#define CSBX_CMD_EVAL_COMPARE_H

/*
 * Compares the value that a case expects with the value that came back, outside of everything the
 * judged program can reach. Pure.
 */

#include <stdbool.h>
#include <stddef.h>

struct err;
struct value;

enum compare_kind {
	COMPARE_EQUAL,  /* as Python's ==; a list where a tuple came is content with it */
	COMPARE_SET,    /* as sets: order and repetition do not count */
	COMPARE_CLOSE,  /* floats, at any depth, within a tolerance; else as equal */
	COMPARE_STDOUT, /* what was printed, as text */
};

struct compare {
	enum compare_kind kind;
	double rel, abs; /* COMPARE_CLOSE, as math.isclose() */
	bool exact;      /* COMPARE_STDOUT: white space at the ends of lines and text counts */
};

/*
 * Both have been sorted (value_sort). An opaque value equals nothing, wherever it is. The
 * expected value came from JSON, which knows lists only: a list there is content with a tuple, a
 * tuple ({"$tuple": ...}) is not content with a list. A NaN is content with a NaN.
 */
bool compare_values(const struct compare *c, const struct value *expected,
		    const struct value *answer);
bool compare_texts(const struct compare *c, const char *expected, size_t n, const char *printed,
		   size_t m);

bool exception_is_built_in(const char *name);

/*
 * True when `except expected` catches an exception of this type: the same name, or a built-in one
 * and a built-in base of it. A class of the program's own counts by the built-in class that it
 * derives from (base; "": not known), and by no more than one: a class that claims to derive from
 * everything would pass every case.
 */
bool exception_is(const char *raised, const char *base, const char *expected);

/*
 * Searches a message by a regular expression of Python's, as far as POSIX has its parts under the
 * same or another name. -EINVAL where it is something else (look-around, flags, named groups).
 * Only the beginning of a long message is searched: the time may grow with the square of it.
 */
#define PATTERN_BYTES_MAX 16000u /* the harness tells 4000 characters */
struct pattern;
int pattern_compile(const char *re, struct pattern **ret, struct err *e);
bool pattern_is_in(const struct pattern *p, const char *text, size_t len);
void pattern_free(struct pattern *p);

#endif
