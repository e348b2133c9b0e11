/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_IDLE_CPU_H
#define CSBX_RUNTIME_IDLE_CPU_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Waits for first_ms, and then until a CPU that this process may use has nothing to do. False: there
 * is one such CPU only, or most_ms have passed.
 */
bool idle_cpu_wait(uint32_t first_ms, uint32_t most_ms);

#endif
