/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_TOOL_INFO_VALUE_H
#define CSBX_CMD_DOCKER_TOOL_INFO_VALUE_H

#include <stdbool.h>

struct err;
struct paths;
struct value;

/* The machine and csbx as GET /info of the Engine API describes them; not usable: the client only.
 */
int info_value(const struct paths *p, bool usable, struct value **ret, struct err *e);

#endif
