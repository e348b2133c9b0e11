/* SPDX-License-Identifier: Apache-2.0 */
#include "cmd/docker/daemon/restart.h"

#include "cmd/docker/frame/fault.h"
#include "cmd/docker/frame/notes.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/num.h"
#include "runtime/base/str.h"
#include "runtime/life/container_start.h"
#include "runtime/spec/result.h"

#define WAIT_FIRST_MS 100u
#define WAIT_MOST_MS 60000u
#define LONG_NS UINT64_C(10000000000) /* who ran so long begins with the first wait again */

static int parse_kind(const char *name, size_t len, enum docker_restart_kind *ret)
{
	static const char *const names[DOCKER_RESTART_MAX] = {"no", "on-failure", "always",
							      "unless-stopped"};

	for (unsigned i = 0; i < DOCKER_RESTART_MAX; i++) {
		if (strlen(names[i]) == len && !strncmp(names[i], name, len)) {
			*ret = (enum docker_restart_kind)i;
			return 0;
		}
	}
	return -EINVAL;
}

int docker_restart_parse(const char *text, struct docker_restart *ret, struct docker_fault *f)
{
	const char *colon = text ? strchr(text, ':') : NULL;
	size_t len = !text ? 0 : colon ? (size_t)(colon - text) : strlen(text);
	bool is_negative = colon && colon[1] == '-';
	uint64_t most = 0;

	*ret = (struct docker_restart){0};
	if (!text || !*text)
		return 0;
	if (!len)
		return docker_refuse_early(f, "invalid restart policy format: no policy provided "
					      "before colon");
	if (colon && num_parse_u64(colon + 1 + is_negative, INT32_MAX, &most) < 0)
		return docker_refuse_early(f, "invalid restart policy format: maximum retry count "
					      "must be an integer");
	if (parse_kind(text, len, &ret->kind) < 0)
		return docker_refuse(f,
				     "invalid restart policy: unknown policy '%.*s'; use one of "
				     "'no', 'always', 'on-failure', or 'unless-stopped'",
				     (int)len, text);
	if (most && ret->kind != DOCKER_RESTART_ON_FAILURE)
		return docker_refuse(f,
				     "invalid restart policy: maximum retry count can only be used "
				     "with 'on-failure'%s",
				     is_negative ? " and cannot be negative" : "");
	if (most && is_negative)
		return docker_refuse(f, "invalid restart policy: maximum retry count cannot be "
					"negative");
	ret->most = (unsigned)most;
	return 0;
}

bool docker_restart_is_due_after(const struct docker_restart *policy, int exit_code,
				 uint64_t ran_ns, unsigned restarts, uint64_t *wait_ms)
{
	if (policy->kind == DOCKER_RESTART_NO)
		return false;
	if (policy->kind == DOCKER_RESTART_ON_FAILURE &&
	    (!exit_code || (policy->most && restarts >= policy->most)))
		return false;
	if (!*wait_ms || ran_ns >= LONG_NS)
		*wait_ms = WAIT_FIRST_MS;
	else
		*wait_ms = *wait_ms * 2 < WAIT_MOST_MS ? *wait_ms * 2 : WAIT_MOST_MS;
	return true;
}

bool docker_restart_is_due(const struct container_start *s, const struct run_result *result,
			   unsigned restarts, uint64_t *wait_ms)
{
	struct docker_fault f = DOCKER_FAULT_INIT;
	struct docker_restart policy;
	struct container_found now;
	int r = container_find_again(s->paths, s->found.name, s->found.record.container_id, &now,
				     NULL);

	if (r < 0)
		return false;
	r = docker_restart_parse(notes_get(&now.record.notes, "restart", 0), &policy, &f);
	container_record_free(&now.record);
	return r >= 0 && docker_restart_is_due_after(&policy, run_exit_code(result),
						     result->wall_ns, restarts, wait_ms);
}

bool docker_restart_is_wanted(const struct container_record *record)
{
	struct docker_fault f = DOCKER_FAULT_INIT;
	struct docker_restart policy;
	const char *text = notes_get(&record->notes, "restart", 0);

	return text && docker_restart_parse(text, &policy, &f) >= 0 &&
	       policy.kind != DOCKER_RESTART_NO;
}
