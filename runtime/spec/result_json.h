/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_RESULT_JSON_H
#define CSBX_RUNTIME_RESULT_JSON_H

/*
 * The one writer of the result object (docs/result.md, docs/result.schema.json): every field of
 * the schema is there, null where it does not apply.
 */

#include <stdbool.h>

struct container_spec;
struct err;
struct json_out;
struct run_result;
struct strbuf;

#define RESULT_SCHEMA 1u

/* The members that a judged run adds to the object. */
struct result_more {
	int completed; /* 1, 0; -1: not known */
	/* Writes members into the open object, behind all others; NULL: none. */
	void (*write)(void *ctx, struct json_out *j);
	void *ctx;
	const char *label;   /* JSON, of a line of a batch: "id", and the run's own is "instance" */
	unsigned occurrence; /* of that label in the batch; told from 2 on */
};

/* with_output false leaves stdout and stderr null (--json-no-output). Appends, with a newline. */
int result_json(const struct container_spec *spec, const struct run_result *r, bool with_output,
		struct strbuf *out, struct err *e);
int result_json_more(const struct container_spec *spec, const struct run_result *r,
		     bool with_output, const struct result_more *more, struct strbuf *out,
		     struct err *e);

#endif
