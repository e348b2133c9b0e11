/* SPDX-License-Identifier: Apache-2.0 */

/* The verbs of the docker dialect that csbx-image runs. */

#include "cmd/build/verbs.h"
#include "cmd/docker/frame/docker.h"
#include "cmd/docker/frame/verbs_image.h"
#include "cmd/docker/frame/verbs.h"

const struct docker_verb *const docker_verbs_image[] = {
	&docker_history,
	&docker_image_inspect,
	&docker_image_prune,
	&docker_images,
	&docker_import,
	&docker_load,
	&docker_login,
	&docker_logout,
	&docker_pull,
	&docker_push,
	&docker_rmi,
	&docker_save,
	&docker_tag,
	&docker_export,
	&docker_verb_cp,
	&docker_system_prune,
	&docker_commit,
	&docker_verb_diff,
	&docker_build,
	&docker_buildx_build,
	&docker_builder_build,
	&docker_builder_prune,
	&docker_buildx_prune,
	&docker_buildx_version,
	NULL,
};
