/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_SPEC_OUT_H
#define CSBX_RUNTIME_SPEC_OUT_H

/*
 * A container_spec as JSON, format version SPEC_VERSION (csbx-spec(5)). `csbx run --spec` reads
 * what this writes. Members at their default are left out, so a reader sees what was asked for.
 */

struct container_spec;
struct json_out;

void spec_write_json(const struct container_spec *s, struct json_out *j);

#endif
