/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The generated filters against the policy they were generated from: a small interpreter of classic
 * BPF runs them for every call number, other ABIs and arguments with high bits set, and a direct
 * reading of the policy says what should come out.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/socket.h>

#include "runtime/base/str.h"
#include "runtime/kernel/seccomp.h"
#include "runtime/helpers/seccomp/policy.h"
#include "runtime/spec/spec.h"
#include "tests/unit/bpf_run.h"
#include "tests/unit/tap.h"

#define X32_BIT 0x40000000u
#define HIGH (UINT64_C(0x1) << 32)
#define ALL_HIGH (UINT64_MAX << 32) /* as of a negative int */
#define CAP_BIT(cap) (UINT64_C(1) << (cap))

struct block {
	uint64_t caps;
	unsigned first, n;
};

/* Both tables, under other names. */
#define seccomp_block block
#define seccomp_base base_x86_64
#define seccomp_blocks blocks_x86_64
#define seccomp_block_code block_code_x86_64
#define seccomp_names names_x86_64
#include "seccomp_table_x86_64.h"
#include "seccomp_names_x86_64.h"
#undef seccomp_base
#undef seccomp_blocks
#undef seccomp_block_code
#undef seccomp_names
#define seccomp_base base_aarch64
#define seccomp_blocks blocks_aarch64
#define seccomp_block_code block_code_aarch64
#define seccomp_names names_aarch64
#include "seccomp_table_aarch64.h"
#include "seccomp_names_aarch64.h"

struct machine {
	const char *name;
	uint32_t audit;
	const char *const *names; /* by number, NULL = none */
	const struct sock_filter *base;
	size_t n_base;
	const struct block *blocks;
	size_t n_blocks;
	const struct sock_filter *block_code;
};

#define MACHINE(m, audit_)                                                                     \
	{                                                                                      \
#m, audit_, names_##m, base_##m, sizeof(base_##m) / sizeof(base_##m[0]),       \
			blocks_##m, sizeof(blocks_##m) / sizeof(blocks_##m[0]), block_code_##m \
	}

static const struct machine machines[] = {
	MACHINE(x86_64, AUDIT_ARCH_X86_64),
	MACHINE(aarch64, AUDIT_ARCH_AARCH64),
};

/* The filter for a set of capabilities, put together as runtime/kernel/seccomp.c does. */
static void assemble(const struct machine *m, uint64_t caps, struct strbuf *out)
{
	for (size_t i = 0; i < m->n_blocks; i++) {
		if (caps & m->blocks[i].caps)
			strbuf_add(out, &m->block_code[m->blocks[i].first],
				   m->blocks[i].n * sizeof(struct sock_filter));
	}
	strbuf_add(out, m->base, m->n_base * sizeof(struct sock_filter));
}

static bool names_contain(const char *names, const char *name)
{
	size_t n = strlen(name);

	for (const char *p = names; (p = strstr(p, name)); p += n) {
		if ((p == names || p[-1] == ' ') && (p[n] == ' ' || !p[n]))
			return true;
	}
	return false;
}

static int number_of(const struct machine *m, const char *name)
{
	for (int nr = 0; nr < 1024; nr++) {
		if (m->names[nr] && str_eq(m->names[nr], name))
			return nr;
	}
	return -1;
}

static bool case_holds(const struct seccomp_case *c, const __u64 *args)
{
	for (size_t i = 0; i < SECCOMP_TESTS_MAX && c->tests[i].op; i++) {
		const struct seccomp_test *t = &c->tests[i];
		uint32_t v = (uint32_t)args[t->arg];
		bool holds = t->op == SECCOMP_OP_BITS && (v & t->values[0]);

		for (size_t k = 0; t->op == SECCOMP_OP_IN && k < t->n_values; k++)
			holds = holds || v == t->values[k];
		if (!holds)
			return false;
	}
	return c->tests[0].op;
}

/* The verdict of one rule; -1 where it has none. */
static int rule_verdict(const struct seccomp_rule *r, const __u64 *args)
{
	for (size_t i = 0; i < SECCOMP_CASES_MAX; i++) {
		if (case_holds(&r->cases[i], args))
			return r->cases[i].verdict;
	}
	return r->caps && r->cases[0].tests[0].op ? -1 : r->verdict;
}

static uint32_t action(int verdict)
{
	return verdict ? SECCOMP_RET_ERRNO | (uint32_t)verdict : SECCOMP_RET_ALLOW;
}

#define RULES_MAX 8

/* The rules that name a call: those of capabilities first, as in the filter. */
static size_t rules_of(const struct machine *m, uint64_t caps, int nr,
		       const struct seccomp_rule **ret)
{
	const char *name = m->names[nr];
	size_t n = 0;

	for (int pass = 0; name && pass < 2; pass++) {
		for (size_t i = 0; i < seccomp_policy_n && n < RULES_MAX; i++) {
			const struct seccomp_rule *r = &seccomp_policy[i];

			if ((pass ? !r->caps : !!(r->caps & caps)) && names_contain(r->names, name))
				ret[n++] = r;
		}
	}
	return n;
}

/* The verdict of the policy on a call. */
static uint32_t declared(const struct seccomp_rule *const *rules, size_t n, const __u64 *args)
{
	for (size_t i = 0; i < n; i++) {
		int verdict = rule_verdict(rules[i], args);

		if (verdict >= 0)
			return action(verdict);
	}
	return action(ENOSYS);
}

#define INTERESTING_MAX 512

/* Values worth trying as an argument: those of the policy, their neighbours, high bits set. */
static size_t interesting(uint64_t *ret)
{
	static const uint64_t more[] = {0,   0x10, 0x80,       38 /* AF_ALG */,
					40,  0x11, UINT64_MAX, 1u << 31,
					132, 256,  262,        0x5401};
	size_t n = 0;

	for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++)
		ret[n++] = more[i];
	for (size_t i = 0; i < seccomp_policy_n; i++) {
		for (size_t c = 0; c < SECCOMP_CASES_MAX; c++) {
			const struct seccomp_test *t = seccomp_policy[i].cases[c].tests;

			for (size_t k = 0; k < SECCOMP_TESTS_MAX; k++) {
				for (size_t v = 0; v < t[k].n_values; v++) {
					ret[n++] = t[k].values[v];
					ret[n++] = t[k].values[v] | HIGH;
					ret[n++] = t[k].values[v] | ALL_HIGH;
				}
			}
		}
	}
	if (n > INTERESTING_MAX)
		abort();
	return n;
}

/* Arguments are varied only where some rule looks at them; tests look at 0 and 1, or 0 and 2. */
static size_t compare_call(const struct machine *m, uint64_t caps, int nr, const struct strbuf *f)
{
	const struct sock_filter *code = (const void *)f->data;
	const struct seccomp_rule *rules[RULES_MAX];
	size_t n_rules = rules_of(m, caps, nr, rules), wrong = 0, n;
	uint64_t values[INTERESTING_MAX];
	bool varies = false;

	for (size_t i = 0; i < n_rules; i++)
		varies = varies || rules[i]->cases[0].tests[0].op;
	n = varies ? interesting(values) : interesting(values) / 8;
	for (size_t i = 0; i < n * n; i++) {
		struct seccomp_data d = {.nr = nr, .arch = m->audit};

		d.args[0] = values[i % n];
		d.args[1] = d.args[2] = values[i / n];
		if (bpf_run(code, f->len / sizeof(*code), &d) == declared(rules, n_rules, d.args))
			continue;
		if (!wrong++)
			printf("# %s %d args 0x%llx 0x%llx\n", m->name, nr, d.args[0], d.args[1]);
	}
	return wrong;
}

static void test_table(const struct machine *m, uint64_t caps, const char *what)
{
	_strbuf_ struct strbuf f = STRBUF_INIT;
	size_t wrong = 0;

	assemble(m, caps, &f);
	for (int nr = 0; nr < 1024; nr++)
		wrong += compare_call(m, caps, nr, &f);
	ok(f.len / sizeof(struct sock_filter) <= BPF_MAXINSNS, "%s, %s: length", m->name, what);
	is_int(wrong, 0, "%s, %s: every number is as declared", m->name, what);
}

static void test_other_abis(const struct machine *m)
{
	static const uint32_t others[] = {AUDIT_ARCH_I386, AUDIT_ARCH_ARM, AUDIT_ARCH_RISCV64, 0};
	_strbuf_ struct strbuf f = STRBUF_INIT;
	const struct sock_filter *code;
	size_t allowed = 0;

	assemble(m, UINT64_MAX, &f);
	code = (const void *)f.data;
	for (uint32_t nr = 0; nr < 1024; nr++) {
		struct seccomp_data d = {.nr = (int)nr};

		for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
			d.arch = others[i];
			allowed += bpf_run(code, f.len / 8, &d) != action(ENOSYS);
		}
		d.arch = m->audit;
		d.nr = (int)(nr | X32_BIT);
		allowed += bpf_run(code, f.len / 8, &d) != action(ENOSYS);
		d.nr = (int)(nr | 0x80000000u);
		allowed += bpf_run(code, f.len / 8, &d) != action(ENOSYS);
	}
	is_int(allowed, 0, "%s: i386, x32 and foreign calls are ENOSYS whatever the capabilities",
	       m->name);
}

/* What no call has, and no rule: past the last number, negative, and x32 of either. */
static void test_beyond(const struct machine *m, uint64_t caps, const char *what)
{
	_strbuf_ struct strbuf f = STRBUF_INIT;
	size_t wrong = 0;

	assemble(m, caps, &f);
	for (uint32_t i = 0; i < 4096; i++) {
		const uint32_t numbers[] = {1024 + i,        -1 - i,       X32_BIT | i,
					    X32_BIT - 1 - i, 1u << 31 | i, 1u << 31 | X32_BIT | i};

		for (size_t k = 0; k < sizeof(numbers) / sizeof(numbers[0]); k++) {
			struct seccomp_data d = {.nr = (int)numbers[k], .arch = m->audit};

			wrong += bpf_run((const void *)f.data, f.len / 8, &d) != action(ENOSYS);
		}
	}
	is_int(wrong, 0, "%s, %s: all other numbers are ENOSYS", m->name, what);
}

/* One capability brings what it names, beside others' blocks or without them. */
static void test_each_capability(const struct machine *m)
{
	uint64_t named = 0;
	char what[40];

	for (size_t i = 0; i < seccomp_policy_n; i++)
		named |= seccomp_policy[i].caps;
	for (unsigned cap = 0; cap <= CAP_LAST_CAP; cap++) {
		if (!(named & CAP_BIT(cap)))
			continue;
		snprintf(what, sizeof(what), "capability %u alone", cap);
		test_table(m, CAP_BIT(cap), what);
		test_beyond(m, CAP_BIT(cap), what);
		snprintf(what, sizeof(what), "all but capability %u", cap);
		test_table(m, UINT64_MAX & ~CAP_BIT(cap), what);
	}
}

static uint32_t decide(const struct machine *m, uint64_t caps, const char *name, uint64_t a0,
		       uint64_t a1, uint64_t a2)
{
	struct seccomp_data d = {.arch = m->audit, .args = {a0, a1, a2}};
	_strbuf_ struct strbuf f = STRBUF_INIT;

	assemble(m, caps, &f);
	d.nr = number_of(m, name);
	return bpf_run((const void *)f.data, f.len / sizeof(struct sock_filter), &d);
}

/* Said once more by hand, so that a slip in the policy shows. */
static void test_known_cases(const struct machine *m)
{
	const uint64_t none = SPEC_CAPS_DEFAULT, admin = CAP_BIT(CAP_SYS_ADMIN);
	static const struct {
		const char *name;
		uint64_t a0, a1, a2;
		int verdict;
	} cases[] = {
		{"read", 0, 0, 0, 0},
		{"execve", 0, 0, 0, 0},
		{"ptrace", 0, 0, 0, 0},
		{"mbind", 0, 0, 0, 0},
		{"clone", 0x1200011, 0, 0, 0},
		{"clone", 0x10000011, 0, 0, EPERM},
		{"clone", HIGH | 0x20000, 0, 0, EPERM},
		{"clone3", 0, 0, 0, ENOSYS},
		{"unshare", 0x200, 0, 0, 0},
		{"unshare", 0x80, 0, 0, EPERM},
		{"setns", 0, 0, 0, EPERM},
		{"mount", 0, 0, 0, EPERM},
		{"umount2", 0, 0, 0, EPERM},
		{"bpf", 0, 0, 0, EPERM},
		{"userfaultfd", 0, 0, 0, EPERM},
		{"vmsplice", 0, 0, 0, EPERM},
		{"kexec_load", 0, 0, 0, EPERM},
		{"io_uring_setup", 0, 0, 0, ENOSYS},
		{"keyctl", 0, 0, 0, ENOSYS},
		{"socket", AF_UNIX, SOCK_STREAM, 0, 0},
		{"socket", AF_INET6, SOCK_DGRAM, 17, 0},
		{"socket", AF_INET, SOCK_STREAM, 256, EPROTONOSUPPORT},
		{"socket", AF_NETLINK, SOCK_RAW, 0, 0},
		{"socket", AF_NETLINK, SOCK_RAW, 6, EPROTONOSUPPORT},
		{"socket", AF_ALG, SOCK_SEQPACKET, 0, EAFNOSUPPORT},
		{"socket", HIGH | AF_ALG, SOCK_SEQPACKET, 0, EAFNOSUPPORT},
		{"socket", AF_VSOCK, SOCK_STREAM, 0, EAFNOSUPPORT},
		{"socket", AF_PACKET, SOCK_RAW, 0, EAFNOSUPPORT},
		{"ioctl", 0, 0x5412, 0, EPERM},
		{"ioctl", 0, HIGH | 0x5412, 0, EPERM},
		{"ioctl", 0, 0x541c, 0, EPERM},
		{"ioctl", 0, 0x5413, 0, 0},
		{"personality", 0xffffffff, 0, 0, 0},
		{"personality", 0x0400000, 0, 0, EPERM},
		{"prlimit64", 0, 0, 0, 0},
		{"prlimit64", 1, 0, 0, EPERM},
		{"prlimit64", HIGH | 1, 0, 0, EPERM},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		is_int(decide(m, none, cases[i].name, cases[i].a0, cases[i].a1, cases[i].a2),
		       action(cases[i].verdict), "%s: %s(0x%llx, 0x%llx, 0x%llx)", m->name,
		       cases[i].name, (unsigned long long)cases[i].a0,
		       (unsigned long long)cases[i].a1, (unsigned long long)cases[i].a2);
	is_int(decide(m, admin, "mount", 0, 0, 0), SECCOMP_RET_ALLOW, "%s: mount with SYS_ADMIN",
	       m->name);
	is_int(decide(m, admin, "clone3", 0, 0, 0), action(ENOSYS), "%s: clone3 never", m->name);
	is_int(decide(m, CAP_BIT(CAP_NET_RAW), "socket", AF_PACKET, 3, 0), SECCOMP_RET_ALLOW,
	       "%s: packet sockets with NET_RAW", m->name);
	is_int(decide(m, CAP_BIT(CAP_NET_RAW), "socket", AF_ALG, 3, 0), action(EAFNOSUPPORT),
	       "%s: no others with NET_RAW", m->name);
}

/* A call of the kernels up to 5.17 that no rule names would be a decision that no rule made. */
static void test_complete(const struct machine *m)
{
	size_t unnamed = 0;

	for (int nr = 0; nr <= 450; nr++) {
		const char *name = m->names[nr];
		bool named = !name;

		for (size_t i = 0; i < seccomp_policy_n && !named; i++)
			named = !seccomp_policy[i].caps &&
				names_contain(seccomp_policy[i].names, name);
		if (!named)
			printf("# %s: %s\n", m->name, name);
		unnamed += !named;
	}
	is_int(unnamed, 0, "%s: the policy names every call", m->name);
}

static void test_product(void)
{
	_strbuf_ struct strbuf f = STRBUF_INIT, want = STRBUF_INIT;
#if defined(__x86_64__)
	const struct machine *m = &machines[0];
#else
	const struct machine *m = &machines[1];
#endif

	seccomp_filter_add(SPEC_CAPS_DEFAULT, &f);
	is_mem(f.data, f.len, m->base, m->n_base * sizeof(*m->base),
	       "default capabilities: the base filter, nothing else");
	strbuf_reset(&f);
	seccomp_filter_add(CAP_BIT(CAP_SYS_ADMIN) | CAP_BIT(CAP_NET_RAW), &f);
	assemble(m, CAP_BIT(CAP_SYS_ADMIN) | CAP_BIT(CAP_NET_RAW), &want);
	is_mem(f.data, f.len, want.data, want.len, "with capabilities: their blocks before it");
}

int main(void)
{
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		const struct machine *m = &machines[i];

		test_table(m, SPEC_CAPS_DEFAULT, "default capabilities");
		test_table(m, UINT64_MAX, "all capabilities");
		test_table(m, CAP_BIT(CAP_NET_ADMIN), "NET_ADMIN");
		test_each_capability(m);
		test_beyond(m, SPEC_CAPS_DEFAULT, "default capabilities");
		test_beyond(m, UINT64_MAX, "all capabilities");
		test_other_abis(m);
		test_known_cases(m);
		test_complete(m);
	}
	test_product();
	return done_testing();
}
