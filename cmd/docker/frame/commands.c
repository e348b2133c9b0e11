/* SPDX-License-Identifier: Apache-2.0 */

/* The list of all verbs as rows that can be looked up. */

#include "cmd/docker/frame/docker.h"
#include "cmd/docker/frame/verb_list.h"

#define ROW(verb, program, path, top, alias, summary) \
	{path, top, alias, PROGRAM_##program, summary, NULL},
#define ROW_NOT_DONE(path, top, alias, summary, instead) \
	{path, top, alias, PROGRAM_MAX, summary, instead},

/* clang-format off */
const struct docker_command docker_commands[] = {
	DOCKER_VERB_LIST(ROW, ROW_NOT_DONE)
	{0},
};
/* clang-format on */
