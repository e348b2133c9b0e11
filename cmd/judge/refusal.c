/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/judge/refusal.h"

#include <errno.h>

#include "cmd/judge/container.h"
#include "runtime/base/clock.h"
#include "runtime/base/err.h"
#include "runtime/kernel/patient_fork.h"

uint64_t refusal_try_ms(struct refusal *r, uint64_t step_ms)
{
	uint64_t spent_ms = r->spent_ns / 1000000u;

	r->tried_ns = clock_monotonic_ns();
	return spent_ms < step_ms ? step_ms - spent_ms : 1;
}

bool refusal_may_pass(struct refusal *r)
{
	uint64_t now = clock_monotonic_ns();

	if (!r->since_ns)
		r->since_ns = now;
	r->spent_ns += now - r->tried_ns;
	r->is_hosts |= fork_is_refused();
	return now - r->since_ns < PATIENT_MS * 1000000ull;
}

void refusal_set_result(const struct refusal *r, struct run_result *result)
{
	if (!r->is_hosts || run_is_none(result->status))
		return;
	judge_set_sandbox_error(result);
	(void)err_set(&result->error, EAGAIN, "the machine has no process for a case: %s",
		      "the user has as many as may be");
}
