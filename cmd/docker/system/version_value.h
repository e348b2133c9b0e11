/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_SYSTEM_VERSION_VALUE_H
#define CSBX_CMD_DOCKER_SYSTEM_VERSION_VALUE_H

struct docker_value;

/* Adds the members of GET /version of the Engine API. */
void version_add_server(struct docker_value *v);

#endif
