/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_BASE_CLOCK_H
#define CSBX_BASE_CLOCK_H

/* The time of a clock (clock_gettime(2), which cannot fail for these clocks). */

#include <stdint.h>
#include <time.h>

static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* For durations and deadlines. */
static inline uint64_t clock_monotonic_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

static inline uint64_t clock_monotonic_ms(void)
{
	return clock_monotonic_ns() / 1000000u;
}

/* Since 1970: for what is written down. */
static inline uint64_t clock_realtime_ns(void)
{
	return clock_ns(CLOCK_REALTIME);
}

#endif
