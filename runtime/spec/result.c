/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/spec/result.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/str.h"

static const char *const names[] = {
	[RUN_EXITED] = "exited",
	[RUN_SIGNALED] = "signaled",
	[RUN_LAUNCH_ERROR] = "launch_error",
	[RUN_SANDBOX_ERROR] = "sandbox_error",
	[RUN_TIMEOUT] = "timeout",
	[RUN_OOM] = "oom",
	[RUN_OUTPUT_LIMIT] = "output_limit",
	[RUN_PIDS_LIMIT] = "pids_limit",
	[RUN_KILLED] = "killed",
	[RUN_COMPILE_ERROR] = "compile_error",
	[RUN_POLICY_VIOLATION] = "policy_violation",
};
_Static_assert(sizeof(names) / sizeof(names[0]) == RUN_STATUS_MAX, "a name for every status");

const char *run_status_name(enum run_status s)
{
	return s < RUN_STATUS_MAX ? names[s] : "?";
}

int run_exit_code(const struct run_result *r)
{
	switch (r->status) {
	case RUN_SIGNALED:
		return 128 + r->signal;
	case RUN_TIMEOUT:
		return 124;
	case RUN_OOM:
	case RUN_OUTPUT_LIMIT:
	case RUN_PIDS_LIMIT:
	case RUN_KILLED:
		return 128 + SIGKILL;
	case RUN_COMPILE_ERROR:
	case RUN_POLICY_VIOLATION:
		return 1;
	default:
		return r->exit_code;
	}
}

void run_result_free(struct run_result *r)
{
	strv_free(&r->degraded);
	strv_free(&r->weaker);
	for (size_t i = 0; i < r->n_files; i++)
		strbuf_free(&r->files[i].data);
	free(r->files);
	strbuf_free(&r->out.text);
	strbuf_free(&r->err.text);
}

const char *run_error_code(const struct run_result *r)
{
	if (!r->error.code)
		return NULL;
	if (r->error_word)
		return r->error_word;
	if (r->status == RUN_LAUNCH_ERROR)
		return r->exit_code == 127 ? "command_not_found" : "command_not_executable";
	if (r->error.origin == ERR_IMAGE_SERVER)
		return "image_server";
	if (r->error.origin == ERR_LIMIT)
		return "limit";
	return r->status == RUN_SANDBOX_ERROR ? "sandbox" : "other";
}
