/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_EVAL_REFUSAL_H
#define CSBX_CMD_EVAL_REFUSAL_H

/*
 * The harness says that the kernel refused it a process for a case. That is the snippet's own doing
 * where its processes are as many as it may have, the host's where csbx has no process to be had
 * either, and may be a lie. It passes, as a rule: the case is put again.
 */

#include <stdbool.h>
#include <stdint.h>

struct refusal {
	uint64_t since_ns; /* 0: none of this case */
	uint64_t tried_ns, spent_ns;
	bool is_hosts; /* csbx was refused one as well */
};

#define REFUSAL_PAUSE_MS 100u /* before the case is put again */
#define REFUSAL_WORDS "had no process to run in: the snippet has as many as it may (--pids-limit)"

/* The case is put. Returns what is left of the time that it has: a lie gains none. */
uint64_t refusal_try_ms(struct refusal *r, uint64_t step_ms);
/* One more. True: the case is to be put again. */
bool refusal_may_pass(struct refusal *r);

struct run_result;
/* What became of the program is no verdict where the host had no process for it. */
void refusal_set_result(const struct refusal *r, struct run_result *result);

#endif
