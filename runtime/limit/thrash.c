/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Theory. The kernel calls a group out of memory when a reclaim frees nothing. As long as a few
 * pages of the program's code can be dropped it frees something, the program faults them in again,
 * and so on: seen for minutes with Linux 6.1 and a program that fills a memfd. These together tell
 * it from a group that merely lives at its limit, as any reader of large files does:
 *
 *	the limit is run into		memory.events max
 *	next to no file cache is left	active_file + inactive_file
 *	what is left goes round		workingset_refault_file against it
 *	mapped pages are in it		pgmajfault
 *	no process runs meanwhile		memory.pressure full, where the kernel has it
 *
 * and that for two seconds. Figures of Linux 6.1, a limit of 60 MiB, one second:
 *
 *			cache left	goes round	major faults	no process runs
 *	memfd		0.1 MiB		140 times	130		11-59 %
 *	a file read	9 MiB		9 times		0		12 %
 *	a file mapped,	2 MiB		15 times	2		10-34 %
 *	54 MiB held
 *	a file read,	1 MiB		16 times	50		5-18 %
 *	55 MiB held
 *
 * memory.stat costs the kernel a walk over its CPUs; it is read only when the limit was run into
 * since the last look.
 */
#include "runtime/limit/thrash.h"

#include "runtime/cgroup/cgroup.h"

#define BAD_NS 2000000000u
#define CACHE_PART 128u /* of the limit, within these: */
#define CACHE_MIN_BYTES (256u << 10)
#define CACHE_MAX_BYTES (4u << 20)
#define ROUNDS_PER_S 32u
#define MAJOR_FAULTS_PER_S 20u
#define STALLED_US_PER_S 50000u
#define NS_PER_S 1000000000u

static uint64_t little_cache_bytes(uint64_t limit_bytes)
{
	uint64_t bytes = limit_bytes / CACHE_PART;

	if (bytes < CACHE_MIN_BYTES)
		return CACHE_MIN_BYTES;
	return bytes > CACHE_MAX_BYTES ? CACHE_MAX_BYTES : bytes;
}

/* True when the counter grew by per_s a second at least. */
static bool grew(uint64_t from, uint64_t to, uint64_t per_s, uint64_t elapsed_ns)
{
	return to > from && (double)(to - from) * NS_PER_S >= (double)per_s * (double)elapsed_ns;
}

static bool is_bad(const struct thrash *t, const struct thrash_sample *s)
{
	const struct thrash_sample *last = &t->last;
	uint64_t elapsed_ns = s->at_ns - last->at_ns;
	uint64_t left = s->cache_bytes > last->cache_bytes ? s->cache_bytes : last->cache_bytes;

	return s->max_events > last->max_events && left <= little_cache_bytes(t->limit_bytes) &&
	       grew(last->refaults, s->refaults, (left / t->page_bytes + 1) * ROUNDS_PER_S,
		    elapsed_ns) &&
	       grew(last->major_faults, s->major_faults, MAJOR_FAULTS_PER_S, elapsed_ns) &&
	       (!s->has_stalled || !last->has_stalled ||
		grew(last->stalled_us, s->stalled_us, STALLED_US_PER_S, elapsed_ns));
}

bool thrash_judge(struct thrash *t, const struct thrash_sample *s)
{
	uint64_t elapsed_ns;

	if (t->has_last) {
		elapsed_ns = s->at_ns - t->last.at_ns;
		if (is_bad(t, s))
			t->bad_ns += elapsed_ns;
		else
			t->bad_ns -= t->bad_ns < 2 * elapsed_ns ? t->bad_ns : 2 * elapsed_ns;
	}
	t->last = *s;
	t->has_last = true;
	return t->bad_ns >= BAD_NS;
}

static void read_sample(const struct cgroup *cg, struct thrash_sample *s)
{
	char text[8192];

	if (cgroup_read(cg->limit_fd, "memory.stat", text, sizeof(text)) >= 0) {
		s->cache_bytes = cgroup_parse_key(text, "active_file") +
				 cgroup_parse_key(text, "inactive_file");
		s->refaults = cgroup_parse_key(text, "workingset_refault_file");
		s->major_faults = cgroup_parse_key(text, "pgmajfault");
	}
	if (cgroup_read(cg->limit_fd, "memory.pressure", text, sizeof(text)) >= 0)
		s->has_stalled = cgroup_parse_stalled(text, &s->stalled_us);
}

bool thrash_look(struct thrash *t, const struct cgroup *cg, uint64_t now_ns)
{
	struct thrash_sample s = {.cache_bytes = UINT64_MAX};
	char text[512];

	if (t->has_last && now_ns - t->last.at_ns < THRASH_LOOK_MS * 1000000ull)
		return false;
	if (cgroup_read(cg->limit_fd, "memory.events", text, sizeof(text)) >= 0)
		s.max_events = cgroup_parse_key(text, "max");
	if (s.max_events != t->last.max_events)
		read_sample(cg, &s);
	s.at_ns = now_ns;
	return thrash_judge(t, &s);
}
