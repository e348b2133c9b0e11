/* SPDX-License-Identifier: Apache-2.0 */
/* The mechanism that holds each limit, for every kind of machine; csbx says where one falls short,
 * or refuses. */
#include "runtime/limit/limit.h"

#include <stdlib.h>
#include <sys/resource.h>

#include "runtime/base/err.h"
#include "runtime/cgroup/text.h"
#include "runtime/spec/spec.h"
#include "tests/unit/tap.h"

static const struct limit_means bare = {.no_group = "a reason"};
static const struct limit_means grouped = {
	.groups = CGROUP_ALL, .parent = "/group", .is_root = true};

static struct container_spec asked(void)
{
	struct container_spec s;

	spec_init(&s);
	s.limits.memory_bytes = 1 << 20;
	s.limits.cpus_milli = 1000;
	s.limits.pids = 10;
	return s;
}

static void test_groups_hold_everything(void)
{
	struct container_spec s = asked();
	struct limit_holders h = {.watch_memory = false};

	s.limits.strict = true;
	s.limits.cpus_milli = 1500;
	is_int(limit_assign(&s, &grouped, &h, NULL), 0, "a control group satisfies strict");
	is_int(h.memory.by, ENFORCED_CGROUP2, "memory");
	is_int(h.cpus_milli.by, ENFORCED_CGROUP2, "cpus");
	is_int(h.pids.by, ENFORCED_CGROUP2, "pids");
	ok(!h.watch_memory && !h.watch_pids, "no watchdog");
	is_int((int)(h.weaker.n + h.degraded.n), 0, "nothing falls short");
	limit_holders_free(&h);
}

static void test_without_groups(void)
{
	struct container_spec s = asked();
	struct limit_holders h = {.watch_memory = false};
	struct limit_means one = bare;

	one.one_id = true;
	is_int(limit_assign(&s, &one, &h, NULL), 0, "one id");
	is_int(h.memory.by, ENFORCED_WATCHDOG, "memory is watched");
	is_int(h.cpus_milli.by, ENFORCED_AFFINITY, "cpus by affinity");
	is_int(h.pids.by, ENFORCED_RLIMIT, "pids by rlimit");
	ok(h.watch_memory && !h.watch_pids, "the rlimit counts one user exactly");
	is_int((int)h.weaker.n, 2, "memory and cpus are held by weaker means");
	ok(h.weaker.n && strstr(h.weaker.items[0], "a reason"), "with the reason");
	is_int(limit_assign(&s, &bare, &h, NULL), 0, "several ids");
	ok(h.watch_pids, "the watchdog counts processes of several users");
	is_int((int)h.weaker.n, 3, "which is said");
	one.is_root = true;
	is_int(limit_assign(&s, &one, &h, NULL), 0, "root");
	is_int(h.pids.by, ENFORCED_WATCHDOG, "the kernel exempts root");
	limit_holders_free(&h);
}

static void test_named_parent(void)
{
	struct limit_means m = {
		.groups = CGROUP_CPU, .parent = "/g", .is_named = true, .one_id = true};
	struct container_spec s = asked();
	struct limit_holders h = {.watch_memory = false};

	is_int(limit_assign(&s, &m, &h, NULL), 0, "a parent with one controller");
	is_int(h.cpus_milli.by, ENFORCED_CGROUP2, "which is used");
	is_int((int)h.degraded.n, 2, "the other two are said aloud");
	ok(h.degraded.n == 2 && strstr(h.degraded.items[1],
				       "pids: CSBX_CGROUP_PARENT /g does not offer the pids"),
	   "with its name");
	s.limits.memory_bytes = 0;
	s.limits.strict = true;
	is_int(limit_assign(&s, &m, &h, NULL), 0, "one user's processes are counted exactly");
	limit_holders_free(&h);
}

static void refused(struct container_spec *s, const struct limit_means *m, const char *option)
{
	struct limit_holders h = {.watch_memory = false};
	struct err e = ERR_INIT;

	s->limits.strict = true;
	is_int(limit_assign(s, m, &h, &e), -EPERM, "strict refuses %s", option);
	ok(strstr(e.msg, option) == e.msg && strstr(e.msg, "remedy: "), "says so: %s", e.msg);
	s->limits.strict = false;
	is_int(limit_assign(s, m, &h, &e), 0, "auto takes %s", option);
	is_int((int)(h.weaker.n + h.degraded.n), 1, "and says it");
	limit_holders_free(&h);
}

static void test_strict(void)
{
	struct limit_means one = bare, on_disk = bare, root = bare;
	struct container_spec s;

	one.one_id = on_disk.one_id = on_disk.upper_on_disk = root.one_id = root.is_root = true;
	spec_init(&s);
	s.limits.memory_bytes = 1;
	refused(&s, &one, "--memory: ");
	spec_init(&s);
	s.limits.cpus_milli = 1000;
	refused(&s, &one, "--cpus: ");
	s.limits.cpus_milli = 500;
	refused(&s, &one, "--cpus: ");
	spec_init(&s);
	s.limits.pids = 5;
	refused(&s, &bare, "--pids-limit: ");
	refused(&s, &root, "--pids-limit: ");
	spec_init(&s);
	s.rootfs.upper_bytes = 5;
	refused(&s, &on_disk, "--upper-size: ");
}

static void test_defaults_are_no_demand(void)
{
	struct limit_holders h = {.watch_memory = false};
	struct container_spec s;

	spec_init(&s);
	s.limits.strict = true;
	s.limits.pids = 4096;
	s.limits.pids_is_default = true;
	is_int(limit_assign(&s, &bare, &h, NULL), 0, "nothing asked, nothing refused");
	ok(!h.watch_pids, "a default is not watched");
	is_int(h.pids.by, ENFORCED_RLIMIT, "it is set");
	s.limits.n_rlimits = 1;
	s.limits.rlimits = &(struct rlimit_spec){.resource = RLIMIT_NPROC, .value = {5, 5}};
	is_int(limit_assign(&s, &bare, &h, NULL), 0, "--ulimit nproc=5");
	is_int(h.pids.by, ENFORCED_NOT_ASKED, "takes the default's place");
	limit_holders_free(&h);
}

int main(void)
{
	test_groups_hold_everything();
	test_without_groups();
	test_named_parent();
	test_strict();
	test_defaults_are_no_demand();
	return done_testing();
}
