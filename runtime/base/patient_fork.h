/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_BASE_PATIENT_FORK_H
#define CSBX_BASE_PATIENT_FORK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * As fork(2). Where the user has as many processes as may be (EAGAIN: what runs for him elsewhere may
 * end soon) it tries again for PATIENT_MS, unless a signal that is blocked asks for the end.
 */
pid_t patient_fork(void);

#define PATIENT_MS 10000u
#define PATIENT_PAUSE_MS 100u

/*
 * Sleeps before another try, where there is time for one. *since_ns: 0 before the first; of the
 * clock that is monotonic.
 */
bool patient_wait(uint64_t *since_ns);

/* True where this process could not fork at the moment, for want of processes. */
bool fork_is_refused(void);

#endif
