/* SPDX-License-Identifier: Apache-2.0 */

/* The verbs of the docker dialect that csbx itself runs. */

#include "cmd/docker/docker.h"
#include "cmd/docker/verbs.h"

const struct docker_verb *const docker_verbs_csbx[] = {
	&docker_verb_create,
	&docker_verb_ps,
	&docker_verb_run,
	NULL,
};
