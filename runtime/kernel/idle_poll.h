/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_IDLE_POLL_H
#define CSBX_RUNTIME_IDLE_POLL_H

/*
 * poll(2) for a process that may wait for hours, and of which there may be a thousand. When nothing
 * has come for a moment it gives the kernel what the process holds and does not use: free pages of
 * the heap, pages of the stack below the caller, and the caller's scratch bytes. For the main
 * thread only.
 */

#include <poll.h>
#include <stddef.h>

#define IDLE_POLL_MOMENT_MS 200

/* scratch: after a moment its whole pages may read as zeros; NULL: none. */
int idle_poll(struct pollfd *p, nfds_t n, int timeout_ms, void *scratch, size_t scratch_bytes);

/*
 * What a process does that waits without a bound and for which nothing has come for a longer time:
 * it may become another program that waits in its place, and then take() does not return. It leaves
 * all that is to be read where it is. Where it returns the process waits on as it is.
 */
#define IDLE_POLL_REST_MS 5000
struct idle_rest {
	void (*take)(void *arg, const struct pollfd *p, nfds_t n); /* NULL: nothing */
	void *arg;
};
int idle_poll_rest(struct pollfd *p, nfds_t n, void *scratch, size_t scratch_bytes,
		   const struct idle_rest *rest);

#endif
