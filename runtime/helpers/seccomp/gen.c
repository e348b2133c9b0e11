/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Build-time generator: seccomp_gen ARCH > seccomp_table_ARCH.h
 *			 seccomp_gen ARCH names > seccomp_names_ARCH.h (for the unit test)
 *
 * Numbers come from libseccomp for the target machine, so the generator may run on another one.
 * The code is our own: system call numbers with one verdict are merged into ranges, and a balanced
 * tree of comparisons finds the range. The kernel runs every filter once for every call number when
 * it is loaded, to learn which are always allowed, and compiles it: length and depth are start-up
 * time. For this policy libseccomp's list takes 0.35 ms to load, its tree 0.14 and ranges 0.08.
 *
 * Rules that belong to a capability become blocks of their own, complete with the check of the
 * architecture, which runtime/kernel/seccomp.c puts in front of the base filter.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/helpers/seccomp/policy.h"

#define NR_END 1024 /* beyond every number in use */
#define CODE_MAX 4096
#define JUMP_MAX 255 /* jt and jf are 8 bits */

struct arch {
	const char *name;
	uint32_t token; /* libseccomp's */
	uint32_t audit; /* seccomp_data.arch */
};

struct code {
	struct sock_filter insn[CODE_MAX];
	size_t n;
};

/* Calls first .. next range's first - 1; no rule = not there. */
struct range {
	int first;
	const struct seccomp_rule *rule;
};

static void die(const char *what, const char *name)
{
	fprintf(stderr, "seccomp_gen: %s: %s\n", what, name);
	exit(1);
}

static void emit(struct code *c, uint16_t op, uint8_t jt, uint8_t jf, uint32_t k)
{
	if (c->n == CODE_MAX)
		die("filter too long", "");
	c->insn[c->n++] = (struct sock_filter){op, jt, jf, k};
}

static void emit_load(struct code *c, size_t offset)
{
	emit(c, BPF_LD | BPF_W | BPF_ABS, 0, 0, (uint32_t)offset);
}

static void emit_verdict(struct code *c, int verdict)
{
	emit(c, BPF_RET | BPF_K, 0, 0,
	     verdict == SECCOMP_ALLOW ? SECCOMP_RET_ALLOW : SECCOMP_RET_ERRNO | (uint32_t)verdict);
}

/* Makes the jumps from `from` on that were left open (255) lead to the end of the code. */
static void close_jumps(struct code *c, size_t from)
{
	for (size_t i = from; i < c->n; i++) {
		struct sock_filter *f = &c->insn[i];

		if (BPF_CLASS(f->code) == BPF_JMP && f->jf == JUMP_MAX)
			f->jf = (uint8_t)(c->n - i - 1);
	}
}

/* Falls through when the test holds; else jumps out (left open). */
static void emit_test(struct code *c, const struct seccomp_test *t)
{
	/* The low half comes first: both machines are little endian. */
	emit_load(c, offsetof(struct seccomp_data, args) + 8u * t->arg);
	if (t->op == SECCOMP_OP_BITS)
		emit(c, BPF_JMP | BPF_JSET | BPF_K, 0, JUMP_MAX, t->values[0]);
	for (size_t i = 0; t->op == SECCOMP_OP_IN && i < t->n_values; i++) {
		bool last = i + 1 == t->n_values;

		emit(c, BPF_JMP | BPF_JEQ | BPF_K, (uint8_t)(t->n_values - 1 - i),
		     last ? JUMP_MAX : 0, t->values[i]);
	}
}

static void emit_cases(struct code *c, const struct seccomp_rule *r)
{
	for (size_t i = 0; i < SECCOMP_CASES_MAX && r->cases[i].tests[0].op; i++) {
		size_t from = c->n;

		for (size_t k = 0; k < SECCOMP_TESTS_MAX && r->cases[i].tests[k].op; k++)
			emit_test(c, &r->cases[i].tests[k]);
		emit_verdict(c, r->cases[i].verdict);
		close_jumps(c, from);
	}
}

static bool has_cases(const struct seccomp_rule *r)
{
	return r && r->cases[0].tests[0].op;
}

/* Depth is the logarithm of our own table's size. */
static void emit_tree(struct code *c, const struct range *r, size_t n)
{
	size_t at = c->n, half = n / 2, left;

	if (n == 1) {
		if (has_cases(r->rule))
			emit_cases(c, r->rule);
		emit_verdict(c, r->rule ? r->rule->verdict : ENOSYS);
		return;
	}
	emit(c, BPF_JMP | BPF_JGE | BPF_K, 0, 0, (uint32_t)r[half].first);
	emit_tree(c, r, half);
	left = c->n - at - 1;
	if (left < JUMP_MAX) {
		c->insn[at].jt = (uint8_t)left;
	} else { /* too far for a conditional jump: go there in two steps */
		emit(c, 0, 0, 0, 0);
		memmove(&c->insn[at + 2], &c->insn[at + 1], left * sizeof(c->insn[0]));
		c->insn[at].jf = 1;
		c->insn[at + 1] = (struct sock_filter){BPF_JMP | BPF_JA, 0, 0, (uint32_t)left};
	}
	emit_tree(c, r + half, n - half);
}

/* The number, or -1 when this machine has no such call. */
static int resolve(const struct arch *a, const char *name)
{
	int nr = seccomp_syscall_resolve_name_arch(a->token, name);

	if (nr >= NR_END)
		die("number out of range", name);
	if (nr >= 0)
		return nr;
	if (nr < -1) /* another machine's */
		return -1;
	for (size_t i = 0; i < seccomp_young_n; i++) {
		if (!strcmp(seccomp_young[i].name, name))
			return seccomp_young[i].nr;
	}
	die("no such system call", name);
	return -1;
}

/* Numbers of the calls a rule names, ascending. */
static size_t rule_numbers(const struct arch *a, const struct seccomp_rule *r, int *ret)
{
	char *names = strdup(r->names), *rest = names, *name;
	bool named[NR_END] = {false};
	size_t n = 0;

	while ((name = strtok_r(rest, " ", &rest))) {
		int nr = resolve(a, name);

		if (nr >= 0 && named[nr])
			die("named twice", name);
		if (nr >= 0)
			named[nr] = true;
	}
	free(names);
	for (int nr = 0; nr < NR_END; nr++) {
		if (named[nr])
			ret[n++] = nr;
	}
	return n;
}

static bool same_verdict(const struct seccomp_rule *a, const struct seccomp_rule *b)
{
	if (has_cases(a) || has_cases(b))
		return a == b;
	return (a ? a->verdict : ENOSYS) == (b ? b->verdict : ENOSYS);
}

static size_t make_ranges(const struct arch *a, struct range *ret)
{
	const struct seccomp_rule *by_nr[NR_END + 1] = {NULL};
	int numbers[NR_END];
	size_t n = 0;

	for (size_t i = 0; i < seccomp_policy_n; i++) {
		const struct seccomp_rule *r = &seccomp_policy[i];
		size_t count = r->caps || r->verdict == ENOSYS ? 0 : rule_numbers(a, r, numbers);

		for (size_t k = 0; k < count; k++) {
			if (by_nr[numbers[k]])
				die("in two rules", r->names);
			by_nr[numbers[k]] = r;
		}
	}
	ret[n++] = (struct range){0, by_nr[0]};
	for (int nr = 1; nr <= NR_END; nr++) {
		if (!same_verdict(by_nr[nr], ret[n - 1].rule))
			ret[n++] = (struct range){nr, by_nr[nr]};
	}
	return n;
}

static void emit_base(struct code *c, const struct arch *a)
{
	struct range ranges[NR_END + 1];
	size_t n = make_ranges(a, ranges);

	emit_load(c, offsetof(struct seccomp_data, arch));
	emit(c, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, a->audit);
	emit_verdict(c, ENOSYS);
	emit_load(c, offsetof(struct seccomp_data, nr));
	emit_tree(c, ranges, n); /* x32 numbers have bit 30 set: beyond the last range's start */
}

static void emit_block(struct code *c, const struct arch *a, const struct seccomp_rule *r)
{
	size_t from = c->n, n;
	int numbers[NR_END];

	n = rule_numbers(a, r, numbers);
	if (!n || n >= JUMP_MAX / 2)
		die("bad rule with a capability", r->names);
	emit_load(c, offsetof(struct seccomp_data, arch));
	emit(c, BPF_JMP | BPF_JEQ | BPF_K, 0, JUMP_MAX, a->audit);
	emit_load(c, offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < n; i++)
		emit(c, BPF_JMP | BPF_JEQ | BPF_K, (uint8_t)(n - 1 - i), i + 1 == n ? JUMP_MAX : 0,
		     (uint32_t)numbers[i]);
	if (has_cases(r))
		emit_cases(c, r);
	else
		emit_verdict(c, r->verdict);
	close_jumps(c, from);
}

static void print_code(const char *name, const struct code *c)
{
	printf("static const struct sock_filter %s[%zu] = {", name, c->n);
	for (size_t i = 0; i < c->n; i++)
		printf("%s{0x%02x, %u, %u, 0x%08x},", i % 4 ? " " : "\n\t", c->insn[i].code,
		       c->insn[i].jt, c->insn[i].jf, c->insn[i].k);
	printf("\n};\n");
}

static void print_table(const struct arch *a)
{
	static struct code base, blocks;

	emit_base(&base, a);
	printf("/* For %s, made from runtime/helpers/seccomp/policy.c; not to be edited. */\n",
	       a->name);
	print_code("seccomp_base", &base);
	printf("static const struct seccomp_block seccomp_blocks[] = {\n");
	for (size_t i = 0; i < seccomp_policy_n; i++) {
		size_t from = blocks.n;

		if (!seccomp_policy[i].caps)
			continue;
		emit_block(&blocks, a, &seccomp_policy[i]);
		printf("\t{UINT64_C(0x%llx), %zu, %zu},\n",
		       (unsigned long long)seccomp_policy[i].caps, from, blocks.n - from);
	}
	printf("};\n");
	print_code("seccomp_block_code", &blocks);
}

/* Every number that has a name, by way of the number: not the way the filter was made. */
static void print_names(const struct arch *a)
{
	const char *names[NR_END] = {NULL};

	for (size_t i = 0; i < seccomp_young_n; i++)
		names[seccomp_young[i].nr] = seccomp_young[i].name;
	printf("static const char *const seccomp_names[%d] = {\n", NR_END);
	for (int nr = 0; nr < NR_END; nr++) {
		char *known = seccomp_syscall_resolve_num_arch(a->token, nr);

		if (known || names[nr])
			printf("\t[%d] = \"%s\",\n", nr, known ? known : names[nr]);
		free(known);
	}
	printf("};\n");
}

int main(int argc, char **argv)
{
	static const struct arch archs[] = {
		{"x86_64", SCMP_ARCH_X86_64, AUDIT_ARCH_X86_64},
		{"aarch64", SCMP_ARCH_AARCH64, AUDIT_ARCH_AARCH64},
	};

	for (size_t i = 0; i < sizeof(archs) / sizeof(archs[0]); i++) {
		if (argc < 2 || strcmp(argv[1], archs[i].name))
			continue;
		if (argc == 2)
			print_table(&archs[i]);
		else
			print_names(&archs[i]);
		return fflush(stdout) ? 1 : 0;
	}
	die("usage", "seccomp_gen x86_64|aarch64 [names]");
	return 1;
}
