/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_FORWARDED_SIGNALS_H
#define CSBX_RUNTIME_FORWARDED_SIGNALS_H

/*
 * The signals that a supervisor and the client of an exec pass on to the process inside. They are
 * read from a signalfd (signalfd(2)) while the process runs.
 */

#include <signal.h>
#include <stdbool.h>

struct err;

/* Blocks the signals that are forwarded and opens a signalfd; SIGCHLD gets its default back. */
int forwarded_signals_block(sigset_t *ret_old, int *ret_fd, struct err *e);
/*
 * The mask as it was. Requests of others to a supervisor whose container has ended are dropped. If
 * is_over, the signals are dropped too: they were for the container, and would keep its result
 * back.
 */
void forwarded_signals_restore(const sigset_t *old, bool is_over);

#endif
