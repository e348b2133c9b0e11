/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel runs every filter once for every call number when it is loaded, to learn which are
 * always allowed, and compiles it: an instruction takes 170 ns of a start, a comparison on the way
 * of one number 2.4. So the tree with the least sum of both is looked for, a few numbers that differ
 * from all around them are each one test for equality, and no verdict is there twice. A balanced
 * tree with a verdict at each end takes 1.4 times as long.
 */
#include "runtime/helpers/seccomp/code.h"

#include <limits.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/helpers/seccomp/policy.h"

#define JUMP_MAX 255 /* jt and jf are 8 bits */
#define RANGES_MAX 256
#define INSN_COST 70
#define CHAIN_MAX 6 /* comparisons for equality one after the other */

/* Calls first .. next range's first - 1 go to the label. */
struct range {
	int first, target;
};

struct tree {
	struct range ranges[RANGES_MAX];
	size_t n;
	unsigned cost[RANGES_MAX][RANGES_MAX + 1]; /* of ranges [from, to) */
	size_t split[RANGES_MAX][RANGES_MAX + 1];  /* 0: no split, a chain of comparisons */
};

void die(const char *what, const char *name)
{
	fprintf(stderr, "seccomp_gen: %s: %s\n", what, name);
	exit(1);
}

int label_new(struct code *c, int verdict)
{
	if (++c->n_labels >= CODE_LABELS_MAX)
		die("too many labels", "");
	c->verdicts[c->n_labels] = verdict;
	return c->n_labels;
}

int label_of_verdict(struct code *c, int verdict)
{
	for (int i = 1; i <= c->n_labels; i++) {
		if (c->verdicts[i] == verdict)
			return i;
	}
	return label_new(c, verdict);
}

void label_here(struct code *c, int label)
{
	c->place[label] = c->n;
}

void emit(struct code *c, uint16_t op, uint32_t k, int yes, int no)
{
	if (c->n == CODE_INSNS_MAX)
		die("filter too long", "");
	c->yes[c->n] = yes;
	c->no[c->n] = no;
	c->insn[c->n++] = (struct sock_filter){op, 0, 0, k};
}

void emit_load(struct code *c, size_t offset)
{
	emit(c, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, CODE_NEXT, CODE_NEXT);
}

void emit_equal(struct code *c, uint32_t k, int yes, int no)
{
	emit(c, BPF_JMP | BPF_JEQ | BPF_K, k, yes, no);
}

static uint8_t distance(const struct code *c, size_t from, int label)
{
	size_t to = label == CODE_NEXT ? from + 1 : c->place[label];

	if (to <= from || to - from - 1 > JUMP_MAX)
		die("too far for a jump", "");
	return (uint8_t)(to - from - 1);
}

void code_finish(struct code *c, size_t from, int end)
{
	for (int i = 1; i <= c->n_labels; i++) {
		int v = c->verdicts[i];

		if (v == CODE_NO_VERDICT)
			continue;
		label_here(c, i);
		emit(c, BPF_RET | BPF_K,
		     v == SECCOMP_ALLOW ? SECCOMP_RET_ALLOW : SECCOMP_RET_ERRNO | (uint32_t)v,
		     CODE_NEXT, CODE_NEXT);
	}
	label_here(c, end);
	for (size_t i = from; i < c->n; i++) {
		if (BPF_CLASS(c->insn[i].code) != BPF_JMP)
			continue;
		c->insn[i].jt = distance(c, i, c->yes[i]);
		c->insn[i].jf = distance(c, i, c->no[i]);
	}
	c->n_labels = 0;
}

/*
 * --- numbers -------------------------------------------------------------------------------------
 */

/* Of those that are there: the last range has no end. */
static unsigned numbers_in(const struct tree *t, size_t from, size_t to)
{
	return (unsigned)((to == t->n ? t->ranges[to - 1].first + 1 : t->ranges[to].first) -
			  t->ranges[from].first);
}

/* How many numbers in the ranges do not go where most ranges go, *ret_target. */
static unsigned strays_in(const struct tree *t, size_t from, size_t to, int *ret_target)
{
	unsigned least = UINT_MAX;

	for (size_t i = from; i < to && i < from + 2; i++) {
		unsigned n = 0;

		for (size_t k = from; k < to; k++) {
			if (t->ranges[k].target != t->ranges[i].target)
				n += k + 1 == t->n ? CHAIN_MAX + 1 : numbers_in(t, k, k + 1);
		}
		if (n < least) {
			least = n;
			*ret_target = t->ranges[i].target;
		}
	}
	return least;
}

static void tree_plan(struct tree *t)
{
	for (size_t n = 1; n <= t->n; n++) {
		for (size_t from = 0, to = n; to <= t->n; from++, to++) {
			unsigned count = numbers_in(t, from, to), *best = &t->cost[from][to];
			int target;
			unsigned strays = strays_in(t, from, to, &target);

			*best = strays <= CHAIN_MAX ? strays * (INSN_COST + count) : UINT_MAX;
			t->split[from][to] = 0;
			for (size_t at = from + 1; at < to; at++) {
				unsigned cost =
					INSN_COST + count + t->cost[from][at] + t->cost[at][to];

				if (cost < *best) {
					*best = cost;
					t->split[from][to] = at;
				}
			}
		}
	}
}

static void emit_chain(struct code *c, const struct tree *t, size_t from, size_t to)
{
	int target;
	unsigned left = strays_in(t, from, to, &target);

	for (size_t i = from; i < to; i++) {
		const struct range *r = &t->ranges[i];

		for (int nr = r->first; r->target != target && nr < r[1].first; nr++)
			emit_equal(c, (uint32_t)nr, r->target, --left ? CODE_NEXT : target);
	}
}

static bool is_one_target(const struct tree *t, size_t from, size_t to)
{
	int target;

	return !strays_in(t, from, to, &target);
}

static void emit_tree(struct code *c, const struct tree *t, size_t from, size_t to)
{
	size_t at = t->split[from][to];
	bool left, right;
	int below, above;

	if (!at) {
		emit_chain(c, t, from, to);
		return;
	}
	left = !is_one_target(t, from, at);
	right = !is_one_target(t, at, to);
	below = left ? CODE_NEXT : t->ranges[from].target;
	above = t->ranges[at].target;
	if (right)
		above = left ? label_new(c, CODE_NO_VERDICT) : CODE_NEXT;
	emit(c, BPF_JMP | BPF_JGE | BPF_K, (uint32_t)t->ranges[at].first, above, below);
	if (left)
		emit_tree(c, t, from, at);
	if (right && left)
		label_here(c, above);
	if (right)
		emit_tree(c, t, at, to);
}

void emit_numbers(struct code *c, const int targets[CODE_NUMBERS])
{
	static struct tree t;

	t.n = 0;
	for (int nr = 0; nr < CODE_NUMBERS; nr++) {
		if (nr && targets[nr] == targets[nr - 1])
			continue;
		if (t.n == RANGES_MAX)
			die("too many ranges", "");
		t.ranges[t.n++] = (struct range){nr, targets[nr]};
	}
	tree_plan(&t);
	emit_tree(c, &t, 0, t.n);
}
