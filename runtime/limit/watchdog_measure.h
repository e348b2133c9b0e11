/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_WATCHDOG_MEASURE_H
#define CSBX_RUNTIME_WATCHDOG_MEASURE_H

/*
 * A pass over the processes by a process of its own: it may wait for locks that the container's
 * processes hold, and the supervisor goes on meanwhile.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct watchdog_figures;

struct watchdog_measure {
	pid_t pid;  /* 0: none */
	int out_fd; /* its answers; only where there is a process */
};

/* Makes the sums in steps of `step_ms`: false, and it is called again; true: of all processes. */
typedef bool watchdog_pass_fn(void *arg, unsigned step_ms, struct watchdog_figures *ret);

/*
 * keep_fd: the one descriptor that the pass needs, which is number 3 in the new process. -errno:
 * there can be no process now.
 */
int watchdog_measure_start(struct watchdog_measure *m, int keep_fd, watchdog_pass_fn *fn,
			   void *arg);
/*
 * Waits for an answer until until_ns (CLOCK_MONOTONIC). 1: *ret is of all processes; 0: it goes on,
 * and *ret is of a part, or as it was; -ESRCH: it came to no end.
 */
int watchdog_measure_read(struct watchdog_measure *m, uint64_t until_ns,
			  struct watchdog_figures *ret);
/* Ends the process if there is one. */
void watchdog_measure_end(struct watchdog_measure *m);

#endif
