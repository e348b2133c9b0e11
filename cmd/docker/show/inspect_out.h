/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_INSPECT_OUT_H
#define CSBX_CMD_DOCKER_INSPECT_OUT_H

/*
 * The output of the inspect verbs (docker/cli, cli/command/inspect): one JSON array of all objects
 * that were found, or a template's text for each; at the end, a message names the objects that were
 * not found.
 */

#include <stddef.h>

#include "runtime/base/str.h"

struct docker;
struct docker_value;

struct inspect_out {
	const char *format; /* NULL or "": an indented array; "json": one on one line */
	struct strbuf out, errors;
	size_t n;
	int code;
};

/* An exit code when the template cannot be read, and that is said; else 0. */
int inspect_out_check(struct inspect_out *x);
void inspect_out_add(struct inspect_out *x, const struct docker_value *object);
void inspect_out_error(struct inspect_out *x, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Prints all of it and frees. Returns the exit code. */
int inspect_out_end(struct inspect_out *x);

#endif
