/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_TOOL_VERBS_H
#define CSBX_CMD_DOCKER_TOOL_VERBS_H

struct docker_verb;

extern const struct docker_verb *const docker_verbs_tool[]; /* ends with NULL */

#endif
