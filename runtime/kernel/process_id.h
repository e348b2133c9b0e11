/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_PROCESS_ID_H
#define CSBX_RUNTIME_PROCESS_ID_H

/*
 * A process id names one process only together with the time at which that process began; a
 * descriptor of it does so alone.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct err;

/* In clock ticks since boot, field 22 of /proc/PID/stat (proc(5)). -ESRCH: none, or a zombie. */
int process_start_ticks(pid_t pid, uint64_t *ret);

/* True while the process that began then lives. */
bool process_is(pid_t pid, uint64_t start_ticks);

/*
 * This process is killed when its parent ends, for which the descriptor stands: -ESRCH if it has
 * ended already. A change of ids or of the user namespace takes that back (prctl(2)), so it is for
 * after those.
 */
int process_end_with(int parent_pidfd, struct err *e);

#endif
