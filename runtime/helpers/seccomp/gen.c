/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Build-time generator: seccomp_gen ARCH > seccomp_table_ARCH.h
 *			 seccomp_gen ARCH names > seccomp_names_ARCH.h (for the unit test)
 *
 * Numbers come from libseccomp for the target machine, so the generator may run on another one.
 * The code is our own: code.h. A rule that looks at arguments is in it once, however many calls it
 * names.
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

#include "runtime/helpers/seccomp/code.h"
#include "runtime/helpers/seccomp/policy.h"

#define RULES_MAX 64

struct arch {
	const char *name;
	uint32_t token; /* libseccomp's */
	uint32_t audit; /* seccomp_data.arch */
};

static void emit_test(struct code *c, const struct seccomp_test *t, int yes, int no)
{
	/* The low half comes first: both machines are little endian. */
	emit_load(c, offsetof(struct seccomp_data, args) + 8u * t->arg);
	if (t->op == SECCOMP_OP_BITS)
		emit(c, BPF_JMP | BPF_JSET | BPF_K, t->values[0], yes, no);
	for (size_t i = 0; t->op == SECCOMP_OP_IN && i < t->n_values; i++)
		emit_equal(c, t->values[i], yes, i + 1 == t->n_values ? no : CODE_NEXT);
}

/* Where no case holds it goes on at `otherwise`. */
static void emit_cases(struct code *c, const struct seccomp_rule *r, int otherwise)
{
	for (size_t i = 0; i < SECCOMP_CASES_MAX && r->cases[i].tests[0].op; i++) {
		bool is_last = i + 1 == SECCOMP_CASES_MAX || !r->cases[i + 1].tests[0].op;
		int no = is_last ? otherwise : label_new(c, CODE_NO_VERDICT);

		for (size_t k = 0; k < SECCOMP_TESTS_MAX && r->cases[i].tests[k].op; k++) {
			bool is_end = k + 1 == SECCOMP_TESTS_MAX || !r->cases[i].tests[k + 1].op;
			int yes = is_end ? label_of_verdict(c, r->cases[i].verdict)
					 : label_new(c, CODE_NO_VERDICT);

			emit_test(c, &r->cases[i].tests[k], yes, no);
			if (!is_end)
				label_here(c, yes);
		}
		if (!is_last)
			label_here(c, no);
	}
}

static bool has_cases(const struct seccomp_rule *r)
{
	return r && r->cases[0].tests[0].op;
}

/* The number, or -1 when this machine has no such call. */
static int resolve(const struct arch *a, const char *name)
{
	int nr = seccomp_syscall_resolve_name_arch(a->token, name);

	if (nr >= CODE_NUMBERS)
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
	bool named[CODE_NUMBERS] = {false};
	size_t n = 0;

	while ((name = strtok_r(rest, " ", &rest))) {
		int nr = resolve(a, name);

		if (nr >= 0 && named[nr])
			die("named twice", name);
		if (nr >= 0)
			named[nr] = true;
	}
	free(names);
	for (int nr = 0; nr < CODE_NUMBERS; nr++) {
		if (named[nr])
			ret[n++] = nr;
	}
	return n;
}

/* The rule of each number, where there is one; those with a capability are apart. */
static void find_rules(const struct arch *a, const struct seccomp_rule **by_nr)
{
	int numbers[CODE_NUMBERS];

	for (size_t i = 0; i < seccomp_policy_n; i++) {
		const struct seccomp_rule *r = &seccomp_policy[i];
		size_t count = r->caps || r->verdict == ENOSYS ? 0 : rule_numbers(a, r, numbers);

		for (size_t k = 0; k < count; k++) {
			if (by_nr[numbers[k]])
				die("in two rules", r->names);
			by_nr[numbers[k]] = r;
		}
	}
}

static void emit_arch(struct code *c, const struct arch *a, int other)
{
	emit_load(c, offsetof(struct seccomp_data, arch));
	emit_equal(c, a->audit, CODE_NEXT, other);
}

static void emit_base(struct code *c, const struct arch *a)
{
	const struct seccomp_rule *by_nr[CODE_NUMBERS] = {NULL};
	int targets[CODE_NUMBERS], labels[RULES_MAX] = {0}, end = label_new(c, CODE_NO_VERDICT);

	if (seccomp_policy_n > RULES_MAX)
		die("too many rules", "");
	find_rules(a, by_nr);
	for (int nr = 0; nr < CODE_NUMBERS; nr++) {
		const struct seccomp_rule *r = by_nr[nr];
		int *label = r ? &labels[r - seccomp_policy] : NULL;

		if (has_cases(r) && !*label)
			*label = label_new(c, CODE_NO_VERDICT);
		targets[nr] = has_cases(r) ? *label : label_of_verdict(c, r ? r->verdict : ENOSYS);
	}
	emit_arch(c, a, label_of_verdict(c, ENOSYS));
	emit_load(c, offsetof(struct seccomp_data, nr));
	emit_numbers(c, targets); /* x32 numbers have bit 30 set: beyond the last range's start */
	for (size_t i = 0; i < seccomp_policy_n; i++) {
		if (!labels[i])
			continue;
		label_here(c, labels[i]);
		emit_cases(c, &seccomp_policy[i], label_of_verdict(c, seccomp_policy[i].verdict));
	}
	code_finish(c, 0, end);
}

static void emit_block(struct code *c, const struct arch *a, const struct seccomp_rule *r)
{
	int numbers[CODE_NUMBERS], targets[CODE_NUMBERS], end = label_new(c, CODE_NO_VERDICT),
							  hit = end;
	size_t from = c->n, n = rule_numbers(a, r, numbers);

	if (!n)
		die("bad rule with a capability", r->names);
	hit = has_cases(r) ? label_new(c, CODE_NO_VERDICT) : label_of_verdict(c, r->verdict);
	for (int nr = 0; nr < CODE_NUMBERS; nr++)
		targets[nr] = end;
	for (size_t i = 0; i < n; i++)
		targets[numbers[i]] = hit;
	emit_arch(c, a, end);
	emit_load(c, offsetof(struct seccomp_data, nr));
	emit_numbers(c, targets);
	if (has_cases(r)) {
		label_here(c, hit);
		emit_cases(c, r, end);
	}
	code_finish(c, from, end);
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
	const char *names[CODE_NUMBERS] = {NULL};

	for (size_t i = 0; i < seccomp_young_n; i++)
		names[seccomp_young[i].nr] = seccomp_young[i].name;
	printf("static const char *const seccomp_names[%d] = {\n", CODE_NUMBERS);
	for (int nr = 0; nr < CODE_NUMBERS; nr++) {
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
