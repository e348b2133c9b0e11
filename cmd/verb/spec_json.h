/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_TOOL_SPEC_JSON_H
#define CSBX_CMD_TOOL_SPEC_JSON_H

/*
 * Reads a container_spec from JSON (csbx-spec(5)), the format that runtime/spec/out.h writes.
 * Strict: an unknown member, a wrong type, a version this program does not know is an error
 * naming the member. Pure.
 */

#include <stddef.h>

struct container_spec;
struct err;

#define SPEC_JSON_BYTES_MAX (8u << 20)

/* s has been initialised by spec_init(); it is not frozen yet. */
int spec_read_json(const void *text, size_t len, struct container_spec *s, struct err *e);

#endif
