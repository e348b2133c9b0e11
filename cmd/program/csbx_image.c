/* SPDX-License-Identifier: Apache-2.0 */

/* csbx-image: the verbs that make images or take them apart. */

#include "cmd/build/build_pipe.h"
#include "cmd/frame/cmd.h"
#include "cmd/image/archive_pipe.h"
#include "runtime/base/str.h"
#include "cmd/docker/frame/docker.h"
#include "cmd/docker/system/image_pipe.h"
#include "cmd/enroot/frame/enroot.h"

#define VERB_IMAGE(verb) verb,
#include "cmd/frame/verbs.h"
#define DOCKER_VERB_IMAGE(verb) verb,
#include "cmd/docker/frame/verbs.h"
#define ENROOT_VERB_IMAGE(verb) verb,
#include "cmd/enroot/frame/verbs.h"

static const struct verb *const verbs[] = {VERBS_OF_PROGRAM NULL};
static const struct docker_verb *const docker_verbs[] = {DOCKER_VERBS_OF_PROGRAM NULL};
static const struct enroot_verb *const enroot_verbs[] = {ENROOT_VERBS_OF_PROGRAM NULL};

int main(int argc, char **argv)
{
	int code;

	if (argc > 1 && str_eq(argv[1], "__archive"))
		return archive_pipe_main(argc - 1, argv + 1);
	if (argc > 1 && str_eq(argv[1], "__images"))
		return image_pipe_main(argc - 1, argv + 1);
	if (argc > 1 && str_eq(argv[1], "__build"))
		return build_pipe_main(argc - 1, argv + 1);
	code = docker_personality(PROGRAM_IMAGE, docker_verbs, argc, argv);

	if (code < 0)
		code = enroot_personality(PROGRAM_IMAGE, enroot_verbs, argc, argv);
	return code >= 0 ? code : cmd_main(PROGRAM_IMAGE, verbs, argc, argv);
}
