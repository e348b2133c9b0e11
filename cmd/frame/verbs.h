/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_VERBS_H
#define CSBX_CMD_VERBS_H

/*
 * The verbs of verb_list.h, each in a file of its name, and those that one program has. A main that
 * wants pointers to its own verbs defines the macro of its program before it includes this header:
 *
 *	#define VERB_TOOL(verb) verb,
 *	#include "cmd/frame/verbs.h"
 *	static const struct verb *const verbs[] = {VERBS_OF_PROGRAM NULL};
 */

#include "cmd/frame/verb_list.h"

struct verb;

#define VERB_DECLARE(name, program, group, summary) extern const struct verb verb_##name;
VERB_LIST(VERB_DECLARE)
#undef VERB_DECLARE
extern const struct verb verb_run_spec; /* `run --spec`, which csbx-tool has */

#ifndef VERB_CSBX
#define VERB_CSBX(verb)
#endif
#ifndef VERB_TOOL
#define VERB_TOOL(verb)
#endif
#ifndef VERB_IMAGE
#define VERB_IMAGE(verb)
#endif
#ifndef VERB_ENGINE
#define VERB_ENGINE(verb)
#endif
#define VERB_OF_PROGRAM(name, program, group, summary) VERB_##program(&verb_##name)
#define VERBS_OF_PROGRAM VERB_LIST(VERB_OF_PROGRAM)

#endif
