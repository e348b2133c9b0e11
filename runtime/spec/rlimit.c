/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/spec/rlimit.h"

#include <sys/resource.h>

#include "runtime/base/err.h"
#include "runtime/helpers/init/abi/init_abi.h"
#include "runtime/spec/spec.h"

const char *rlimit_name(int resource)
{
	static const char *const names[] = {
		[RLIMIT_AS] = "as",
		[RLIMIT_CORE] = "core",
		[RLIMIT_CPU] = "cpu",
		[RLIMIT_DATA] = "data",
		[RLIMIT_FSIZE] = "fsize",
		[RLIMIT_LOCKS] = "locks",
		[RLIMIT_MEMLOCK] = "memlock",
		[RLIMIT_MSGQUEUE] = "msgqueue",
		[RLIMIT_NICE] = "nice",
		[RLIMIT_NOFILE] = "nofile",
		[RLIMIT_NPROC] = "nproc",
		[RLIMIT_RSS] = "rss",
		[RLIMIT_RTPRIO] = "rtprio",
		[RLIMIT_RTTIME] = "rttime",
		[RLIMIT_SIGPENDING] = "sigpending",
		[RLIMIT_STACK] = "stack",
	};
	const size_t n = sizeof(names) / sizeof(names[0]);

	return resource >= 0 && (size_t)resource < n && names[resource] ? names[resource] : "?";
}

/*
 * Linux counts the descriptors that a user has on their way in sockets (unix(7)) and refuses to send
 * more than the sender's limit. A program may leave them unread: were its limit the caller's own,
 * csbx could send none to another container. Some threads at once may pass the kernel's look, 253
 * descriptors each: hence the distance.
 */
static rlim_t most_by_default(int resource, rlim_t hard)
{
	return resource == RLIMIT_NOFILE && hard != RLIM_INFINITY ? hard - hard / 4 : hard;
}

static int fill_one(const struct rlimit_spec *l, struct init_rlimit *ret, struct err *e)
{
	struct rlimit now;

	if (getrlimit(l->resource, &now) < 0)
		return err_sys(e, "--ulimit %s", rlimit_name(l->resource));
	*ret = (struct init_rlimit){
		.resource = (uint32_t)l->resource,
		.soft = l->value.rlim_cur,
		.hard = l->value.rlim_max,
	};
	if (l->is_default)
		now.rlim_max = most_by_default(l->resource, now.rlim_max);
	if (ret->hard <= now.rlim_max)
		return 0;
	if (!l->is_default)
		return err_set(e, EPERM, "--ulimit %s: the caller's own hard limit is %llu",
			       rlimit_name(l->resource), (unsigned long long)now.rlim_max);
	ret->hard = now.rlim_max;
	if (ret->soft > ret->hard)
		ret->soft = ret->hard;
	return 0;
}

int rlimit_fill(const struct container_spec *s, struct init_rlimit *ret, size_t max, struct err *e)
{
	if (s->limits.n_rlimits > max)
		return err_set(e, E2BIG, "too many resource limits");
	for (size_t i = 0; i < s->limits.n_rlimits; i++) {
		int r = fill_one(&s->limits.rlimits[i], &ret[i], e);

		if (r < 0)
			return r;
	}
	return (int)s->limits.n_rlimits;
}
