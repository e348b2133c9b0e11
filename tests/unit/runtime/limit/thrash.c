/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tells a group that is out of memory from one that merely lives at its limit, by figures seen on
 * Linux 6.1.
 */
#include "runtime/limit/thrash.h"
#include "tests/unit/tap.h"

#define KIB 1024u
#define MIB (1024u * 1024u)
#define LOOK_NS (THRASH_LOOK_MS * 1000000ull)

/* One look's growth. */
struct growth {
	uint64_t max_events, cache_bytes, refaults, major_faults, stalled_us;
};

static const struct growth memfd = {90, 112 * KIB, 1000, 33, 40000};
static const struct growth reader = {130, 9500 * KIB, 6000, 0, 35000};
static const struct growth reader_near = {20, 2000 * KIB, 2000, 1, 60000};
static const struct growth quiet = {0, 112 * KIB, 0, 0, 0};

static struct thrash fresh(void)
{
	return (struct thrash){.limit_bytes = 60 * MIB, .page_bytes = 4096};
}

/* Looks at so many equal growths: how many until the verdict, 0: none came. */
static int feed(struct thrash *t, const struct growth *g, int looks, bool has_stalled)
{
	struct thrash_sample s = t->last;

	for (int i = 1; i <= looks; i++) {
		s.at_ns += LOOK_NS;
		s.max_events += g->max_events;
		s.cache_bytes = g->cache_bytes;
		s.refaults += g->refaults;
		s.major_faults += g->major_faults;
		s.stalled_us += g->stalled_us;
		s.has_stalled = has_stalled;
		if (thrash_judge(t, &s))
			return i;
	}
	return 0;
}

static void test_honest(void)
{
	struct thrash t = fresh();

	is_int(feed(&t, &quiet, 100, true), 0, "nothing happens");
	is_int(feed(&t, &reader, 400, true), 0, "a file is read");
	is_int(feed(&t, &reader_near, 400, true), 0, "a file is mapped, most memory held");
	is_int(feed(&t, &memfd, 7, true), 0, "a moment of thrashing");
	is_int(feed(&t, &reader, 400, true), 0, "it passes");
}

static void test_thrash(void)
{
	struct thrash t = fresh();
	int looks = feed(&t, &memfd, 100, true);

	ok(looks >= 8 && looks <= 9, "two seconds of it");
	t = fresh();
	looks = feed(&t, &memfd, 100, false);
	ok(looks >= 8 && looks <= 9, "on a kernel that does not count stalls");
	t = fresh();
	looks = 0;
	for (int i = 0; i < 10 && !looks; i++) {
		looks = feed(&t, &memfd, 4, true);
		if (!looks)
			(void)feed(&t, &quiet, 1, true);
	}
	ok(looks, "with a pause now and then");
}

/* Each sign is needed. */
static void test_signs(void)
{
	struct growth g;
	struct thrash t;
	int looks;

	for (int sign = 0; sign < 5; sign++) {
		uint64_t *one = (uint64_t *[]){&g.max_events, &g.cache_bytes, &g.refaults,
					       &g.major_faults, &g.stalled_us}[sign];

		g = memfd;
		*one = sign == 1 ? 4 * MIB : 0;
		t = fresh();
		looks = feed(&t, &g, 100, true);
		is_int(looks, 0, "not without sign %d", sign);
	}
	g = memfd;
	g.cache_bytes = UINT64_MAX;
	t = fresh();
	is_int(feed(&t, &g, 100, true), 0, "not where the cache is unknown");
}

static void test_sizes(void)
{
	struct growth g = memfd;
	struct thrash t = fresh();

	t.limit_bytes = 4 * MIB;
	ok(feed(&t, &g, 20, true), "a small limit");
	t = fresh();
	t.limit_bytes = 64ull << 30;
	ok(feed(&t, &g, 20, true), "a large limit");
	g.cache_bytes = 8 * MIB;
	g.refaults = 100000;
	t = fresh();
	t.limit_bytes = 64ull << 30;
	is_int(feed(&t, &g, 100, true), 0, "with so much left that it is a program's data");
	g = memfd;
	t = fresh();
	t.page_bytes = 65536;
	g.refaults /= 16;
	ok(feed(&t, &g, 20, true), "large pages");
}

int main(void)
{
	test_honest();
	test_thrash();
	test_signs();
	test_sizes();
	return done_testing();
}
