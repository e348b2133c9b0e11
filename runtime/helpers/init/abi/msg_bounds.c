/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/helpers/init/abi/msg_bounds.h"

#include <stddef.h>

#include "runtime/helpers/init/abi/mem.h"
#include "runtime/helpers/init/abi/msg_check.h"

static bool has_same_filter(const struct init_msg *start, const struct init_msg *exec)
{
	if (!(start->flags & INIT_SECCOMP))
		return true;
	return exec->bpf.len == start->bpf.len &&
	       !memcmp(init_msg_at(exec, exec->bpf), init_msg_at(start, start->bpf),
		       start->bpf.len);
}

/* The last of several lines for one resource counts. */
static const struct init_rlimit *limit_of(const struct init_msg *m, uint32_t resource)
{
	const struct init_rlimit *l = init_msg_at(m, m->rlimits), *found = NULL;

	for (uint32_t i = 0; i < m->rlimits.len / sizeof(*l); i++) {
		if (l[i].resource == resource)
			found = &l[i];
	}
	return found;
}

static bool has_same_limits(const struct init_msg *start, const struct init_msg *exec)
{
	const struct init_rlimit *l = init_msg_at(start, start->rlimits);

	for (uint32_t i = 0; i < start->rlimits.len / sizeof(*l); i++) {
		const struct init_rlimit *its = limit_of(exec, l[i].resource);

		if (!its || its->hard > limit_of(start, l[i].resource)->hard)
			return false;
	}
	return true;
}

bool init_msg_is_within(const struct init_msg *start, const struct init_msg *exec)
{
	const uint32_t kept = start->flags & (INIT_NO_NEW_PRIVS | INIT_SECCOMP);

	return !(exec->caps & ~start->caps) && (exec->flags & kept) == kept &&
	       (start->flags & INIT_KEEP_GROUPS || !(exec->flags & INIT_KEEP_GROUPS)) &&
	       exec->oom_score_adj >= start->oom_score_adj && has_same_filter(start, exec) &&
	       has_same_limits(start, exec);
}
