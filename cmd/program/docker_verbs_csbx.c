/* SPDX-License-Identifier: Apache-2.0 */

/* The verbs of the docker dialect that csbx itself runs. */

#include "cmd/docker/frame/docker.h"
#include "cmd/docker/frame/verbs.h"

const struct docker_verb *const docker_verbs_csbx[] = {
	&docker_verb_attach,
	&docker_verb_container_prune,
	&docker_verb_volume_create,
	&docker_verb_volume_prune,
	&docker_verb_volume_rm,
	&docker_verb_create,
	&docker_verb_exec,
	&docker_verb_kill,
	&docker_verb_logs,
	&docker_verb_pause,
	&docker_verb_ps,
	&docker_verb_rename,
	&docker_verb_restart,
	&docker_verb_rm,
	&docker_verb_run,
	&docker_verb_start,
	&docker_verb_stop,
	&docker_verb_unpause,
	&docker_verb_wait,
	NULL,
};
