/* SPDX-License-Identifier: Apache-2.0 */

/* The list of all verbs as rows that can be looked up. */

#include "cmd/enroot/frame/enroot.h"
#include "cmd/enroot/frame/verb_list.h"

#define ROW(name, program, usage, summary) {#name, PROGRAM_##program, usage, summary},

/* clang-format off */
const struct enroot_command enroot_commands[] = {
	ENROOT_VERB_LIST(ROW)
	{0},
};
/* clang-format on */

const struct enroot_command *enroot_command_find(const char *name)
{
	for (const struct enroot_command *c = enroot_commands; c->name; c++) {
		if (str_eq(c->name, name))
			return c;
	}
	return NULL;
}
