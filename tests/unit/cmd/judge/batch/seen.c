/* SPDX-License-Identifier: Apache-2.0 */
/* Occurrences of ids. */
#include <stdio.h>
#include "cmd/judge/batch/seen.h"
#include "tests/unit/tap.h"

#define MANY 20000

static void test_first_is_one_and_the_next_are_counted(void)
{
	struct batch_seen s = {0};

	is_int(batch_seen_add(&s, "a"), 1, "the first");
	is_int(batch_seen_add(&s, "b"), 1, "another");
	is_int(batch_seen_add(&s, "a"), 2, "again");
	is_int(batch_seen_add(&s, ""), 1, "an empty one");
	is_int(batch_seen_add(&s, "a"), 3, "and again");
	is_int(batch_seen_add(&s, ""), 2, "the empty one again");
	batch_seen_free(&s);
}

static void test_many_are_told_from_each_other(void)
{
	struct batch_seen s = {0};
	unsigned wrong = 0;
	char label[32];

	for (unsigned round = 1; round <= 3; round++) {
		for (unsigned i = 0; i < MANY; i++) {
			(void)snprintf(label, sizeof(label), "task/%u", i);
			wrong += batch_seen_add(&s, label) != round;
		}
	}
	is_int(wrong, 0, "occurrences");
	is_int((long long)s.n, MANY, "labels");
	ok(s.n_slots <= 4 * MANY, "slots");
	batch_seen_free(&s);
}

int main(void)
{
	test_first_is_one_and_the_next_are_counted();
	test_many_are_told_from_each_other();
	return done_testing();
}
