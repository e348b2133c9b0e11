/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/judge/outcome.h"

#include "runtime/spec/result.h"

static const char *const names[] = {
	[EVAL_OPEN] = "not_run",
	[EVAL_PASSED] = "passed",
	[EVAL_WRONG_VALUE] = "wrong_value",
	[EVAL_WRONG_OUTPUT] = "wrong_output",
	[EVAL_WRONG_TYPE] = "wrong_type",
	[EVAL_WRONG_EXCEPTION] = "wrong_exception",
	[EVAL_NO_EXCEPTION] = "no_exception",
	[EVAL_RAISED] = "raised",
	[EVAL_MISSING] = "missing",
	[EVAL_EXITED] = "exited",
	[EVAL_CRASHED] = "crashed",
	[EVAL_TIMEOUT] = "timeout",
	[EVAL_OOM] = "oom",
	[EVAL_OUTPUT_LIMIT] = "output_limit",
	[EVAL_PIDS_LIMIT] = "pids_limit",
	[EVAL_BAD_ANSWER] = "bad_answer",
	[EVAL_NOT_LOADED] = "not_loaded",
	[EVAL_NOT_RUN] = "not_run",
};
_Static_assert(sizeof(names) / sizeof(names[0]) == EVAL_OUTCOMES, "a name for every outcome");

const char *eval_outcome_name(enum eval_outcome o)
{
	return names[o < EVAL_OUTCOMES ? o : EVAL_NOT_RUN];
}

enum eval_outcome eval_outcome_of_end(const struct run_result *r)
{
	switch (r->status) {
	case RUN_EXITED:
		return EVAL_EXITED;
	case RUN_TIMEOUT:
		return EVAL_TIMEOUT;
	case RUN_OOM:
		return EVAL_OOM;
	case RUN_OUTPUT_LIMIT:
		return EVAL_OUTPUT_LIMIT;
	case RUN_PIDS_LIMIT:
		return EVAL_PIDS_LIMIT;
	case RUN_SIGNALED:
	case RUN_KILLED:
		return EVAL_CRASHED;
	default:
		return EVAL_NOT_RUN;
	}
}

const char *eval_words_of_end(const struct run_result *r)
{
	switch (r->status) {
	case RUN_TIMEOUT:
		return "was not done in time, and did not let itself be ended";
	case RUN_OOM:
		return "needed more memory than it may have";
	case RUN_OUTPUT_LIMIT:
		return "wrote more than it may";
	case RUN_PIDS_LIMIT:
		return "started more processes than it may";
	case RUN_SANDBOX_ERROR:
	case RUN_LAUNCH_ERROR:
		return "was not run: the container failed";
	default:
		return "ended the whole program";
	}
}
