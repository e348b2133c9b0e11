/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_CONFIRM_H
#define CSBX_CMD_DOCKER_CONFIRM_H

#include <stdbool.h>

/* The question of the prune verbs, on standard output; the answer from standard input. */
bool docker_confirm(const char *warning);

#endif
