/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_STEP_HOLD_ARGS_H
#define CSBX_STEP_HOLD_ARGS_H

/* The words of `csbx __hold`, which the SPANK plugin writes (cmd/spank/hold_argv.c). */

#include <stdbool.h>
#include <stdint.h>

#include "runtime/base/str.h"

struct err;

enum hold_choice { HOLD_UNSET, HOLD_NO, HOLD_YES };
enum hold_how { HOLD_AUTO, HOLD_CREATE, HOLD_EXEC, HOLD_NO_EXEC };

struct hold_args {
	const char *dir; /* the step's; with end_job the user's */
	const char *image, *importer, *name, *workdir, *save;
	int how;   /* enum hold_how */
	int scope; /* 1: the name goes with the job */
	struct strv mounts, sources, env;
	int mount_home, remap_root, writable, entrypoint, entrypoint_log, net, ipc, uts;
	uint64_t job, tasks;
	bool end_job, end_step;
};

/* argv[0] is skipped. hold_args_free() in any case. */
int hold_args_parse(struct hold_args *a, int argc, char **argv, struct err *e);
void hold_args_free(struct hold_args *a);

#endif
