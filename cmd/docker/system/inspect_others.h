/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_TOOL_INSPECT_OTHERS_H
#define CSBX_CMD_DOCKER_TOOL_INSPECT_OTHERS_H

/* Images, networks and volumes as inspect shows them. -ENOENT, with docker's text. */

#include <stdbool.h>

struct err;
struct paths;
struct docker_value;

int inspect_image(const struct paths *p, const char *operand, bool size, struct docker_value **ret,
		  struct err *e);
int inspect_network_by_name(const struct paths *p, const char *operand, bool size,
			    struct docker_value **ret, struct err *e);
int inspect_volume(const struct paths *p, const char *operand, bool size, struct docker_value **ret,
		   struct err *e);

#endif
