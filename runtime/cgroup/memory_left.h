/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_CGROUP_MEMORY_LEFT_H
#define CSBX_RUNTIME_CGROUP_MEMORY_LEFT_H

#include <stdint.h>

/*
 * How many bytes the calling process and others like it may still take before a limit of its memory
 * cgroups is reached (cgroups(7)), of version 2 or of a version 1 that is mounted where it usually is;
 * UINT64_MAX: no limit is seen.
 */
uint64_t cgroup_memory_left(void);

#endif
