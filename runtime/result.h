/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_RESULT_H
#define CSBX_RUNTIME_RESULT_H

/* What happened to a container: filled by container_run(), read by front ends. */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "runtime/base/err.h"
#include "runtime/base/str.h"

enum run_status {
	RUN_EXITED,
	RUN_SIGNALED,
	RUN_LAUNCH_ERROR,  /* the command could not be started: exit code 125, 126 or 127 */
	RUN_SANDBOX_ERROR, /* csbx or its image server failed: exit code 125 */
	RUN_STATUS_MAX,
};

struct run_result {
	enum run_status status;
	int exit_code;	/* RUN_EXITED, RUN_LAUNCH_ERROR, RUN_SANDBOX_ERROR */
	int signal;	/* RUN_SIGNALED */
	struct err error; /* the last two */
	struct strv degraded; /* protections asked for and not had, one word and a reason each */
	uint64_t started_at_ns; /* CLOCK_REALTIME */
	uint64_t wall_ns, setup_ns, teardown_ns;
	uint64_t user_us, sys_us; /* of the main process and its reaped children */
	uint64_t maxrss_bytes;
};

const char *run_status_name(enum run_status s);
/* Exit code of csbx for it: the table of exit codes in docs/cli.md. */
int run_exit_code(const struct run_result *r);
void run_result_free(struct run_result *r);

#endif
