/* SPDX-License-Identifier: Apache-2.0 */

/* csbx-tool: the verbs that read JSON or look at the machine; csbx hands them over. */

#include "cmd/frame/cmd.h"
#include "cmd/docker/frame/docker.h"

#define VERB_TOOL(verb) verb,
#include "cmd/frame/verbs.h"
#define DOCKER_VERB_TOOL(verb) verb,
#include "cmd/docker/frame/verbs.h"

static const struct verb *const verbs[] = {&verb_run_spec, VERBS_OF_PROGRAM NULL};
static const struct docker_verb *const docker_verbs[] = {DOCKER_VERBS_OF_PROGRAM NULL};

int main(int argc, char **argv)
{
	int code = docker_personality(PROGRAM_TOOL, docker_verbs, argc, argv);

	return code >= 0 ? code : cmd_main(PROGRAM_TOOL, verbs, argc, argv);
}
