/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_VERB_LIST_H
#define CSBX_CMD_VERB_LIST_H

/*
 * The one list of csbx's verbs, in the order of `csbx --help`: V(name, program, group, summary).
 * Dispatch, help, completion, the man pages and the mains of the programs expand it. A verb is a
 * row here and `const struct verb verb_NAME` in a file of its name; it is listed when it works, not
 * before. The program (enum program) is the one that it is linked into; the summary is one line
 * without a full stop.
 */
/* clang-format off */
#define VERB_LIST(V) \
	V(import, IMAGE, IMAGE, "Make a squashfs file of an image") \
	V(load, IMAGE, IMAGE, "Make a container of an image in one step") \
	V(build, IMAGE, IMAGE, "Make an image from a Dockerfile") \
	V(push, IMAGE, IMAGE, "Send an image to a registry") \
	V(digest, IMAGE, IMAGE, "Print the digest an image is known by") \
	V(create, CSBX, CONTAINER, "Give an image a name to start it by") \
	V(list, CSBX, CONTAINER, "Show containers and what runs") \
	V(remove, CSBX, CONTAINER, "Delete containers and their kept layers") \
	V(export, IMAGE, IMAGE, "Make a squashfs file of a container") \
	V(login, IMAGE, IMAGE, "Keep a password for a registry") \
	V(logout, IMAGE, IMAGE, "Forget the password for a registry") \
	V(start, CSBX, RUN, "Run a command in a container or an image") \
	V(run, CSBX, RUN, "Run a command in a fresh container of an image") \
	V(eval, TOOL, RUN, "Run generated code and judge it") \
	V(exec, CSBX, RUN, "Run a command in a container that runs already") \
	V(cp, IMAGE, RUN, "Copy files between a container and the host") \
	V(logs, CSBX, RUN, "Show what a detached container has written") \
	V(join, CSBX, RUN, "Run a command in the container of a SLURM step") \
	V(ps, CSBX, CONTAINER, "Show what runs, and with -a what does not") \
	V(volume, CSBX, CONTAINER, "Make, show and remove volumes") \
	V(rename, CSBX, CONTAINER, "Give a container another name") \
	V(restart, CSBX, RUN, "Stop containers that stay and start them again") \
	V(pause, CSBX, RUN, "Stop everything in a container, until unpause") \
	V(unpause, CSBX, RUN, "Let paused containers go on") \
	V(stop, CSBX, RUN, "End containers that run") \
	V(kill, CSBX, RUN, "Send a signal to containers that run") \
	V(wait, CSBX, RUN, "Wait for detached containers, print their exit codes") \
	V(test, TOOL, RUN, "Run the tests of a repository, patched, and judge") \
	V(inspect, TOOL, CONTAINER, "Show what a container is and what protects it") \
	V(doctor, TOOL, SYSTEM, "Say what containers need of this machine, and what is missing") \
	V(gc, CSBX, SYSTEM, "Remove what killed commands left behind") \
	V(cache, IMAGE, IMAGE, "Show or prune what was fetched from registries") \
	V(df, IMAGE, SYSTEM, "Show what takes space, and what gives it back") \
	V(engine, ENGINE, SYSTEM, "Answer clients of the Docker Engine API on a socket") \
	V(importer, IMAGE, SYSTEM, "Make and keep images for pyxis on a cluster") \
	V(shims, CSBX, SYSTEM, "Make programs that stand in for docker and enroot") \
	V(info, CSBX, SYSTEM, "Show where csbx keeps things and how it is configured") \
	V(version, CSBX, SYSTEM, "Print the version")
/* clang-format on */

#endif
