/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_ENV_LINES_H
#define CSBX_RUNTIME_ENV_LINES_H

/*
 * Environment as text: NAME=VALUE lines as enroot's files have them, and as its hooks and scripts
 * print them. NAME is [A-Za-z_][A-Za-z0-9_]*. Empty lines and those that begin with '#' are passed
 * over. Text with a NUL byte in it is a list of NUL-terminated assignments instead (env -0), whose
 * values may have line breaks. Pure functions of the text.
 */

#include <stdbool.h>
#include <stddef.h>

struct strv;
struct err;

enum env_lines_flag {
	/* Written by people: blanks around it and "export " go, and one pair of quotes around the
	 * value. Without it a line is taken as it is, to the last byte. */
	ENV_LINES_HAND = 1u << 0,
};

/* Adds the assignments in order. Lines that are none are counted out: "line 3: not NAME=VALUE". */
int env_lines_parse(const char *buf, size_t len, unsigned flags, struct strv *out,
		    struct strv *ret_wrong, struct err *e);

/* True for NAME or NAME=VALUE with such a name. */
bool env_name_is_valid(const char *text);

#endif
