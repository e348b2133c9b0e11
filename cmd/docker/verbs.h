/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_VERBS_H
#define CSBX_CMD_DOCKER_VERBS_H

/* The verbs of the docker dialect, each in a file of its name. */

struct docker_verb;

extern const struct docker_verb docker_verb_ps;
extern const struct docker_verb docker_verb_create, docker_verb_run;

#endif
