/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/kernel/idle_poll.h"

#include <features.h>
#include <malloc.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#define BELOW_BYTES (256u << 10) /* of a stack, less than the gap that the kernel keeps below it */
#define CALLS_BYTES 1024u        /* below its frame, for what give_back() itself calls */

/* Anonymous memory between two addresses; pages that are in it in part stay. */
static void drop(uintptr_t from, uintptr_t to)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

	from = (from + page - 1) & ~(page - 1);
	to &= ~(page - 1);
	/* Holes in it are no error. */
	if (from < to)
		(void)madvise((void *)from, to - from, MADV_DONTNEED);
}

/* Has a frame of its own, below which all is unused. */
static __attribute__((noinline)) void give_back(void *scratch, size_t scratch_bytes)
{
	const uintptr_t here = (uintptr_t)__builtin_frame_address(0);

#ifdef __GLIBC__
	(void)malloc_trim(0);
#endif
	if (scratch)
		drop((uintptr_t)scratch, (uintptr_t)scratch + scratch_bytes);
	drop(here - BELOW_BYTES, here - CALLS_BYTES);
}

int idle_poll(struct pollfd *p, nfds_t n, int timeout_ms, void *scratch, size_t scratch_bytes)
{
	int r;

	if (timeout_ms >= 0 && timeout_ms <= IDLE_POLL_MOMENT_MS)
		return poll(p, n, timeout_ms);
	r = poll(p, n, IDLE_POLL_MOMENT_MS);
	if (r)
		return r;
	give_back(scratch, scratch_bytes);
	return poll(p, n, timeout_ms < 0 ? -1 : timeout_ms - IDLE_POLL_MOMENT_MS);
}

int idle_poll_rest(struct pollfd *p, nfds_t n, void *scratch, size_t scratch_bytes,
		   const struct idle_rest *rest)
{
	int r;

	if (!rest->take)
		return idle_poll(p, n, -1, scratch, scratch_bytes);
	r = idle_poll(p, n, IDLE_POLL_REST_MS, scratch, scratch_bytes);
	if (r)
		return r;
	rest->take(rest->arg, p, n);
	return poll(p, n, -1);
}
