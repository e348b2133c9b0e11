/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_SECCOMP_POLICY_H
#define CSBX_RUNTIME_SECCOMP_POLICY_H

/*
 * The room runtime/helpers/seccomp. The seccomp policy as data, and the program that makes a filter
 * of it when csbx is built.
 *
 * In: rules by name. Out: BPF in a header, names for the test.
 *
 *	policy.c		the rules
 *	gen.c			the generator
 *	code.h			BPF with labels, and the tree that finds a number
 *
 * Must: answer ENOSYS to what no rule names.
 * Mustn't: be linked into a program that is installed.
 */

/*
 * The seccomp policy as data (docs/seccomp.md). The generator (gen.c) turns it into BPF when csbx
 * is built; the unit test interprets that BPF and compares it with this table, for every system
 * call number.
 *
 * A call that no rule names is ENOSYS: programs are used to kernels without some call and fall
 * back, so new and exotic calls need no entry. Calls of another ABI (i386, x32) are ENOSYS too.
 *
 * Tests look at the low 32 bits of an argument only. All arguments tested here are `int` or
 * `unsigned int` to the kernel, which cuts them to 32 bits itself: a filter that compared 64 would
 * see another value than the kernel does.
 */

#include <stddef.h>
#include <stdint.h>

#define SECCOMP_ALLOW 0 /* a verdict is this or a positive errno */
#define SECCOMP_TESTS_MAX 2
#define SECCOMP_VALUES_MAX 8
#define SECCOMP_CASES_MAX 6

enum seccomp_op {
	SECCOMP_OP_NONE,
	SECCOMP_OP_IN,   /* the argument is one of the values */
	SECCOMP_OP_BITS, /* the argument has any bit of values[0] */
};

struct seccomp_test {
	enum seccomp_op op;
	unsigned arg;
	size_t n_values;
	uint32_t values[SECCOMP_VALUES_MAX];
};

/* Holds when all of its tests do. */
struct seccomp_case {
	int verdict;
	struct seccomp_test tests[SECCOMP_TESTS_MAX];
};

/*
 * The first case that holds decides, else the rule's verdict. A rule with `caps` stands before all
 * others in the filter of a container that has one of these capabilities; if none of its cases
 * holds, the other rules decide.
 */
struct seccomp_rule {
	const char *names; /* system calls, separated by blanks */
	int verdict;
	uint64_t caps;
	struct seccomp_case cases[SECCOMP_CASES_MAX];
};

extern const struct seccomp_rule seccomp_policy[];
extern const size_t seccomp_policy_n;

/* Numbers of calls younger than the oldest supported libseccomp; the same on both machines. */
struct seccomp_number {
	const char *name;
	int nr;
};

extern const struct seccomp_number seccomp_young[];
extern const size_t seccomp_young_n;

#endif
