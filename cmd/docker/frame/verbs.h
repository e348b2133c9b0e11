/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_VERBS_H
#define CSBX_CMD_DOCKER_VERBS_H

/*
 * The verbs of verb_list.h, each in a file of its name, and those that one program has. A main that
 * wants pointers to its own verbs defines the macro of its program before it includes this header:
 *
 *	#define DOCKER_VERB_TOOL(verb) verb,
 *	#include "cmd/docker/frame/verbs.h"
 *	static const struct docker_verb *const verbs[] = {DOCKER_VERBS_OF_PROGRAM NULL};
 */

#include "cmd/docker/frame/verb_list.h"

struct docker_verb;

#define DOCKER_VERB_NONE(path, top, alias, summary, instead)
#define DOCKER_VERB_DECLARE(verb, program, path, top, alias, summary) \
	extern const struct docker_verb docker_verb_##verb;
DOCKER_VERB_LIST(DOCKER_VERB_DECLARE, DOCKER_VERB_NONE)
#undef DOCKER_VERB_DECLARE

#ifndef DOCKER_VERB_CSBX
#define DOCKER_VERB_CSBX(verb)
#endif
#ifndef DOCKER_VERB_TOOL
#define DOCKER_VERB_TOOL(verb)
#endif
#ifndef DOCKER_VERB_IMAGE
#define DOCKER_VERB_IMAGE(verb)
#endif
#define DOCKER_VERB_OF_PROGRAM(verb, program, path, top, alias, summary) \
	DOCKER_VERB_##program(&docker_verb_##verb)
#define DOCKER_VERBS_OF_PROGRAM DOCKER_VERB_LIST(DOCKER_VERB_OF_PROGRAM, DOCKER_VERB_NONE)

#endif
