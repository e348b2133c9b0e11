/* SPDX-License-Identifier: Apache-2.0 */

/* The verbs of the docker dialect that csbx-tool runs. */

#include "cmd/docker/frame/docker.h"
#include "cmd/docker/frame/verbs_tool.h"
#include "cmd/docker/frame/verbs.h"

const struct docker_verb *const docker_verbs_tool[] = {
	&docker_verb_inspect,
	&docker_verb_container_inspect,
	&docker_verb_network_inspect,
	&docker_verb_volume_inspect,
	&docker_verb_info,
	&docker_verb_version,
	&docker_verb_port,
	&docker_verb_network_connect,
	&docker_verb_network_create,
	&docker_verb_network_disconnect,
	&docker_verb_network_ls,
	&docker_verb_network_prune,
	&docker_verb_network_rm,
	&docker_verb_volume_ls,
	&docker_verb_context_ls,
	&docker_verb_context_show,
	&docker_verb_context_use,
	&docker_verb_stats,
	&docker_verb_system_df,
	&docker_verb_events,
	&docker_verb_top,
	NULL,
};
