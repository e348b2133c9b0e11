/* SPDX-License-Identifier: Apache-2.0 */

/* The one list of all verbs. A verb is listed here when it works, not before. */

#include "cmd/frame/cmd.h"
#include "runtime/base/str.h"

const struct command command_list[] = {
	{"import", PROGRAM_IMAGE, GROUP_IMAGE, "Make a squashfs file of an image"},
	{"load", PROGRAM_IMAGE, GROUP_IMAGE, "Make a container of an image in one step"},
	{"digest", PROGRAM_IMAGE, GROUP_IMAGE, "Print the digest an image is known by"},
	{"create", PROGRAM_CSBX, GROUP_CONTAINER, "Give an image a name to start it by"},
	{"list", PROGRAM_CSBX, GROUP_CONTAINER, "Show containers and what runs"},
	{"remove", PROGRAM_CSBX, GROUP_CONTAINER, "Delete containers and their kept layers"},
	{"export", PROGRAM_IMAGE, GROUP_IMAGE, "Make a squashfs file of a container"},
	{"login", PROGRAM_IMAGE, GROUP_IMAGE, "Keep a password for a registry"},
	{"logout", PROGRAM_IMAGE, GROUP_IMAGE, "Forget the password for a registry"},
	{"start", PROGRAM_CSBX, GROUP_RUN, "Run a command in a container or an image"},
	{"run", PROGRAM_CSBX, GROUP_RUN, "Run a command in a fresh container of an image"},
	{"eval", PROGRAM_TOOL, GROUP_RUN, "Run generated code and judge it"},
	{"exec", PROGRAM_CSBX, GROUP_RUN, "Run a command in a container that runs already"},
	{"cp", PROGRAM_IMAGE, GROUP_RUN, "Copy files between a container and the host"},
	{"logs", PROGRAM_CSBX, GROUP_RUN, "Show what a detached container has written"},
	{"join", PROGRAM_CSBX, GROUP_RUN, "Run a command in the container of a SLURM step"},
	{"ps", PROGRAM_CSBX, GROUP_CONTAINER, "Show what runs, and with -a what does not"},
	{"volume", PROGRAM_CSBX, GROUP_CONTAINER, "Make, show and remove volumes"},
	{"rename", PROGRAM_CSBX, GROUP_CONTAINER, "Give a container another name"},
	{"restart", PROGRAM_CSBX, GROUP_RUN, "Stop containers that stay and start them again"},
	{"pause", PROGRAM_CSBX, GROUP_RUN, "Stop everything in a container, until unpause"},
	{"unpause", PROGRAM_CSBX, GROUP_RUN, "Let paused containers go on"},
	{"stop", PROGRAM_CSBX, GROUP_RUN, "End containers that run"},
	{"kill", PROGRAM_CSBX, GROUP_RUN, "Send a signal to containers that run"},
	{"wait", PROGRAM_CSBX, GROUP_RUN, "Wait for detached containers, print their exit codes"},
	{"test", PROGRAM_TOOL, GROUP_RUN, "Run the tests of a repository, patched, and judge"},
	{"inspect", PROGRAM_TOOL, GROUP_CONTAINER, "Show what a container is and what protects it"},
	{"doctor", PROGRAM_TOOL, GROUP_SYSTEM,
	 "Say what containers need of this machine, and what is missing"},
	{"gc", PROGRAM_CSBX, GROUP_SYSTEM, "Remove what killed commands left behind"},
	{"cache", PROGRAM_IMAGE, GROUP_IMAGE, "Show or prune what was fetched from registries"},
	{"importer", PROGRAM_IMAGE, GROUP_SYSTEM, "Make and keep images for pyxis on a cluster"},
	{"shims", PROGRAM_CSBX, GROUP_SYSTEM, "Make programs that stand in for docker and enroot"},
	{"info", PROGRAM_CSBX, GROUP_SYSTEM,
	 "Show where csbx keeps things and how it is configured"},
	{"version", PROGRAM_CSBX, GROUP_SYSTEM, "Print the version"},
	{"help", PROGRAM_CSBX, GROUP_SYSTEM, "Explain a command"},
	{0},
};

const struct command *command_find(const char *name)
{
	for (const struct command *c = command_list; c->name; c++) {
		if (str_eq(c->name, name))
			return c;
	}
	return NULL;
}
