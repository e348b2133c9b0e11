/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_ENROOT_VERB_LIST_H
#define CSBX_CMD_ENROOT_VERB_LIST_H

/*
 * The one list of the dialect's verbs: V(name, program, usage, summary). Dispatch, help, completion
 * and the mains of the programs expand it. A verb is a row here and
 * `const struct enroot_verb enroot_verb_NAME` in a file of its name; the program (enum program) is
 * the one that it is linked into, the usage is what follows the name.
 */
/* clang-format off */
#define ENROOT_VERB_LIST(V) \
	V(batch, CSBX, "[options] [--] CONFIG [COMMAND] [ARG...]", "Run a command as a configuration script says") \
	V(bundle, CSBX, "[options] [--] IMAGE", "Make a program of an image") \
	V(create, CSBX, "[options] [--] IMAGE", "Make a container of an image") \
	V(digest, IMAGE, "[options] [--] URI", "Print the digest of an image") \
	V(exec, CSBX, "[options] [--] PID COMMAND [ARG...]", "Run one command more in a container that runs") \
	V(export, IMAGE, "[options] [--] NAME", "Make an image of a container") \
	V(import, IMAGE, "[options] [--] URI", "Fetch an image and make a file of it") \
	V(info, CSBX, "", "Show the settings in force") \
	V(list, CSBX, "[options]", "Show containers, and what runs") \
	V(load, IMAGE, "[options] [--] URI", "Fetch an image and make a container of it") \
	V(remove, CSBX, "[options] [--] NAME...", "Delete containers") \
	V(start, CSBX, "[options] [--] NAME|IMAGE [COMMAND] [ARG...]", "Run a command in a container or an image") \
	V(version, CSBX, "", "Print the version of enroot that is stood in for")
/* clang-format on */

#endif
