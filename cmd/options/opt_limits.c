/* SPDX-License-Identifier: Apache-2.0 */

/* Run options: how much the container may use. */

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "cmd/options/run_opts.h"
#include "runtime/base/err.h"
#include "runtime/base/fd.h"
#include "runtime/base/num.h"
#include "runtime/spec/rlimit.h"

#define TEXT_OF_(x) #x
#define TEXT_OF(x) TEXT_OF_(x)

#define AT(member) offsetof(struct run_opts, member)

static int find_ulimit(const char *name, size_t len)
{
	for (int i = 0; i < RLIM_NLIMITS; i++) {
		const char *known = rlimit_name(i);

		if (strlen(known) == len && !strncmp(known, name, len))
			return i;
	}
	return -1;
}

static int parse_rlim(const char *s, rlim_t *ret, struct err *e)
{
	uint64_t v = 0;

	if (str_eq(s, "unlimited") || str_eq(s, "-1")) {
		*ret = RLIM_INFINITY;
		return 0;
	}
	if (num_parse_u64(s, (uint64_t)RLIM_INFINITY - 1, &v) < 0)
		return err_set(e, EINVAL, "'%s' is neither a whole number nor 'unlimited'", s);
	*ret = v;
	return 0;
}

/* NAME=SOFT[:HARD]; a later one of the same name replaces an earlier one. */
static int set_ulimit(void *target, const char *value, struct err *e)
{
	struct container_spec *spec = target;
	size_t n = strcspn(value, "=");
	int resource = find_ulimit(value, n);
	_free_ char *soft = value[n] ? strdup(value + n + 1) : NULL;
	char *colon = soft ? strchr(soft, ':') : NULL;
	struct rlimit lim;
	struct rlimit_spec *slot = NULL;

	if (resource < 0)
		return err_set(e, EINVAL, "no such limit (as in nofile=1024:4096)");
	if (!soft)
		return err_set(e, EINVAL, "the value is missing (as in nofile=1024:4096)");
	if (colon)
		*colon = 0;
	if (parse_rlim(soft, &lim.rlim_cur, e) < 0 ||
	    parse_rlim(colon ? colon + 1 : soft, &lim.rlim_max, e) < 0)
		return -EINVAL;
	if (lim.rlim_cur > lim.rlim_max)
		return err_set(e, EINVAL, "the soft limit is above the hard one");
	for (size_t i = 0; i < spec->limits.n_rlimits && !slot; i++) {
		if (spec->limits.rlimits[i].resource == resource)
			slot = &spec->limits.rlimits[i];
	}
	slot = slot ? slot : spec_add_rlimit(spec);
	if (!slot)
		return err_oom(e);
	*slot = (struct rlimit_spec){resource, lim};
	return 0;
}

static int set_pids(void *pids, const char *value, struct err *e)
{
	uint64_t v = UINT64_MAX;

	if (!str_eq(value, "unlimited") && (num_parse_u64(value, 1u << 22, &v) < 0 || !v))
		return err_set(e, EINVAL, "must be a whole number from 1 to 4194304, or unlimited");
	*(uint64_t *)pids = v;
	return 0;
}

static int set_cpus(void *cpus, const char *value, struct err *e)
{
	uint64_t milli = 0;

	if (num_parse_milli(value, 1000u * 65536u, &milli) < 0 || !milli)
		return err_set(e, EINVAL, "'%s' is not a number of CPUs above 0 (as in 2 or 0.5)",
			       value);
	*(uint64_t *)cpus = milli;
	return 0;
}

static int set_limits(void *strict, const char *value, struct err *e)
{
	if (!str_eq(value, "auto") && !str_eq(value, "strict"))
		return err_set(e, EINVAL, "must be auto or strict");
	*(bool *)strict = str_eq(value, "strict");
	return 0;
}

static const struct opt opts[] = {
	{OPT_BYTES, 0, "memory", "SIZE", AT(spec.limits.memory_bytes), .has_key = true,
	 .help = "end the container when it holds more than SIZE of memory, files in memory "
		 "included: exit code 137"},
	{OPT_CALL, 0, "cpus", "N", AT(spec.limits.cpus_milli), set_cpus, .has_key = true,
	 .help = "how many CPUs it may use; without a control group a fraction is rounded up"},
	{OPT_CALL, 0, "pids-limit", "N", AT(spec.limits.pids), set_pids, .has_key = true,
	 .initial = TEXT_OF(SPEC_DEFAULT_PIDS),
	 .help = "how many processes and threads there may be, or unlimited"},
	{OPT_DURATION, 0, "timeout", "TIME", AT(spec.limits.timeout_ms), .has_key = true,
	 .help = "end the container after TIME (30, 500ms, 2m): exit code 124"},
	{OPT_DURATION, 0, "kill-after", "TIME", AT(spec.limits.kill_after_ms), .has_key = true,
	 .initial = "100ms", .help = "how long after --timeout's SIGTERM everything is killed"},
	{OPT_CALL, 0, "limits", "auto|strict", AT(spec.limits.strict), set_limits, .has_key = true,
	 .initial = "auto", .offers = "words:auto strict",
	 .help = "auto: hold each limit as well as this machine can, and say in the result what "
		 "falls short; strict: start nothing unless each can be held exactly"},
	{OPT_CALL, 0, "ulimit", "NAME=SOFT[:HARD]", AT(spec), set_ulimit, .repeats = true,
	 .has_key = true,
	 .help = "a resource limit of each process (nofile, core, cpu, fsize, stack, as, ...), a "
		 "number or unlimited"},
	{0},
};

const struct opt_table run_table_limits = {"Limits", opts};
