/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_CMD_DOCKER_DAEMON_RESTART_H
#define CSBX_CMD_DOCKER_DAEMON_RESTART_H

/*
 * Restart policies. A container's own supervisor starts it again, so a policy holds as long as that
 * process lives: not beyond a reboot, and not when it was killed.
 */

#include <stdbool.h>
#include <stdint.h>

struct container_start;
struct container_record;
struct docker_fault;
struct run_result;

enum docker_restart_kind {
	DOCKER_RESTART_NO,
	DOCKER_RESTART_ON_FAILURE,
	DOCKER_RESTART_ALWAYS,
	DOCKER_RESTART_UNLESS_STOPPED,
	DOCKER_RESTART_MAX,
};

struct docker_restart {
	enum docker_restart_kind kind;
	unsigned most; /* of on-failure, 0: no limit */
};

/* "on-failure:3"; NULL and "": no. -EINVAL with docker's text. */
int docker_restart_parse(const char *text, struct docker_restart *ret, struct docker_fault *f);

/* As docker has it: after 100 ms, then twice the wait before, at most a minute. */
bool docker_restart_is_due_after(const struct docker_restart *policy, int exit_code,
				 uint64_t ran_ns, unsigned restarts, uint64_t *wait_ms);

/* container_start_how.again: by the policy that its record has now. */
bool docker_restart_is_due(const struct container_start *s, const struct run_result *result,
			   unsigned restarts, uint64_t *wait_ms);

/* container_start_how.has_policy */
bool docker_restart_is_wanted(const struct container_record *record);

#endif
