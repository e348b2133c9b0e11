/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_DETACH_H
#define CSBX_RUNTIME_DETACH_H

/*
 * A detached start is the same supervisor in a child with a session of its own: no daemon, nothing
 * else between it and the container. The parent waits until the command runs, so that what fails
 * before is told where it was asked for, and then lets go.
 */

#include <stdbool.h>

struct err;

/*
 * Calls fn in a child without terminal, with /dev/null as its streams, which ends when fn returns.
 * fn writes one byte to report_fd when the command runs, or calls detach_failed(). 0: it runs.
 * -errno: it does not, *ret_exit_code is what a start that waits would have exited with.
 * orphan: it is no child of the caller's, which goes on and would have to wait for its end.
 */
int detach(void (*fn)(void *arg, int report_fd), void *arg, bool orphan, int *ret_exit_code,
	   struct err *e);
void detach_failed(int report_fd, int exit_code, const struct err *why);

#endif
