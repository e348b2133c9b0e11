/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_PROCESS_ID_H
#define CSBX_RUNTIME_PROCESS_ID_H

/* A process id says who is meant only together with the time at which that process began. */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* In clock ticks since boot, field 22 of /proc/PID/stat (proc(5)). -ESRCH: none, or a zombie. */
int process_start_ticks(pid_t pid, uint64_t *ret);

/* True while the process that began then lives. */
bool process_is(pid_t pid, uint64_t start_ticks);

#endif
