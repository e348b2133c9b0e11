/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_COMPLETE_H
#define CSBX_CMD_DOCKER_COMPLETE_H

/* Completion of docker's command line. Each prints the answer and returns the exit code. */

#include "cmd/docker/frame/docker.h"

/* The commands of a group, or with NULL all short forms and groups. */
int docker_complete_names(const char *group, const char *prefix);
/* words: what stands behind the command; the last one is at the cursor. */
int docker_complete_verb(const struct docker_verb *v, int n, char **words);

#endif
