/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Blocks made by the thread beside: what is wanted is what is got, whatever else goes on. The maker
 * is held back at a gate, so that what happens while it works is seen.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>

#include "runtime/helpers/squashd/image/sqahead.h"
#include "tests/unit/tap.h"

#define BLOCK 4096u
#define DAMAGED 666u /* a pos that cannot be made */
#define HAMMERED 500

static struct gate {
	pthread_mutex_t lock;
	pthread_cond_t moved;
	bool closed;
	unsigned entered, made;
	uint64_t order[64];
} gate = {.lock = PTHREAD_MUTEX_INITIALIZER, .moved = PTHREAD_COND_INITIALIZER};

static void fill(unsigned char *out, uint64_t pos)
{
	for (size_t i = 0; i + sizeof(pos) <= BLOCK; i += sizeof(pos))
		memcpy(out + i, &pos, sizeof(pos));
}

static bool is_filled(const unsigned char *data, uint64_t pos)
{
	unsigned char want[BLOCK];

	fill(want, pos);
	return !memcmp(data, want, BLOCK);
}

static int make(void *arg, void *packed, uint64_t pos, uint32_t bytes, unsigned char *out,
		size_t *out_bytes)
{
	struct gate *g = arg;

	memset(packed, 0, bytes);
	pthread_mutex_lock(&g->lock);
	g->order[g->entered++ % 64] = pos;
	pthread_cond_broadcast(&g->moved);
	while (g->closed)
		pthread_cond_wait(&g->moved, &g->lock);
	g->made++;
	pthread_mutex_unlock(&g->lock);
	if (pos == DAMAGED)
		return -EIO;
	fill(out, pos);
	*out_bytes = BLOCK;
	return 0;
}

static void set_gate(bool closed)
{
	pthread_mutex_lock(&gate.lock);
	gate.closed = closed;
	pthread_cond_broadcast(&gate.moved);
	pthread_mutex_unlock(&gate.lock);
}

/* Until the thread has begun with n blocks in all. */
static void await_entered(unsigned n)
{
	pthread_mutex_lock(&gate.lock);
	while (gate.entered < n)
		pthread_cond_wait(&gate.moved, &gate.lock);
	pthread_mutex_unlock(&gate.lock);
}

static int confined(struct err *e)
{
	(void)e;
	return 0;
}

static int unconfined(struct err *e)
{
	(void)e;
	return -EPERM;
}

static struct sqahead *start(void)
{
	const struct sqahead_source source = {.make = make, .arg = &gate, .max = BLOCK};
	struct sqahead *a = sqahead_new(confined);

	gate.entered = gate.made = 0;
	ok(a && sqahead_is_confined(a) && sqahead_set_source(a, &source) == 0, "starts");
	return a;
}

static void one_by_one(void)
{
	struct sqahead *a = start();
	unsigned char *data = NULL;
	size_t size = 0;

	ok(!sqahead_take(a, 1, &data, &size) && !data, "nothing that was not wanted");
	set_gate(true);
	sqahead_want(a, 1, 10);
	await_entered(1);
	set_gate(false);
	ok(sqahead_take(a, 1, &data, &size), "the one that is being made is waited for");
	ok(data && size == BLOCK && is_filled(data, 1), "it is the right one");
	ok(!sqahead_take(a, 1, &data, &size), "once");
	is_int(gate.made, 1, "made once");
	sqahead_free(a);
	free(data);
}

static void order_of_wishes(void)
{
	struct sqahead *a = start();
	unsigned char *data = NULL;
	size_t size;

	set_gate(true);
	sqahead_want(a, 10, 10);
	await_entered(1);
	sqahead_want(a, 11, 10);
	sqahead_want(a, 12, 10);
	sqahead_want(a, 13, 10);
	sqahead_want(a, 12, 10); /* wanted already */
	ok(!sqahead_take(a, 13, &data, &size), "one that has not been begun is the caller's own");
	set_gate(false);
	await_entered(3);
	ok(sqahead_take(a, 11, &data, &size) && is_filled(data, 11), "the last is made as well");
	is_int(gate.order[1], 12, "the latest wish first");
	is_int(gate.order[2], 11, "then the one before");
	is_int(gate.entered, 3, "what was taken away is not made");
	sqahead_free(a);
	free(data);
}

static void damage(void)
{
	struct sqahead *a = start();
	unsigned char *data = NULL;
	size_t size;

	set_gate(true);
	sqahead_want(a, DAMAGED, 10);
	await_entered(1);
	set_gate(false);
	ok(!sqahead_take(a, DAMAGED, &data, &size), "a block that cannot be made is not there");
	sqahead_want(a, 5, 10);
	await_entered(2);
	ok(sqahead_take(a, 5, &data, &size) && is_filled(data, 5), "the next one is");
	sqahead_free(a);
	free(data);
}

/* More wishes than there is room for: old ones are forgotten, nothing is mixed up. */
static void hammer(void)
{
	struct sqahead *a = start();
	unsigned char *data = NULL;
	unsigned taken = 0, wrong = 0;
	uint64_t random = 1;
	size_t size;

	while (taken < HAMMERED) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		sqahead_want(a, 1 + (random >> 33) % 40, 10);
		random = random * 6364136223846793005u + 1442695040888963407u;
		if (sqahead_take(a, 1 + (random >> 33) % 40, &data, &size)) {
			taken++;
			wrong += size != BLOCK || !is_filled(data, 1 + (random >> 33) % 40);
		} else {
			sched_yield(); /* to the thread, where there is one CPU */
		}
	}
	is_int(wrong, 0, "each of %u is the right one", taken);
	sqahead_free(a);
	free(data);
}

int main(void)
{
	struct sqahead *a = sqahead_new(unconfined);

	ok(a && !sqahead_is_confined(a), "a thread that cannot be confined says so");
	sqahead_free(a);
	one_by_one();
	order_of_wishes();
	damage();
	hammer();
	a = start();
	set_gate(true);
	sqahead_want(a, 1, 10);
	await_entered(1);
	sqahead_want(a, 2, 10);
	set_gate(false);
	sqahead_free(a);
	is_int(gate.made, gate.entered, "ends with wishes left, and with none half made");
	return done_testing();
}
