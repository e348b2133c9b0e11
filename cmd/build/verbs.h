/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_BUILD_VERBS_H
#define CSBX_CMD_BUILD_VERBS_H

/* The verbs of the docker dialect that build, and what clears up after them. */

struct docker_verb;

extern const struct docker_verb docker_build, docker_buildx_build, docker_builder_build,
	docker_builder_prune, docker_buildx_prune, docker_buildx_version;

#endif
