/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_INIT_STAGE_TEXT_H
#define CSBX_RUNTIME_INIT_STAGE_TEXT_H

/*
 * The text of each stage: "load the seccomp filter". No pointers: init has no relocations.
 */

#include "runtime/helpers/init/abi/init_abi.h"

static const char init_stage_text[INIT_STAGE_MAX][40] = {
	[INIT_STAGE_MESSAGE] = "read the message for csbx-init",
	[INIT_STAGE_CLONE] = "make the process and its user namespace",
	[INIT_STAGE_IDMAP] = "write the id maps",
	[INIT_STAGE_NAMESPACE] = "enter the namespaces",
	[INIT_STAGE_OOM_SCORE] = "set the OOM score",
	[INIT_STAGE_NO_USERNS] = "forbid nested user namespaces",
	[INIT_STAGE_SESSION] = "make a session",
	[INIT_STAGE_TTY] = "take the terminal",
	[INIT_STAGE_RLIMIT] = "set resource limits",
	[INIT_STAGE_KEYRING] = "make a session keyring",
	[INIT_STAGE_BOUNDING] = "drop the bounding set",
	[INIT_STAGE_GROUPS] = "set supplementary groups",
	[INIT_STAGE_USER] = "set user and group",
	[INIT_STAGE_MKDIR] = "make the working directory",
	[INIT_STAGE_CAPS] = "drop capabilities",
	[INIT_STAGE_CWD] = "enter the working directory",
	[INIT_STAGE_FDS] = "place descriptors",
	[INIT_STAGE_SIGNALS] = "reset signals",
	[INIT_STAGE_NO_NEW_PRIVS] = "set no_new_privs",
	[INIT_STAGE_SECCOMP] = "load the seccomp filter",
	[INIT_STAGE_EXEC] = "run the command",
	[INIT_STAGE_BOUNDS] = "stay within what the container has",
	[INIT_STAGE_WORD] = "wait for csbx's word to begin",
};

#endif
