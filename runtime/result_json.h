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
struct run_result;
struct strbuf;

#define RESULT_SCHEMA 1u

/* with_output false leaves stdout and stderr null (--json-no-output). Appends, with a newline. */
int result_json(const struct container_spec *spec, const struct run_result *r, bool with_output,
		struct strbuf *out, struct err *e);

#endif
