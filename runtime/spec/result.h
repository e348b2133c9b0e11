/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_RESULT_H
#define CSBX_RUNTIME_RESULT_H

/* The result of a container: filled by container_run(), read by front ends. */

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
	RUN_TIMEOUT,       /* --timeout ended it: exit code 124 */
	RUN_OOM,           /* it needed more than --memory: 137, as are the next three */
	RUN_OUTPUT_LIMIT,  /* --max-output-kill */
	RUN_PIDS_LIMIT,
	RUN_KILLED,           /* by csbx stop or kill */
	RUN_COMPILE_ERROR,    /* judged runs: it was not run, exit code 1 */
	RUN_POLICY_VIOLATION, /* likewise, what it uses is not allowed */
	RUN_STATUS_MAX,
};

/* Nothing of the program was run: the host or the image is at fault. */
static inline bool run_is_none(enum run_status status)
{
	return status == RUN_LAUNCH_ERROR || status == RUN_SANDBOX_ERROR;
}

/* The mechanism that holds a limit. */
enum enforcer {
	ENFORCED_NOT_ASKED,
	ENFORCED_CGROUP2,
	ENFORCED_WATCHDOG,
	ENFORCED_RLIMIT,
	ENFORCED_AFFINITY,
	ENFORCED_NONE
};

struct run_limit {
	uint64_t asked; /* 0: not */
	enum enforcer by;
};

struct run_output {
	struct strbuf text; /* the kept part, when output is captured */
	uint64_t bytes;     /* that came */
	bool truncated;
};

/* A file of --fetch; not there: the reason is in degraded. */
struct run_file {
	const char *path; /* the spec's */
	bool is_there;
	struct strbuf data;
};

struct run_result {
	enum run_status status;
	int exit_code; /* of the program, or 125..127 of ours; -1: none */
	int signal;    /* that ended it, 0: none */
	int passed_on; /* a signal to end that csbx got and passed on to the program; 0: none */
	bool timed_out, oom_killed;
	bool is_removed;      /* the container is to go, --rm or not (remove --force, no owner) */
	bool is_asked;        /* somebody asked for its end, or the job is over: it stays ended */
	bool is_stopped;      /* it is to stay, --rm or not: another start follows (restart) */
	bool net_tried;       /* it failed and looked for a network, which it does not have */
	const char *detected; /* of an oom: "event", "tick", "at_exit"; NULL: none */
	uint64_t memory_peak_bytes, max_pids; /* 0: not measured */
	uint64_t pids_refused; /* processes that the cgroup's limit did not let start */
	struct run_limit memory, cpus_milli, pids;
	bool is_captured;
	struct run_output out, err;
	struct run_file *files;
	size_t n_files;
	struct err error;       /* the last two */
	const char *error_word; /* of it, for result.error; NULL: by the message */
	struct strv degraded;   /* what was asked for and not had, one word and a reason each */
	struct strv weaker;     /* limits held by weaker means: the same, and no warning */
	uint64_t started_at_ns; /* CLOCK_REALTIME */
	uint64_t wall_ns, setup_ns, teardown_ns;
	uint64_t user_us, sys_us; /* of the main process and its reaped children */
	uint64_t maxrss_bytes;
};

const char *run_status_name(enum run_status s);
/* Exit code of csbx for it: the table of exit codes in docs/cli.md. */
int run_exit_code(const struct run_result *r);
/*
 * Word for result.error: "command_not_found", "image_server", "sandbox" ...; NULL without an error.
 */
const char *run_error_code(const struct run_result *r);
void run_result_free(struct run_result *r);

#endif
