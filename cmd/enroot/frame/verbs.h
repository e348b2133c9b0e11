/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_ENROOT_VERBS_H
#define CSBX_CMD_ENROOT_VERBS_H

/*
 * The verbs of verb_list.h, each in a file of its name, and those that one program has. A main that
 * wants pointers to its own verbs defines the macro of its program before it includes this header:
 *
 *	#define ENROOT_VERB_IMAGE(verb) verb,
 *	#include "cmd/enroot/frame/verbs.h"
 *	static const struct enroot_verb *const verbs[] = {ENROOT_VERBS_OF_PROGRAM NULL};
 */

#include "cmd/enroot/frame/verb_list.h"

struct enroot_verb;

#define ENROOT_VERB_DECLARE(name, program, usage, summary) \
	extern const struct enroot_verb enroot_verb_##name;
ENROOT_VERB_LIST(ENROOT_VERB_DECLARE)
#undef ENROOT_VERB_DECLARE

#ifndef ENROOT_VERB_CSBX
#define ENROOT_VERB_CSBX(verb)
#endif
#ifndef ENROOT_VERB_IMAGE
#define ENROOT_VERB_IMAGE(verb)
#endif
#define ENROOT_VERB_OF_PROGRAM(name, program, usage, summary) \
	ENROOT_VERB_##program(&enroot_verb_##name)
#define ENROOT_VERBS_OF_PROGRAM ENROOT_VERB_LIST(ENROOT_VERB_OF_PROGRAM)

#endif
