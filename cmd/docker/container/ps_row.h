/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_PS_ROW_H
#define CSBX_CMD_DOCKER_PS_ROW_H

/* One container as a row of `docker ps`, for its templates. */

#include <stdbool.h>
#include <stdint.h>

#include "cmd/docker/show/format.h"

struct listed;
struct paths;
struct docker_value;

struct ps_row_style {
	const struct paths *paths; /* sizes are looked up there */
	uint64_t now_ns;
	bool truncate, size;
};

extern const struct format_head ps_row_heads[];

#define PS_ROW_TABLE \
	"{{.ID}}\t{{.Image}}\t{{.Command}}\t{{.RunningFor}}\t{{.Status}}\t{{.Ports}}\t{{.Names}}"
#define PS_ROW_RAW                                                                                 \
	"container_id: {{.ID}}\nimage: {{.Image}}\ncommand: {{.Command}}\n"                        \
	"created_at: {{.CreatedAt}}\nstate: {{- pad .State 1 0}}\nstatus: {{- pad .Status 1 0}}\n" \
	"names: {{.Names}}\nlabels: {{- pad .Labels 1 0}}\nports: {{- pad .Ports 1 0}}\n"

/* Adds the row to a list. */
void ps_row_add(struct docker_value *rows, const struct listed *x,
		const struct ps_row_style *style);
/* A row of nothing in particular, to try a template with. */
struct docker_value *ps_row_sample(void);

#endif
