/* SPDX-License-Identifier: Apache-2.0 */

/*
 * csbx. The name it is called by chooses the command line's dialect, so that a symbolic link
 * makes it stand in for another program; csbx's own is the default.
 */

#include "cmd/frame/cmd.h"
#include "cmd/docker/frame/docker.h"
#include "cmd/enroot/frame/enroot.h"
#include "cmd/slurm/hold.h"
#include "cmd/slurm/step_join.h"
#include "runtime/base/str.h"

#define VERB_CSBX(verb) verb,
#include "cmd/frame/verbs.h"
#define DOCKER_VERB_CSBX(verb) verb,
#include "cmd/docker/frame/verbs.h"
#define ENROOT_VERB_CSBX(verb) verb,
#include "cmd/enroot/frame/verbs.h"

static const struct verb *const verbs[] = {VERBS_OF_PROGRAM NULL};
static const struct docker_verb *const docker_verbs[] = {DOCKER_VERBS_OF_PROGRAM NULL};
static const struct enroot_verb *const enroot_verbs[] = {ENROOT_VERBS_OF_PROGRAM NULL};

int main(int argc, char **argv)
{
	int code = enroot_bundle_personality(argc, argv);

	if (code < 0)
		code = step_join_personality(argc, argv);
	if (code < 0 && argc > 1 && str_eq(argv[1], "__hold"))
		return hold_main(argc - 1, argv + 1);
	if (code < 0)
		code = docker_personality(PROGRAM_CSBX, docker_verbs, argc, argv);
	if (code < 0)
		code = enroot_personality(PROGRAM_CSBX, enroot_verbs, argc, argv);
	return code >= 0 ? code : cmd_main(PROGRAM_CSBX, verbs, argc, argv);
}
