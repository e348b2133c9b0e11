/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_SECCOMP_CODE_H
#define CSBX_RUNTIME_SECCOMP_CODE_H

/*
 * BPF for the generator (gen.c): jumps to labels, each verdict once, and the tree of comparisons
 * that finds what belongs to a number. What does not fit ends the build.
 */

#include <linux/filter.h>
#include <stddef.h>
#include <stdint.h>

#define CODE_NUMBERS 1024 /* beyond every number in use */
#define CODE_INSNS_MAX 4096
#define CODE_LABELS_MAX 512
#define CODE_NEXT 0 /* the label of the instruction that follows */
#define CODE_NO_VERDICT (-1)

/* Jumps lead to labels until code_finish(); a label lies behind the jump, as BPF wants it. */
struct code {
	struct sock_filter insn[CODE_INSNS_MAX];
	int yes[CODE_INSNS_MAX], no[CODE_INSNS_MAX];
	size_t n;
	size_t place[CODE_LABELS_MAX];
	int n_labels;
	int verdicts[CODE_LABELS_MAX]; /* by label; CODE_NO_VERDICT: code of one's own */
};

__attribute__((noreturn)) void die(const char *what, const char *name);

/* With a verdict that is where it is returned; others are placed by label_here(). */
int label_new(struct code *c, int verdict);
int label_of_verdict(struct code *c, int verdict);
void label_here(struct code *c, int label);

void emit(struct code *c, uint16_t op, uint32_t k, int yes, int no);
void emit_load(struct code *c, size_t offset);
void emit_equal(struct code *c, uint32_t k, int yes, int no);

/* Goes to targets[nr], a label, with the number that is loaded; those past all others' go to the last one's. */
void emit_numbers(struct code *c, const int targets[CODE_NUMBERS]);

/*
 * The verdicts, and the jumps of all from `from` on. end: the label of what follows. The next
 * label is the first one again.
 */
void code_finish(struct code *c, size_t from, int end);

#endif
