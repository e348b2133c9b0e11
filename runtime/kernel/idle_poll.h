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

#endif
