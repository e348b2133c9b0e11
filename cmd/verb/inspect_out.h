/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_TOOL_INSPECT_OUT_H
#define CSBX_CMD_TOOL_INSPECT_OUT_H

/* The parts of inspect's object. Each writes members into the object that is open. */

struct container_record;
struct image_meta;
struct instance_record;
struct json_out;

void inspect_write_record(struct json_out *j, const char *name, const struct container_record *r);
void inspect_write_meta(struct json_out *j, const struct image_meta *m);
/* An object of its own, with the effective protections of the instance's main process. */
void inspect_write_instance(struct json_out *j, const struct instance_record *r);

#endif
