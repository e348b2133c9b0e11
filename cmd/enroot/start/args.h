/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_ENROOT_START_ARGS_H
#define CSBX_CMD_ENROOT_START_ARGS_H

/*
 * The room cmd/enroot/start. enroot's start.
 *
 * In: options, drop-in files, hooks, an image. Out: a specification that runs.
 *
 *	start.c, args.h		what is asked
 *	compose*.c		environment, command, mounts, hooks, users
 *	mount_list.h		lines of mounts
 *	stock.h			what enroot's own hooks do
 *	script.c, run.c		--conf; the container
 *
 * Must: do what enroot 4.1 does.
 * Mustn't: run an image's code outside.
 */

/* The options of start, batch and a bundle. */

#include <stdbool.h>

#include "cmd/frame/opt.h"
#include "runtime/base/str.h"

struct conf_script;
struct enroot;
struct err;

struct enroot_start_args {
	const char *conf, *rc;
	struct strv env, mounts; /* as written, in order */
	bool root, rw, pid, net, ipc, uts;
	bool no_entrypoint; /* of csbx's own, for the holder of a SLURM step */
	const char
		*layer; /* where --rw keeps what a start of an image file writes; NULL: nowhere */
};

extern const struct opt_table enroot_start_table;
void enroot_start_done(void *args);

/* Reads a --conf or batch file (conf/script.h); its settings go into x->conf, expanded. */
int enroot_script_read(struct enroot *x, const char *path, struct conf_script *ret, struct err *e);

/* Runs argv[0], a container or an image; returns its exit code. */
int enroot_start(struct enroot *x, struct enroot_start_args *a, int argc, char **argv);

#endif
