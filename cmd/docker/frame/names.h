/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_NAMES_H
#define CSBX_CMD_DOCKER_NAMES_H

/* Names of containers as docker has them. */

#include <stdbool.h>

struct err;

/* A name for a container that was given none: "swift_otter"; after the first attempt longer. */
int docker_name_make(unsigned attempt, char **ret, struct err *e);

/* [a-zA-Z0-9][a-zA-Z0-9_.-]+ */
bool docker_name_is_valid(const char *name);

#endif
