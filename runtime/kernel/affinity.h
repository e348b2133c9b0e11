/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_AFFINITY_H
#define CSBX_RUNTIME_AFFINITY_H

#include <stdint.h>

struct err;

/*
 * Binds the calling process, and what it forks, to ceil(cpus) of the CPUs it may use, chosen at
 * random so that containers spread (sched_setaffinity(2)). More than there are changes nothing.
 */
int affinity_limit(uint64_t cpus_milli, struct err *e);

/* The number of CPUs that the calling process may use; 1 where that is not known. */
unsigned affinity_cpus(void);

#endif
