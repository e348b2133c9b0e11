/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CSBX_RUNTIME_ORPHAN_FORK_H
#define CSBX_RUNTIME_ORPHAN_FORK_H

#include <sys/types.h>

/*
 * fork(2) of a child that the caller has not to reap. It is made by a process between that shares the
 * caller's memory and ends at once, so one fork of two copies nothing; the caller stands still
 * meanwhile. first, NULL allowed, runs in the process between: what it does to descriptors, of which
 * that one has copies, the child finds, and what it writes the caller finds, too.
 * Returns as fork(2) does: 0 in the child.
 */
pid_t orphan_fork(void (*first)(void *arg), void *arg);

#endif
