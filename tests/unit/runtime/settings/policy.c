/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/settings/policy.h"

#include "runtime/base/err.h"
#include "runtime/spec/spec.h"
#include "tests/unit/tap.h"

static int parse(struct policy *p, const char *text, struct err *e)
{
	return policy_parse(p, "policy.conf", text, strlen(text), e);
}

/* Applies the policy to the spec; the text of the refusal or "". */
static const char *apply(const char *text, struct container_spec *s)
{
	static struct err e;
	struct policy p = POLICY_INIT;

	e = (struct err)ERR_INIT;
	if (!parse(&p, text, &e))
		policy_apply(&p, s, &e);
	policy_free(&p);
	return e.msg;
}

static void test_forbid(void)
{
	struct container_spec s = {0};

	is_str(apply("forbid network=host\nforbid allow-root\nforbid bind\n", &s), "",
	       "nothing asked for");
	s.ns.net = NET_HOST;
	is_str(apply("# x\nforbid network=host\n", &s),
	       "network=host is forbidden by policy.conf:2", "network");
	is_str(apply("forbid ipc=host\n", &s), "", "another rule");
	s.sec.caps_add = 1;
	is_str(apply("forbid cap-add\n", &s), "cap-add is forbidden by policy.conf:1",
	       "capability");
	s.sec.caps_add = 0;
	s.sec.caps_are_set = true;
	s.sec.caps = SPEC_CAPS_DEFAULT;
	is_str(apply("forbid cap-add\n", &s), "", "the default set is no addition");
	s.sec.caps |= UINT64_C(1) << 21;
	is_str(apply("forbid cap-add\n", &s), "cap-add is forbidden by policy.conf:1",
	       "a set above it");
	s.mounts = (struct mount_spec[]){{.kind = MOUNT_TMPFS}, {.kind = MOUNT_DEVICE}};
	s.n_mounts = 2;
	is_str(apply("forbid bind\n", &s), "", "no bind among the mounts");
	is_str(apply("forbid device\n", &s), "device is forbidden by policy.conf:1", "device");
}

/* The choice of a front end where the user said nothing. */
static void test_defaults_give_way(void)
{
	struct container_spec s = {.ns = {.net = NET_HOST,
					  .ipc = IPC_HOST,
					  .net_is_default = true,
					  .ipc_is_default = true},
				   .sec = {.new_privs = true,
					   .new_privs_is_default = true,
					   .root_shared = true,
					   .root_shared_is_default = true}};

	is_str(apply("forbid bind\n", &s), "", "another rule");
	ok(s.ns.net == NET_HOST && s.ns.ipc == IPC_HOST && s.sec.new_privs, "changes none");
	is_str(apply("forbid network=host\n", &s), "", "a default network is not refused");
	ok(s.ns.net == NET_NONE && s.ns.ipc == IPC_HOST && s.sec.new_privs, "it gives way");
	ok(s.sec.root_shared, "and no other");
	is_str(apply("forbid ipc=host\nforbid no-new-privileges=false\nforbid root=shared\n", &s),
	       "", "nor the others");
	ok(s.ns.ipc == IPC_PRIVATE && !s.sec.new_privs && !s.sec.root_shared, "they give way");
	s = (struct container_spec){.ns = {.ipc = IPC_HOST},
				    .sec = {.new_privs = true, .root_shared = true}};
	is_str(apply("forbid root=shared\n", &s), "root=shared is forbidden by policy.conf:1",
	       "asked for");
	is_str(apply("forbid ipc=host\n", &s), "ipc=host is forbidden by policy.conf:1",
	       "asked for");
	is_str(apply("forbid no-new-privileges=false\n", &s),
	       "no-new-privileges=false is forbidden by policy.conf:1", "asked for");
}

static void test_max(void)
{
	struct container_spec s = {0};

	is_str(apply("max pids-limit 100\nmax shm-size 1g\nmax memory 2g\nmax cpus 1.5\n"
		     "max timeout 1h\nmax kill-after 10\n",
		     &s),
	       "", "defaults");
	is_int(s.limits.memory_bytes, INT64_C(2) << 30, "no memory limit becomes the maximum");
	is_int(s.limits.cpus_milli, 1500, "cpus");
	is_int(s.limits.timeout_ms, 3600000, "timeout");
	is_int(s.limits.kill_after_ms, 0, "the default of kill-after is below the maximum");
	is_int(s.limits.pids, 100, "the default of pids is above the maximum");
	is_int(s.limits.shm_bytes, 0, "that of shm is not");
	s.limits.shm_bytes = 1 << 20;
	is_str(apply("max shm-size 2m\n", &s), "", "below");
	is_int(s.limits.shm_bytes, 1 << 20, "stays");
	is_str(apply("max shm-size 2m\nmax shm-size 1k\nmax shm-size 3g\n", &s),
	       "--shm-size is above the maximum of policy.conf:2", "the lowest of several");
	is_str(apply("max max-output 1m\n", &s), "", "output");
	is_int(s.limits.output_bytes, 1 << 20, "no limit of output becomes the maximum");
	is_str(apply("max max-output-kill 1m\n", &s), "", "one of the two is enough");
	is_int(s.limits.output_kill_bytes, 0, "and they exclude each other");
	is_str(apply("max max-output 1k\n", &s),
	       "output is above the maximum of policy.conf:1 for --max-output",
	       "what is set is compared");
	is_str(apply("max max-output-kill 1k\n", &s),
	       "output is above the maximum of policy.conf:1 for --max-output-kill",
	       "and does not get around the other");
	is_str(apply("force limits=strict\n", &s), "", "strict");
	ok(s.limits.strict, "is forced");
	s.ns.ipc = IPC_HOST;
	s.limits.shm_bytes = 0;
	is_str(apply("max shm-size 1k\n", &s), "", "the host's /dev/shm");
	is_int(s.limits.shm_bytes, 0, "has no size of ours");
	s.limits.pids = PIDS_AS_POLICY;
	is_str(apply("max pids-limit 9999\n", &s), "",
	       "unlimited by default: nobody has asked for it");
	is_int(s.limits.pids, 9999, "and is as the policy says");
	s.limits.pids = UINT64_MAX;
	is_str(apply("max pids-limit 9999\n", &s),
	       "--pids-limit is above the maximum of policy.conf:1", "unlimited");
	s.limits = (struct limit_spec){.memory_bytes = 2048,
				       .memory_is_default = true,
				       .timeout_ms = 5000,
				       .timeout_is_default = true};
	is_str(apply("max memory 1k\nmax timeout 9\n", &s), "", "a front end's own choice");
	is_int(s.limits.memory_bytes, 1024, "gives way");
	is_int(s.limits.timeout_ms, 5000, "and stays where it is lower");
	s.limits.timeout_is_default = false;
	is_str(apply("max timeout 4\n", &s), "--timeout is above the maximum of policy.conf:1",
	       "what was asked for is refused");
	s.limits = (struct limit_spec){.pids = 1};
	is_str(apply("max upper-size 1k\n", &s), "", "a small upper");
	is_int(s.rootfs.upper_bytes, 1024, "is below a quarter of the memory");
	s.rootfs.upper_bytes = 0;
	is_str(apply("max upper-size 900000g\n", &s), "", "a large upper");
	is_int(s.rootfs.upper_bytes, 0, "does not raise the default");
}

static void test_force(void)
{
	struct container_spec s = {0};

	is_str(apply("force read-only\n", &s), "", "force");
	is_int(s.rootfs.upper, UPPER_READONLY, "forced");
	s.rootfs.upper = UPPER_KEPT;
	is_str(apply("force read-only\n", &s), "--rw is forbidden by policy.conf:1",
	       "-w is refused");
}

static void is_refused(const char *text, const char *want)
{
	struct policy p = POLICY_INIT;
	struct err e = ERR_INIT;

	is_int(parse(&p, text, &e), -EINVAL, "refused");
	is_str(e.msg, want, "%s", want);
	policy_free(&p);
}

static void test_errors(void)
{
	is_refused(
		"allow all\n",
		"policy.conf:1: 'allow all' is no rule (forbid WORD, max WORD VALUE, force WORD)");
	is_refused("\nforbid everything\n", "policy.conf:2: unknown word 'everything'");
	is_refused("max shm-size 0\n",
		   "policy.conf:1: 'max shm-size 0' is no rule (forbid WORD, max "
		   "WORD VALUE, force WORD)");
	is_refused("max shm-size\n", "policy.conf:1: 'max shm-size' is no rule (forbid WORD, max "
				     "WORD VALUE, force WORD)");
	is_refused("max shm-size 1g 2g\n", "policy.conf:1: too many words");
	is_refused("forbid bind x\n", "policy.conf:1: 'forbid bind x' is no rule (forbid WORD, max "
				      "WORD VALUE, force WORD)");
	is_refused("forbid \x1b\n", "policy.conf:1: a control character");
}

int main(void)
{
	test_forbid();
	test_defaults_give_way();
	test_max();
	test_force();
	test_errors();
	return done_testing();
}
