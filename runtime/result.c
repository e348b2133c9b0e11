/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/result.h"

static const char *const names[] = {
	[RUN_EXITED] = "exited",
	[RUN_SIGNALED] = "signaled",
	[RUN_LAUNCH_ERROR] = "launch_error",
	[RUN_SANDBOX_ERROR] = "sandbox_error",
};
_Static_assert(sizeof(names) / sizeof(names[0]) == RUN_STATUS_MAX, "a name for every status");

const char *run_status_name(enum run_status s)
{
	return s < RUN_STATUS_MAX ? names[s] : "?";
}

int run_exit_code(const struct run_result *r)
{
	return r->status == RUN_SIGNALED ? 128 + r->signal : r->exit_code;
}

void run_result_free(struct run_result *r)
{
	strv_free(&r->degraded);
}
