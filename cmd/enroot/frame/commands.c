/* SPDX-License-Identifier: Apache-2.0 */

/* The one list of all verbs of the dialect. */

#include "cmd/enroot/frame/enroot.h"

const struct enroot_command enroot_commands[] = {
	{"batch", PROGRAM_CSBX, "[options] [--] CONFIG [COMMAND] [ARG...]",
	 "Run a command as a configuration script says"},
	{"bundle", PROGRAM_CSBX, "[options] [--] IMAGE", "Make a program of an image"},
	{"create", PROGRAM_CSBX, "[options] [--] IMAGE", "Make a container of an image"},
	{"digest", PROGRAM_IMAGE, "[options] [--] URI", "Print the digest of an image"},
	{"exec", PROGRAM_CSBX, "[options] [--] PID COMMAND [ARG...]",
	 "Run one command more in a container that runs"},
	{"export", PROGRAM_IMAGE, "[options] [--] NAME", "Make an image of a container"},
	{"import", PROGRAM_IMAGE, "[options] [--] URI", "Fetch an image and make a file of it"},
	{"info", PROGRAM_CSBX, "", "Show the settings in force"},
	{"list", PROGRAM_CSBX, "[options]", "Show containers, and what runs"},
	{"load", PROGRAM_IMAGE, "[options] [--] URI", "Fetch an image and make a container of it"},
	{"remove", PROGRAM_CSBX, "[options] [--] NAME...", "Delete containers"},
	{"start", PROGRAM_CSBX, "[options] [--] NAME|IMAGE [COMMAND] [ARG...]",
	 "Run a command in a container or an image"},
	{"version", PROGRAM_CSBX, "", "Print the version of enroot that is stood in for"},
	{0},
};

const struct enroot_command *enroot_command_find(const char *name)
{
	for (const struct enroot_command *c = enroot_commands; c->name; c++) {
		if (str_eq(c->name, name))
			return c;
	}
	return NULL;
}
